/**
 * The files of an ingest. It changes `corpus.db` in one transaction. While it runs, it also uses `corpus.db.spill` (a
 * zip from inside a zip) and `corpus.db.new` (the first corpus until it is complete). The next ingest removes
 * leftovers of a killed one. `corpus.db.lock` is empty and stays; its lock serializes first ingests.
 */
import { createWriteStream, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import Database from 'better-sqlite3'
import type { Effects } from '../../corpus/command/effects.ts'
import { lockFile } from '../../corpus/command/lock.ts'
import { DAY_MS } from '../../corpus/model/values/date.ts'
import { accessError, assertWritable } from '../../corpus/store/error.ts'
import { createSchema, openDatabase, PAGE_BYTES } from '../../corpus/store/schema.ts'
import { openStaging, type Staging } from '../../corpus/store/staging.ts'
import { IngestError } from './error.ts'
import { horizonAt } from './sources.ts'

export interface Workspace {
  /** Its transaction is open until `commit`. */
  database: Database.Database
  staging: Staging
  /** Other connections see the last commit here; null in the first ingest. */
  committed: string | null
  /** Writes an inner archive to a file and returns its path. The next call overwrites it. */
  spill(chunks: AsyncIterable<Uint8Array>): Promise<string>
  /** Resolves when the corpus is durable. */
  commit(): Promise<void>
  /** Removes temporary files; uncommitted changes are lost. */
  close(): Promise<void>
}

/**
 * Opens the corpus at `path`, or starts a new one.
 * @throws StoreError for another file, or without write access; IngestError `busy`
 */
export async function openWorkspace(path: string, effects: Effects): Promise<Workspace> {
  try {
    return await openOrBegin(path, effects)
  } catch (cause) {
    throw accessError(path, cause, { readonly: false })
  }
}

async function openOrBegin(path: string, effects: Effects): Promise<Workspace> {
  // For an existing corpus, the transaction is the lock.
  if (existsSync(path)) {
    assertWritable(path)
    return openAt(path, false, effects)
  }
  await effects.mkdir(dirname(path))
  const unlock = lockFile(`${path}.lock`)
  if (!unlock) throw busy(path)
  try {
    // Another first ingest may have ended in the meantime.
    const workspace = await openAt(path, !existsSync(path), effects)
    return { ...workspace, close: () => workspace.close().finally(unlock) }
  } catch (cause) {
    unlock()
    throw cause
  }
}

/** Suffixes of files that a killed first ingest leaves. The `-wal` of a deleted corpus must never be replayed. */
const LEFTOVERS = ['-wal', '-shm', '-journal', '.new', '.new-wal', '.new-shm', '.new-journal']

async function openAt(path: string, isNew: boolean, effects: Effects): Promise<Workspace> {
  const spillFile = `${path}.spill`
  const newFile = `${path}.new`
  if (isNew) for (const suffix of LEFTOVERS) await effects.remove(path + suffix)
  const database = isNew
    ? effects.commit('new corpus', () => newDatabase(newFile))
    : openDatabase(path, { readonly: false })
  try {
    // Without this, SQLite syncs no commit in WAL mode, and a power cut could lose the ingest.
    if (!isNew) database.pragma('synchronous = FULL')
    // 64 MiB of pages; every item needs lookups.
    database.pragma('temp_store = MEMORY')
    database.pragma('cache_size = -65536')
    begin(database, path)
    await effects.remove(spillFile)
    const staging = openStaging(database, Date.parse(horizonAt(effects.now())) + DAY_MS)
    return {
      database,
      staging,
      committed: isNew ? null : path,
      async spill(chunks) {
        await pipeline(Readable.from(chunks), createWriteStream(spillFile))
        return spillFile
      },
      async commit() {
        effects.commit('ingest', () => database.exec('COMMIT'))
        if (!isNew) return
        // Readers continue during later ingests.
        effects.commit('log mode', () => database.pragma('journal_mode = WAL'))
        database.close()
        await effects.sync(newFile)
        await effects.rename(newFile, path)
      },
      async close() {
        database.close()
        await effects.remove(spillFile)
        if (isNew) await effects.remove(newFile)
      },
    }
  } catch (cause) {
    database.close()
    throw cause
  }
}

/** The file is private until it is complete, so it needs no journal or sync. */
function newDatabase(path: string): Database.Database {
  const database = new Database(path)
  database.pragma(`page_size = ${PAGE_BYTES}`)
  // Not OFF: better-sqlite3 makes SQLite refuse it, and the journal would be a file.
  database.pragma('journal_mode = MEMORY')
  database.pragma('synchronous = OFF')
  createSchema(database)
  return database
}

/** SQLite allows one writer and releases the lock when its process dies. */
function begin(database: Database.Database, path: string): void {
  database.pragma('busy_timeout = 1000')
  try {
    database.exec('BEGIN IMMEDIATE')
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== 'SQLITE_BUSY') throw cause
    throw busy(path, cause)
  }
}

function busy(path: string, cause?: unknown): IngestError {
  return new IngestError('busy', `another ingest is writing to ${path}; wait until it ends`, { cause })
}
