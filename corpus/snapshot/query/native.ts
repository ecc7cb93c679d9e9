/** Runs searches with better-sqlite3, on a `query.db` from an untrusted source. */
import { closeSync, readSync } from 'node:fs'
import Database from 'better-sqlite3'
import { openRegularFile } from '../../runtime/regular-file.ts'
import { SnapshotError } from '../error.ts'
import { checkQuerySchema, MAX_PAGE_BYTES } from './schema.ts'
import type { Search, Statement, StatementRow } from './search.ts'

/**
 * Opens a `query.db` for reading.
 * @throws SnapshotError `malformed` when its schema has anything except the tables of the format
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

/** Rows of a statement that are read in one step: about 0.3 ms. */
const ROWS_PER_STEP = 512

/**
 * Returns a function that runs searches in steps of a statement, or of some rows of a long one.
 * @throws SnapshotError in a step, for a damaged file
 */
export function searchRunner(database: Database.Database): <T>(search: Search<T>) => Generator<undefined, T> {
  const prepared = new Map<string, Database.Statement<(string | bigint)[], StatementRow>>()
  const prepare = (sql: string) => database.prepare<(string | bigint)[], StatementRow>(sql).raw()

  function known(sql: string) {
    let statement = prepared.get(sql)
    if (!statement) {
      // Only searches for many words have many forms.
      if (prepared.size >= MOST_PREPARED) prepared.clear()
      statement = prepare(sql)
      prepared.set(sql, statement)
    }
    return statement
  }

  function* rowsOf({ sql, values: given, isLong }: Statement): Generator<undefined, StatementRow[]> {
    // better-sqlite3 binds numbers as REAL, which FTS5 ignores in a range of rows.
    const values = given.map((value) => (typeof value === 'number' ? BigInt(value) : value))
    try {
      if (!isLong) return known(sql).all(...values)
      const rows: StatementRow[] = []
      // Its own statement, because others can run before it ends.
      for (const row of prepare(sql).iterate(...values)) {
        rows.push(row)
        if (rows.length % ROWS_PER_STEP === 0) yield
      }
      return rows
    } catch (cause) {
      // Statements are correct, so an error is one of the file.
      throw cause instanceof Database.SqliteError
        ? new SnapshotError('malformed', 'query.db cannot be read', { cause })
        : cause
    }
  }

  return function* run<T>(search: Search<T>): Generator<undefined, T> {
    let step = search.next()
    while (!step.done) {
      const { value } = step
      let answer: unknown
      if ('sql' in value) answer = yield* rowsOf(value)
      else {
        const results: unknown[] = []
        for (const one of value) results.push(yield* run(one))
        answer = results
      }
      yield
      step = search.next(answer)
    }
    return step.value
  }
}

const MOST_PREPARED = 200

export function finish<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
