/**
 * The rows of `query.db`: tables of one shape, each row checked by itself, because what rots in an open database would
 * otherwise be answered as if it were data. SPEC.md, "Query".
 */
import { createHash } from 'node:crypto'
import type { Database } from 'better-sqlite3'
import { MAX_ENTRIES, MAX_ROW_BYTES } from '../bounds.ts'
import { crc32 } from '../crc32.ts'
import { SnapshotError } from '../error.ts'
import { column, decodeTable, encodeTable } from '../table.ts'
import { TEXT_SETS, type TextSetName } from './sets.ts'

export const QUERY_TABLES = ['sets', 'texts', 'items', 'grams', 'bests'] as const
export type QueryTable = (typeof QUERY_TABLES)[number]

export interface QueryRow {
  table: QueryTable
  key: number
  bytes: Uint8Array
}

/** The statement that creates a table, as the schema of the file has it. */
export const tableSql = (table: QueryTable): string =>
  `CREATE TABLE ${table} (key INTEGER PRIMARY KEY, crc INTEGER NOT NULL, bytes BLOB NOT NULL)`

/** The columns of a row. What is too long is left out: the pages of a file may be shared by many rows. */
const COLUMNS = `key, crc, CASE WHEN length(bytes) <= ${MAX_ROW_BYTES} THEN bytes END AS bytes`

/** The key of a row: the number of its set in the upper half, the number of the row in the lower. */
export const rowKey = (set: number, number: number): number => set * 2 ** 32 + number

/** The CRC-32 of a row goes over its place as well, so that no row is taken for another. */
export const rowCrc = ({ table, key, bytes }: QueryRow): number => crc32(bytes, crc32(`${table}\t${key}\t`))

/** Puts the content digest together from rows; those of a table must come in the order of their keys. */
export function rowsDigest(): { add(row: QueryRow): void; hex(): string } {
  const hashes = new Map(QUERY_TABLES.map((table) => [table, createHash('sha256')]))
  return {
    add: ({ table, key, bytes }) => void hashes.get(table)!.update(`${key}\t${bytes.length}\t`).update(bytes),
    hex() {
      const digest = createHash('sha256')
      for (const [table, hash] of hashes) digest.update(`${table}\t${hash.digest('hex')}\n`)
      return digest.digest('hex')
    },
  }
}

/** What a set says of itself: its size, which entries go first, and which grams it has with how many entries each. */
export interface SetHead {
  count: number
  /** A bit for each entry, the lowest bit of a byte first. */
  first: Uint8Array
  /** Ascending. */
  grams: Uint32Array
  gramCounts: Uint32Array
}

export function encodeSetHead(name: TextSetName, { count, first, grams, gramCounts }: SetHead): Buffer {
  return encodeTable({ about: { name, count }, columns: { first, grams, gramCounts } })
}

/** @throws SnapshotError `malformed` */
export function decodeSetHead(bytes: Uint8Array, name: TextSetName): SetHead {
  const table = decodeTable(bytes)
  const { count } = table.about
  const first = column(table, 'first', 'u8')
  const grams = column(table, 'grams', 'u32')
  const gramCounts = column(table, 'gramCounts', 'u32')
  const isCount = Number.isSafeInteger(count) && (count as number) >= 0 && (count as number) <= MAX_ENTRIES
  const proper = isCount && first.length === Math.ceil((count as number) / 8)
  if (!proper || table.about.name !== name || grams.length !== gramCounts.length) {
    throw new SnapshotError('malformed', `the set ${name} of query.db is damaged`)
  }
  return { count: count as number, first, grams, gramCounts }
}

/** The stored form of a row, whatever SQLite makes of the file. */
interface StoredRow {
  key: unknown
  crc: unknown
  bytes: unknown
}

function checked(table: QueryTable, stored: StoredRow): QueryRow {
  const { key, crc, bytes } = stored
  if (typeof key !== 'number' || !(bytes instanceof Uint8Array)) {
    throw new SnapshotError('malformed', `query.db has a row in ${table} that is none`)
  }
  const row = { table, key, bytes }
  if (rowCrc(row) !== crc) throw new SnapshotError('digest', `row ${key} in ${table} of query.db is damaged`)
  return row
}

/** What SQLite throws is the file's fault: only rows by key are asked of it. */
function asSnapshotError(cause: unknown): unknown {
  if (cause instanceof SnapshotError) return cause
  return new SnapshotError('malformed', 'query.db cannot be read', { cause })
}

export interface RowReader {
  /**
   * The bytes of a row that must be there.
   * @throws SnapshotError `missing`, `digest`, `malformed`
   */
  read(table: QueryTable, set: number, number: number): Uint8Array
}

export function rowReader(database: Database): RowReader {
  try {
    const statements = new Map(
      QUERY_TABLES.map((table) => [
        table,
        database.prepare<[number], StoredRow>(`SELECT ${COLUMNS} FROM ${table} WHERE key = ?`),
      ]),
    )
    return {
      read(table, set, number) {
        try {
          const key = rowKey(set, number)
          const stored = statements.get(table)!.get(key)
          if (!stored) throw new SnapshotError('missing', `row ${key} in ${table} of query.db is missing`)
          return checked(table, { ...stored, key }).bytes
        } catch (error) {
          throw asSnapshotError(error)
        }
      },
    }
  } catch (error) {
    throw asSnapshotError(error)
  }
}

/**
 * The content digest of a `query.db`, as `buildQueryDb` gave it, and how many entries its sets have.
 * @throws SnapshotError when a row is not what its CRC says
 */
export function queryDigest(database: Database): { content: string; count: number } {
  const digest = rowsDigest()
  let count = 0
  try {
    let left = sizeOf(database)
    for (const table of QUERY_TABLES) {
      let last = Number.NEGATIVE_INFINITY
      const stored = database.prepare<[], StoredRow>(`SELECT ${COLUMNS} FROM ${table} ORDER BY key`)
      for (const one of stored.iterate()) {
        const row = checked(table, one)
        left -= row.bytes.length
        // A page that several others lead to would be read again and again, for ever.
        if (row.key <= last || left < 0) {
          throw new SnapshotError('malformed', `query.db has rows in ${table} that lie in the same place`)
        }
        last = row.key
        digest.add(row)
        const name = TEXT_SETS[row.key / 2 ** 32]
        if (table === 'sets' && name) count += decodeSetHead(row.bytes, name).count
      }
    }
  } catch (error) {
    throw asSnapshotError(error)
  }
  return { content: digest.hex(), count }
}

/** Bytes of the file. */
function sizeOf(database: Database): number {
  const [pages, bytes] = [
    database.pragma('page_count', { simple: true }),
    database.pragma('page_size', { simple: true }),
  ]
  return (pages as number) * (bytes as number)
}
