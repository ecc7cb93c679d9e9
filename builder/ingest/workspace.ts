/**
 * The files that an ingest works on. It changes `corpus.db` in one transaction. Beside it lie, only while it runs,
 * `corpus.db.spill` (a zip out of a zip) and `corpus.db.new`, the first corpus until it is whole; whatever a killed
 * ingest left of these is removed by the next. `corpus.db.lock` stays, empty: who holds it makes the first corpus.
 */
import { createWriteStream, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import Database from 'better-sqlite3'
import type { Effects } from '../../corpus/command/effects.ts'
import { lockFile } from '../../corpus/command/lock.ts'
import { accessError, assertWritable } from '../../corpus/store/access.ts'
import { createSchema, openDatabase } from '../../corpus/store/schema.ts'
import { openStaging, type Staging } from '../../corpus/store/staging.ts'
import { IngestError } from './error.ts'

export interface Workspace {
  /** Its transaction is open until `commit`. */
  database: Database.Database
  staging: Staging
  /** Where the corpus lies, of which others see what was committed last; null where this is the first ingest. */
  former: string | null
  /** Writes an archive's inner archive out and gives its path. One at a time: a later one takes its place. */
  spill(chunks: AsyncIterable<Uint8Array>): Promise<string>
  /** Commits, and returns when the corpus is safe on disk and in its place. */
  commit(): Promise<void>
  /** Closes everything and removes the temporary files; what was not committed is gone. */
  close(): Promise<void>
}

/**
 * Opens the corpus at `path`, or begins a new one.
 * @throws StoreError for another file, or where this user cannot write; IngestError `busy`
 */
export async function openWorkspace(path: string, effects: Effects): Promise<Workspace> {
  try {
    return await openOrBegin(path, effects)
  } catch (cause) {
    throw accessError(path, cause, { readonly: false })
  }
}

async function openOrBegin(path: string, effects: Effects): Promise<Workspace> {
  // The transaction is lock enough for a corpus that is there.
  if (existsSync(path)) {
    assertWritable(path)
    return openAt(path, false, effects)
  }
  await effects.mkdir(dirname(path))
  const unlock = lockFile(`${path}.lock`)
  if (!unlock) throw busy(path)
  try {
    // Another first ingest may have ended just now.
    const workspace = await openAt(path, !existsSync(path), effects)
    return { ...workspace, close: () => workspace.close().finally(unlock) }
  } catch (cause) {
    unlock()
    throw cause
  }
}

/** What a first ingest leaves when it is killed, and the log of a corpus that somebody deleted: never replay that. */
const LEFTOVERS = ['-wal', '-shm', '-journal', '.new', '.new-wal', '.new-shm', '.new-journal']

async function openAt(path: string, isNew: boolean, effects: Effects): Promise<Workspace> {
  const spillFile = `${path}.spill`
  const newFile = `${path}.new`
  if (isNew) for (const suffix of LEFTOVERS) await effects.remove(path + suffix)
  const database = isNew
    ? effects.commit('new corpus', () => newDatabase(newFile))
    : openDatabase(path, { readonly: false })
  try {
    // Without this SQLite syncs no commit in this mode: the day after a power cut the corpus would be yesterday's.
    if (!isNew) database.pragma('synchronous = FULL')
    // Temporary tables and 64 MiB of pages in memory: what is looked up for every item.
    database.pragma('temp_store = MEMORY')
    database.pragma('cache_size = -65536')
    begin(database, path)
    await effects.remove(spillFile)
    const staging = openStaging(database)
    return {
      database,
      staging,
      former: isNew ? null : path,
      async spill(chunks) {
        await pipeline(Readable.from(chunks), createWriteStream(spillFile))
        return spillFile
      },
      async commit() {
        effects.commit('ingest', () => database.exec('COMMIT'))
        if (!isNew) return
        // In this mode readers go on while a later ingest writes.
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

/** Until it is whole and in its place nobody relies on the file, so it needs no journal on disk and no syncing. */
function newDatabase(path: string): Database.Database {
  const database = new Database(path)
  // A record and a claim have some 6 KB each: with SQLite's own 4 KiB the first ingest took a fifth longer.
  database.pragma('page_size = 16384')
  // Not OFF, which better-sqlite3 lets SQLite refuse: then the journal is a file.
  database.pragma('journal_mode = MEMORY')
  database.pragma('synchronous = OFF')
  createSchema(database)
  return database
}

/** Opens the transaction. SQLite lets in one writer at a time, and lets it go when its process dies. */
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
  return new IngestError('busy', `another ingest is writing to ${path}; wait for it`, { cause })
}
