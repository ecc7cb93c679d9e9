/**
 * One writer at a time: a lock that the system takes back when its process dies, however it dies. A file with a process
 * id in it would outlive a kill, and in a container that id is soon another process.
 */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { BuildError } from './error.ts'

/**
 * Takes the lock of a `dist`; the result gives it back. The file stays: whoever removed it would take it from others.
 * @throws BuildError `busy`, or `unusable` where nothing can be written
 */
export function lockDist(dist: string): () => void {
  const path = join(dist, 'lock')
  let database: Database.Database | undefined
  try {
    // SQLite is asked for nothing but its lock: the file stays empty, and there is no journal beside it.
    database = new Database(path, { timeout: 0 })
    database.pragma('journal_mode = MEMORY')
    database.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    database?.close()
    const code = (cause as { code?: unknown }).code
    if (code === 'SQLITE_BUSY') {
      throw new BuildError('busy', `another build or prune is writing to ${dist}; wait for it`, { cause })
    }
    throw new BuildError('unusable', `${dist} cannot be written to: ${(cause as Error).message}`, { cause })
  }
  return () => void database.close()
}
