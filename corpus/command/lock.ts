/**
 * One writer at a time: a lock that the system takes back when its process dies, however it dies. A file with a process
 * id in it would outlive a kill, and in a container that id is soon another process.
 */
import { closeSync, openSync } from 'node:fs'
import Database from 'better-sqlite3'

/**
 * Takes the lock that the file at `path` stands for; the result gives it back, null says that somebody else has it. The
 * file stays: whoever removed it would take it from others. Throws where it cannot be written.
 */
export function lockFile(path: string): (() => void) | null {
  let database: Database.Database | undefined
  try {
    // SQLite is asked for nothing but its lock: the file stays empty, and there is no journal beside it.
    database = new Database(path, { timeout: 0 })
    database.pragma('journal_mode = MEMORY')
    database.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    database?.close()
    if ((cause as { code?: unknown }).code === 'SQLITE_BUSY') return null
    // SQLite does not report why it cannot open a file; the system does.
    closeSync(openSync(path, 'a'))
    throw cause
  }
  return () => void database.close()
}
