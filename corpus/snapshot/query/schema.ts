/**
 * Checks the schema of an untrusted `query.db`. A view instead of a table can run forever, and its thread cannot be
 * interrupted. SPEC.md, "Query".
 */
import { SnapshotError } from '../error.ts'
import { QUERY_TABLES, tableSql } from './rows.ts'

/** Page size limits of SQLite, in bytes. */
const MIN_PAGE_BYTES = 512
export const MAX_PAGE_BYTES = 65_536

const MAGIC = 'SQLite format 3\0'
/** Offsets in the file header (https://sqlite.org/fileformat2.html, 1.3) and in its first page (1.6). */
const AT = { pageSize: 16, writeVersion: 18, readVersion: 19, encoding: 56, pageType: 100, cells: 103, pointers: 108 }
const ROLLBACK_JOURNAL = 1
const UTF_8 = 1
const TABLE_LEAF = 13

/**
 * Checks that the schema has exactly the five tables. `bytes` begins with the file's first page. Does not use SQLite,
 * which could loop on a damaged schema and reads one of any length.
 * @throws SnapshotError `malformed`
 */
export function checkQuerySchema(bytes: Buffer): void {
  if (bytes.length < MIN_PAGE_BYTES || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC)
    refuse('it is not a database')
  // 65,536 does not fit into the field; SQLite writes 1.
  const pageSize = bytes.readUInt16BE(AT.pageSize) === 1 ? MAX_PAGE_BYTES : bytes.readUInt16BE(AT.pageSize)
  if (pageSize < MIN_PAGE_BYTES) refuse('it is not a database')
  const page = bytes.subarray(0, pageSize)
  const isJournaled = page[AT.writeVersion] === ROLLBACK_JOURNAL && page[AT.readVersion] === ROLLBACK_JOURNAL
  // In WAL mode SQLite would write files next to it, even for a reader.
  if (!isJournaled) refuse('it is in WAL mode')
  const isPlain = page.readUInt32BE(AT.encoding) === UTF_8 && page[AT.pageType] === TABLE_LEAF
  if (!isPlain || page.readUInt16BE(AT.cells) !== QUERY_TABLES.length) refuse(OTHER_SCHEMA)
  for (const [i, table] of QUERY_TABLES.entries()) {
    const row = schemaRow(page, page.readUInt16BE(AT.pointers + 2 * i))
    const expected = ['table', table, table, tableSql(table)]
    if (row.length !== expected.length || row.some((text, n) => text !== expected[n])) refuse(OTHER_SCHEMA)
  }
}

const OTHER_SCHEMA = `it must have exactly the tables ${QUERY_TABLES.join(', ')}, and no views, triggers or indexes`

function refuse(why: string): never {
  throw new SnapshotError('malformed', `query.db is rejected: ${why}`)
}

/**
 * Returns the texts of the `sqlite_schema` row at `at`: type, name, table and SQL. The other column is a page number.
 */
function schemaRow(page: Buffer, at: number): string[] {
  let end = at
  const varint = (): number => {
    let value = 0
    for (let i = 0; i < 4; i++) {
      const byte = page[end++] ?? refuse(OTHER_SCHEMA)
      value = value * 0x80 + (byte & 0x7f)
      if (byte < 0x80) return value
    }
    return refuse(OTHER_SCHEMA)
  }
  const payload = varint()
  varint() // rowid
  const start = end
  const headEnd = start + varint()
  const types: number[] = []
  while (end < headEnd) types.push(varint())
  if (end > headEnd) refuse(OTHER_SCHEMA)
  const texts: string[] = []
  for (const type of types) {
    const length = LENGTHS[type] ?? (type - 13) / 2
    // Odd types from 13 on are texts.
    if (type >= 13 && type % 2 === 1) texts.push(page.toString('utf8', end, end + length))
    end += length
  }
  const isWhole = types.length === 5 && types[3]! in LENGTHS && end === start + payload && end <= page.length
  return isWhole ? texts : refuse(OTHER_SCHEMA)
}

/** Lengths in bytes of the integer types (https://sqlite.org/fileformat2.html, 2.1). */
const LENGTHS: Readonly<Record<number, number>> = { 1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 8: 0, 9: 0 }
