/** The content digest of a `query.db`: independent of the pages of the file. SPEC.md, "Digests". */
import { createHash, type Hash } from 'node:crypto'
import type { Database } from 'better-sqlite3'
import { compareText } from '../../model/sources.ts'
import { SnapshotError } from '../error.ts'
import { INDEXES, TABLES } from './schema.ts'

/** What the digest states about each token of an index: in how many entries it is, and in which. */
const TOKENS = 'SELECT term, count(*), sum(doc), sum(doc * doc % 2147483647)'

/**
 * Returns the content digest, and the number of entries and ids.
 * @throws SnapshotError `malformed` when the file cannot be read
 */
export function queryDigest(database: Database): { content: string; count: number } {
  const digest = createHash('sha256')
  let count = 0
  try {
    database.pragma('query_only = OFF')
    for (const index of INDEXES) {
      database.exec(`CREATE VIRTUAL TABLE temp.${index}_terms USING fts5vocab(main, ${index}, instance)`)
      addRows(database, digest, `${TOKENS} FROM temp.${index}_terms GROUP BY term`, index)
      database.exec(`DROP TABLE temp.${index}_terms`)
    }
    for (const table of Object.keys(TABLES)) {
      count += addRows(database, digest, `SELECT * FROM ${table} ORDER BY 1`, table)
    }
  } catch (cause) {
    if (cause instanceof SnapshotError) throw cause
    throw new SnapshotError('malformed', 'query.db cannot be read', { cause })
  }
  database.pragma('query_only = ON')
  return { content: digest.digest('hex'), count }
}

/** Adds the digest of all rows. Returns their number. */
function addRows(database: Database, digest: Hash, sql: string, table: string): number {
  const hash = createHash('sha256')
  const most = rowsThatFit(database)
  let count = 0
  let last: unknown = null
  for (const row of database.prepare(sql).raw().iterate() as Iterable<unknown[]>) {
    // A forged file may link to a page again and again.
    if (++count > most || (last !== null && !isAfter(row[0], last))) {
      throw new SnapshotError('malformed', `query.db has rows in ${table} that have the same position`)
    }
    last = row[0]
    hash.update(`${JSON.stringify(row)}\n`)
  }
  digest.update(`${table}\t${hash.digest('hex')}\n`)
  return count
}

const isAfter = (one: unknown, other: unknown): boolean =>
  typeof one === 'string' && typeof other === 'string' ? compareText(one, other) > 0 : Number(one) > Number(other)

/** A row takes at least four bytes, and a page of an index can compress many tokens. */
function rowsThatFit(database: Database): number {
  const [pages, bytes] = ['page_count', 'page_size'].map((name) => database.pragma(name, { simple: true }) as number)
  return pages! * bytes!
}
