/**
 * The schema of `query.db`, and its check in an untrusted file. A view instead of a table can run forever, and its thread
 * cannot be interrupted. SPEC.md, "Query".
 */
import { SnapshotError } from '../error.ts'

/** FTS5 indexes: words of CVEs; parts of ids and labels of CVEs, of packages, and of the other sets. */
export const INDEXES = ['words', 'cve_index', 'package_index', 'name_index'] as const
export type IndexName = (typeof INDEXES)[number]

/** Lengths of beginnings with lists of their own. For another beginning SQLite merges the lists of all tokens with it. */
const PREFIXES: Partial<Record<IndexName, string>> = { cve_index: '1 2', name_index: '1 2' }

/** The tokenizer only separates the tokens that `tokens.ts` writes. */
function indexSql(name: IndexName): string {
  const prefixes = PREFIXES[name] ? `prefix='${PREFIXES[name]}', ` : ''
  return `CREATE VIRTUAL TABLE ${name} USING fts5(tokens, content='', columnsize=0, detail=none, ${prefixes}tokenize="ascii tokenchars '=^+'")`
}

export const TABLES = {
  entries:
    'CREATE TABLE entries (n INTEGER PRIMARY KEY, leads INTEGER NOT NULL, text TEXT NOT NULL, id TEXT NOT NULL, key TEXT, label TEXT, subtitle TEXT NOT NULL)',
  advisories: 'CREATE TABLE advisories (id TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID',
} as const

/** The statements that create the schema, in order. */
export const SCHEMA: readonly string[] = [...INDEXES.map(indexSql), ...Object.values(TABLES)]

/** The rows of `sqlite_schema`, without the numbers of pages: type, name, table, SQL. VACUUM moves virtual tables back. */
const SCHEMA_ROWS: readonly (readonly string[])[] = [
  ...INDEXES.flatMap((name) => [
    row(`${name}_data`, `CREATE TABLE '${name}_data'(id INTEGER PRIMARY KEY, block BLOB)`),
    row(`${name}_idx`, `CREATE TABLE '${name}_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID`),
    row(`${name}_config`, `CREATE TABLE '${name}_config'(k PRIMARY KEY, v) WITHOUT ROWID`),
  ]),
  ...Object.entries(TABLES).map(([name, sql]) => row(name, sql)),
  ...INDEXES.map((name) => row(name, indexSql(name))),
]

function row(name: string, sql: string): readonly string[] {
  return ['table', name, name, sql]
}

/** Page size limits of SQLite, in bytes. */
const MIN_PAGE_BYTES = 512
export const MAX_PAGE_BYTES = 65_536

const MAGIC = 'SQLite format 3\0'
/** Offsets in the file header (https://sqlite.org/fileformat2.html, 1.3) and in its first page (1.6). */
const AT = { pageSize: 16, writeVersion: 18, readVersion: 19, pages: 28, encoding: 56, pageType: 100, cells: 103 }
const POINTERS_AT = 108
const ROLLBACK_JOURNAL = 1
const UTF_8 = 1
const TABLE_LEAF = 13

export interface PageCounts {
  /** In bytes. */
  pageSize: number
  pages: number
}

/**
 * Checks that the schema is that of `SCHEMA`. `bytes` begins with the file's first page. Does not use SQLite, which could
 * loop on a damaged schema and reads one of any length.
 * @throws SnapshotError `malformed`
 */
export function checkQuerySchema(bytes: Buffer): PageCounts {
  if (bytes.length < MIN_PAGE_BYTES || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC)
    refuse('it is not a database')
  // 65,536 does not fit into the field; SQLite writes 1.
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const stated = view.getUint16(AT.pageSize)
  const pageSize = stated === 1 ? MAX_PAGE_BYTES : stated
  if (pageSize < MIN_PAGE_BYTES) refuse('it is not a database')
  const page = bytes.subarray(0, pageSize)
  const isJournaled = page[AT.writeVersion] === ROLLBACK_JOURNAL && page[AT.readVersion] === ROLLBACK_JOURNAL
  // In WAL mode SQLite would write files next to it, even for a reader.
  if (!isJournaled) refuse('it is in WAL mode')
  const isPlain = view.getUint32(AT.encoding) === UTF_8 && page[AT.pageType] === TABLE_LEAF
  if (!isPlain || view.getUint16(AT.cells) !== SCHEMA_ROWS.length) refuse(OTHER_SCHEMA)
  for (const [i, expected] of SCHEMA_ROWS.entries()) {
    const texts = schemaTexts(page, view.getUint16(POINTERS_AT + 2 * i))
    if (texts.length !== expected.length || texts.some((text, n) => text !== expected[n])) refuse(OTHER_SCHEMA)
  }
  return { pageSize, pages: view.getUint32(AT.pages) }
}

const OTHER_SCHEMA = `it must have exactly the tables ${[...INDEXES, ...Object.keys(TABLES)].join(', ')}, and no views, triggers or indexes`

function refuse(why: string): never {
  throw new SnapshotError('malformed', `query.db is rejected: ${why}`)
}

/** Returns the texts of the `sqlite_schema` row at `at`: type, name, table and SQL. */
function schemaTexts(page: Buffer, at: number): string[] {
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
  const isWhole = types.length === 5 && types[ROOT_COLUMN]! in LENGTHS && end === start + payload && end <= page.length
  return isWhole ? texts : refuse(OTHER_SCHEMA)
}

const ROOT_COLUMN = 3

/** Lengths in bytes of the integer types (https://sqlite.org/fileformat2.html, 2.1). */
const LENGTHS: Readonly<Record<number, number>> = { 1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 8: 0, 9: 0 }
