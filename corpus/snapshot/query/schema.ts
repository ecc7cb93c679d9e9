/**
 * Checks the schema of an untrusted `query.db`. A view instead of a table can run forever, and its thread cannot be
 * interrupted. SPEC.md, "Query".
 */
import { SnapshotError } from '../error.ts'
import { QUERY_TABLES, type QueryTable, tableSql } from './rows.ts'

/** Page size limits of SQLite, in bytes. */
const MIN_PAGE_BYTES = 512
export const MAX_PAGE_BYTES = 65_536

const MAGIC = 'SQLite format 3\0'
/** Offsets in the file header (https://sqlite.org/fileformat2.html, 1.3) and in its first page (1.6). */
const AT = { pageSize: 16, writeVersion: 18, readVersion: 19, reserved: 20, encoding: 56, pageType: 100, cells: 103 }
const POINTERS_AT = 108
const ROLLBACK_JOURNAL = 1
const UTF_8 = 1
const TABLE_LEAF = 13

/** The pages of a file, in bytes, and the first page of each table, from 1. */
export interface QueryPages {
  pageSize: number
  /** Bytes of each page that are not reserved for extensions. */
  usable: number
  roots: Record<QueryTable, number>
}

/**
 * Checks that the schema has exactly the five tables. `bytes` begins with the file's first page. Does not use SQLite,
 * which could loop on a damaged schema and reads one of any length.
 * @throws SnapshotError `malformed`
 */
export function checkQuerySchema(bytes: Buffer): QueryPages {
  if (bytes.length < MIN_PAGE_BYTES || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC)
    refuse('it is not a database')
  // 65,536 does not fit into the field; SQLite writes 1.
  const stated = uint16(bytes, AT.pageSize)
  const pageSize = stated === 1 ? MAX_PAGE_BYTES : stated
  if (pageSize < MIN_PAGE_BYTES) refuse('it is not a database')
  const page = bytes.subarray(0, pageSize)
  const isJournaled = page[AT.writeVersion] === ROLLBACK_JOURNAL && page[AT.readVersion] === ROLLBACK_JOURNAL
  // In WAL mode SQLite would write files next to it, even for a reader.
  if (!isJournaled) refuse('it is in WAL mode')
  const isPlain = uint32(page, AT.encoding) === UTF_8 && page[AT.pageType] === TABLE_LEAF
  if (!isPlain || uint16(page, AT.cells) !== QUERY_TABLES.length) refuse(OTHER_SCHEMA)
  const roots = QUERY_TABLES.map((table, i) => {
    const { texts, root } = schemaRow(page, uint16(page, POINTERS_AT + 2 * i))
    const expected = ['table', table, table, tableSql(table)]
    if (texts.length !== expected.length || texts.some((text, n) => text !== expected[n])) refuse(OTHER_SCHEMA)
    return [table, root] as const
  })
  return {
    pageSize,
    usable: pageSize - page[AT.reserved]!,
    roots: Object.fromEntries(roots) as Record<QueryTable, number>,
  }
}

/** Numbers of SQLite are big-endian. The page has these bytes. */
export const uint16 = (page: Uint8Array, at: number): number => (page[at]! << 8) | page[at + 1]!
export const uint32 = (page: Uint8Array, at: number): number => uint16(page, at) * 0x10000 + uint16(page, at + 2)

const OTHER_SCHEMA = `it must have exactly the tables ${QUERY_TABLES.join(', ')}, and no views, triggers or indexes`

function refuse(why: string): never {
  throw new SnapshotError('malformed', `query.db is rejected: ${why}`)
}

/** Returns the texts of the `sqlite_schema` row at `at`: type, name, table and SQL; and the number of the root page. */
function schemaRow(page: Buffer, at: number): { texts: string[]; root: number } {
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
  let root = 0
  for (const [i, type] of types.entries()) {
    const length = LENGTHS[type] ?? (type - 13) / 2
    // Odd types from 13 on are texts.
    if (type >= 13 && type % 2 === 1) texts.push(page.toString('utf8', end, end + length))
    if (i === ROOT_COLUMN) for (const byte of page.subarray(end, end + length)) root = root * 0x100 + byte
    end += length
  }
  const isWhole = types.length === 5 && types[ROOT_COLUMN]! in LENGTHS && end === start + payload && end <= page.length
  return isWhole ? { texts, root } : refuse(OTHER_SCHEMA)
}

const ROOT_COLUMN = 3

/** Lengths in bytes of the integer types (https://sqlite.org/fileformat2.html, 2.1). */
const LENGTHS: Readonly<Record<number, number>> = { 1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 8: 0, 9: 0 }
