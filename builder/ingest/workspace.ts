/**
 * The files that an ingest works on. Beside `corpus.db` lie, only while it runs: `corpus.db.staging` (what the feeds
 * hold), `corpus.db.spill` (a zip out of a zip), and `corpus.db.new`, the first corpus until it is whole. Whatever a
 * killed ingest left of them is removed by the next.
 */
import { createWriteStream, existsSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import Database from 'better-sqlite3'
import { createSchema, openDatabase } from '../../corpus/store/schema.ts'
import { attachStaging, type Staging } from '../../corpus/store/staging.ts'
import type { Effects } from '../effects.ts'
import { IngestError } from './error.ts'

export interface Workspace {
  database: Database.Database
  staging: Staging
  /** Writes an archive's inner archive out and gives its path. One at a time: a later one takes its place. */
  spill(chunks: AsyncIterable<Uint8Array>): Promise<string>
  /** Runs `work` as the one transaction that changes the corpus, and has it on disk afterwards. */
  commit<T>(work: () => T): Promise<T>
  /** Closes everything and removes the temporary files. */
  close(): Promise<void>
}

/** Opens the corpus at `path`, or begins a new one. Throws `StoreError` for another file, `IngestError` `busy`. */
export async function openWorkspace(path: string, effects: Effects): Promise<Workspace> {
  const isNew = !existsSync(path)
  const files = { staging: `${path}.staging`, spill: `${path}.spill`, new: `${path}.new` }
  refuseOther(files.staging, path)
  if (isNew) {
    // The log of a corpus that somebody deleted must not be replayed into the new one.
    for (const suffix of ['-wal', '-shm']) await effects.remove(path + suffix)
    await effects.remove(files.new)
  } else {
    openDatabase(path, { readonly: true }).close()
  }
  await effects.remove(files.staging)
  await effects.remove(files.spill)

  const database = isNew
    ? effects.commit('new corpus', () => newDatabase(files.new))
    : openDatabase(path, { readonly: false })
  try {
    if (!isNew) {
      database.pragma('journal_mode = WAL')
      database.pragma('synchronous = FULL')
    }
    database.pragma('temp_store = MEMORY')
    // Large sequential work: 64 MiB of cache save re-reading the inner pages of the indexes.
    database.pragma('cache_size = -65536')
    const staging = effects.commit('new staging', () => attachStaging(database, files.staging))
    return {
      database,
      staging,
      async spill(chunks) {
        await pipeline(Readable.from(chunks), createWriteStream(files.spill))
        return files.spill
      },
      async commit(work) {
        const result = effects.commit('merge', () => database.transaction(work).immediate())
        if (!isNew) return result
        // A reader beside a writer needs the log, so the file is handed over in that mode.
        effects.commit('log mode', () => database.exec('DETACH staging; PRAGMA journal_mode = WAL'))
        database.close()
        await effects.sync(files.new)
        await effects.rename(files.new, path)
        return result
      },
      async close() {
        database.close()
        await effects.remove(files.staging)
        await effects.remove(files.spill)
        if (isNew) await effects.remove(files.new)
      },
    }
  } catch (cause) {
    database.close()
    throw cause
  }
}

/** Until it is whole and in its place nobody relies on the file, so it needs neither journal nor syncing. */
function newDatabase(path: string): Database.Database {
  const database = new Database(path)
  database.pragma('journal_mode = OFF')
  database.pragma('synchronous = OFF')
  createSchema(database)
  return database
}

/** A running ingest holds a lock on its staging database, which the system gives back when it dies. */
function refuseOther(staging: string, corpus: string): void {
  if (!existsSync(staging)) return
  let database: Database.Database | undefined
  try {
    database = new Database(staging, { timeout: 0 })
    database.exec('BEGIN EXCLUSIVE; ROLLBACK')
  } catch (cause) {
    if ((cause as { code?: unknown }).code === 'SQLITE_BUSY') {
      throw new IngestError('busy', `another ingest is working on ${corpus}; wait for it`, { cause })
    }
    // Anything else is what a killed ingest left half-written, and is removed.
  } finally {
    database?.close()
  }
}
