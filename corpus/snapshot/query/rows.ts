/**
 * The rows of `query.db`. Each row has a checksum, so that corruption of an open database is never answered as data.
 * SPEC.md, "Query".
 */
import { createHash } from 'node:crypto'
import type { Database } from 'better-sqlite3'
import { crc32 } from '../../runtime/crc32.ts'
import { MAX_ENTRIES, MAX_ROW_BYTES } from '../bounds.ts'
import { column, decodeTable, encodeTable } from '../codec/table.ts'
import { SnapshotError } from '../error.ts'
import { TEXT_SETS, type TextSetName } from './sets.ts'

export const QUERY_TABLES = ['sets', 'texts', 'items', 'grams', 'bests'] as const
export type QueryTable = (typeof QUERY_TABLES)[number]

export interface QueryRow {
  table: QueryTable
  key: number
  bytes: Uint8Array
}

/** Names a row: the number of its set, and its number in the set. */
export interface RowName {
  table: QueryTable
  set: number
  number: number
}

/** Returns the CREATE TABLE statement exactly as in the file's schema. */
export const tableSql = (table: QueryTable): string =>
  `CREATE TABLE ${table} (key INTEGER PRIMARY KEY, crc INTEGER NOT NULL, bytes BLOB NOT NULL)`

/** The columns of a row. Omits bytes that are too long, because many rows of a file may share pages. */
const COLUMNS = `key, crc, CASE WHEN length(bytes) <= ${MAX_ROW_BYTES} THEN bytes END AS bytes`

/** Returns the key of a row: the set number in the upper 32 bits, the row number in the lower. */
export const rowKey = (set: number, number: number): number => set * 2 ** 32 + number

/** Returns the CRC-32 of a row. It includes table and key, so that rows cannot be swapped. */
export const rowCrc = ({ table, key, bytes }: QueryRow): number => crc32(bytes, crc32(`${table}\t${key}\t`))

/** Computes the content digest from rows. Rows of a table must be in key order. */
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

/** The header of a set: its size, the entries that rank first, and its grams with their entry counts. */
export interface SetHead {
  count: number
  /** The ordinal of the CVE that each entry of `advisory` finds. Null for other sets. */
  cves: Uint32Array | null
  /** One bit per entry, lowest bit first. */
  first: Uint8Array
  grams: Uint32Array
  gramCounts: Uint32Array
}

export function encodeSetHead(name: TextSetName, { count, first, grams, gramCounts, cves }: SetHead): Buffer {
  return encodeTable({ about: { name, count }, columns: { first, grams, gramCounts, ...(cves ? { cves } : {}) } })
}

/** @throws SnapshotError `malformed` */
export function decodeSetHead(bytes: Uint8Array, name: TextSetName): SetHead {
  const table = decodeTable(bytes)
  const { count } = table.about
  const first = column(table, 'first', 'u8')
  const grams = column(table, 'grams', 'u32')
  const gramCounts = column(table, 'gramCounts', 'u32')
  const isCount = Number.isSafeInteger(count) && (count as number) >= 0 && (count as number) <= MAX_ENTRIES
  const cves = name === 'advisory' ? column(table, 'cves', 'u32') : null
  const areCves = cves === null || (cves.length === count && cves.every((cve, i) => i === 0 || cve >= cves[i - 1]!))
  const proper = isCount && first.length === Math.ceil((count as number) / 8) && areCves
  if (!proper || table.about.name !== name || grams.length !== gramCounts.length) {
    throw new SnapshotError('malformed', `the set ${name} of query.db is damaged`)
  }
  return { count: count as number, first, grams, gramCounts, cves }
}

/** The stored form of a row, unchecked: the file may contain other types. */
interface StoredRow {
  key: unknown
  crc: unknown
  bytes: unknown
}

/** @throws SnapshotError `malformed`, or `digest` when the row does not match its CRC */
export function checked(table: QueryTable, stored: StoredRow): QueryRow {
  const { key, crc, bytes } = stored
  if (typeof key !== 'number' || !(bytes instanceof Uint8Array)) {
    throw new SnapshotError('malformed', `query.db has an invalid row in ${table}`)
  }
  const row = { table, key, bytes }
  if (rowCrc(row) !== crc) throw new SnapshotError('digest', `row ${key} in ${table} of query.db is damaged`)
  return row
}

/** Converts SQLite errors to errors of the file, because queries only read rows by key. */
function asSnapshotError(cause: unknown): unknown {
  if (cause instanceof SnapshotError) return cause
  return new SnapshotError('malformed', 'query.db cannot be read', { cause })
}

export const missingRow = (table: QueryTable, key: number) =>
  new SnapshotError('missing', `row ${key} in ${table} of query.db is missing`)

export interface RowReader {
  /**
   * Returns the bytes of a required row.
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
    const get = (table: QueryTable, key: number) => {
      try {
        return statements.get(table)!.get(key)
      } catch (error) {
        throw asSnapshotError(error)
      }
    }
    return {
      read(table, set, number) {
        const key = rowKey(set, number)
        const stored = get(table, key)
        if (!stored) throw missingRow(table, key)
        return checked(table, { ...stored, key }).bytes
      },
    }
  } catch (error) {
    throw asSnapshotError(error)
  }
}

/**
 * Returns the content digest of a `query.db`, and the number of entries of its sets.
 * @throws SnapshotError when a row does not match its CRC
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
        // Prevents an endless loop: a forged file may link to a page several times.
        if (row.key <= last || left < 0) {
          throw new SnapshotError('malformed', `query.db has rows in ${table} that have the same position`)
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

function sizeOf(database: Database): number {
  const [pages, bytes] = [
    database.pragma('page_count', { simple: true }),
    database.pragma('page_size', { simple: true }),
  ]
  return (pages as number) * (bytes as number)
}
