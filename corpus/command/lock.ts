/**
 * Ensures a single writer with a lock that the system releases when the process dies. A file with a process id would
 * remain after a kill, and in a container another process soon has that id.
 */
import { closeSync, constants, openSync } from 'node:fs'
import Database from 'better-sqlite3'

/**
 * Takes the lock of the file at `path`. Returns the function that releases it, or null if another process has it. The
 * file remains, because removing it would break the lock of others. Throws if the file cannot be written.
 */
export function lockFile(path: string): (() => void) | null {
  let database: Database.Database | undefined
  try {
    // Only SQLite's lock is used: the file stays empty and has no journal file.
    database = new Database(path, { timeout: 0 })
    database.pragma('journal_mode = MEMORY')
    database.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    database?.close()
    if ((cause as { code?: unknown }).code === 'SQLITE_BUSY') return null
    // SQLite does not report why it cannot open a file; the system does.
    closeSync(openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_NONBLOCK))
    throw cause
  }
  return () => void database.close()
}
