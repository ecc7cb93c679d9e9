/** Opens a `query.db`, even if its file name is gone: `prune` may remove it while cursors still name its snapshot. */
import { closeSync, existsSync, fstatSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { openQueryFile } from '../../corpus/snapshot/derived.ts'

const CHUNK_BYTES = 4 * 1024 * 1024

/**
 * Opens the database at `path`, or, if that is gone, the file that `descriptor` keeps open. SQLite opens files by name
 * only and resolves `/proc/self/fd/…` to the deleted name. So the file is copied to a temporary name.
 */
export function openDatabase(path: string, descriptor: number | null): Database {
  if (descriptor === null || existsSync(path)) return prepared(openQueryFile(path))
  const folder = mkdtempSync(join(tmpdir(), 'vulnshelf-query-'))
  try {
    const copy = join(folder, 'query.db')
    copyOpen(descriptor, copy)
    return prepared(openQueryFile(copy))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function prepared(database: Database): Database {
  // No process writes the file. By default, SQLite locks and unlocks it for each row (test/bench/README.md, "Choices").
  database.pragma('locking_mode = EXCLUSIVE')
  return database
}

function copyOpen(descriptor: number, path: string): void {
  const { size } = fstatSync(descriptor)
  const chunk = Buffer.allocUnsafe(Math.min(size, CHUNK_BYTES))
  const copy = openSync(path, 'wx')
  try {
    for (let at = 0; at < size; ) {
      const length = readSync(descriptor, chunk, 0, chunk.length, at)
      if (length === 0) throw new Error(`cannot copy ${path}: it has fewer than ${size} bytes`)
      at += writeSync(copy, chunk, 0, length)
    }
  } finally {
    closeSync(copy)
  }
}
