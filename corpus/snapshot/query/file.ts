/** Opens a `query.db` from an untrusted source. */
import { closeSync, readSync } from 'node:fs'
import Database from 'better-sqlite3'
import { openRegularFile } from '../../runtime/regular-file.ts'
import { checkQuerySchema, MAX_PAGE_BYTES } from './schema.ts'

/**
 * Opens a `query.db` for reading.
 * @throws SnapshotError `malformed` when its schema has anything except the five tables
 */
export function openQueryFile(path: string): Database.Database {
  checkQuerySchema(firstPageOf(path))
  const database = new Database(path, { readonly: true, fileMustExist: true })
  // https://sqlite.org/security.html, "Untrusted SQLite Database Files"
  database.pragma('trusted_schema = OFF')
  database.pragma('cell_size_check = ON')
  database.pragma('mmap_size = 0')
  database.pragma('query_only = ON')
  return database
}

function firstPageOf(path: string): Buffer {
  const bytes = Buffer.alloc(MAX_PAGE_BYTES)
  const descriptor = openRegularFile(path)
  try {
    return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, 0))
  } finally {
    closeSync(descriptor)
  }
}
