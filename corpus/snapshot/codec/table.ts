/**
 * A JSON header, followed by named number columns in blocks, each with a CRC: a reader takes the whole table, or the
 * blocks that it needs. SPEC.md, "Table".
 */
import { parseUntrustedJson } from '../../model/values/json-text.ts'
import { crc32 } from '../../runtime/crc32.ts'
import { sha256 } from '../../runtime/digest.ts'
import { SnapshotError } from '../error.ts'

const COLUMN_TYPES = {
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  f64: Float64Array,
} as const

export interface ColumnTypes {
  u8: Uint8Array
  u16: Uint16Array
  u32: Uint32Array
  f64: Float64Array
}
export type ColumnType = keyof ColumnTypes
export type Column<T extends ColumnType = ColumnType> = ColumnTypes[T]

export interface Table {
  about: Record<string, unknown>
  columns: Record<string, Column>
  /** A column without a cut is one block. */
  cuts?: readonly Cut[]
}

/** Columns that are cut into blocks at the same rows. Each has the same number of values for every row. */
export interface Cut {
  columns: readonly string[]
  /** Number of rows of each block. */
  rows: readonly number[]
}

/** A byte range. */
export interface Span {
  at: number
  length: number
}

/** Columns that are cut together, as the header states them. */
interface Part {
  rows: number[]
  columns: PartColumn[]
}

interface PartColumn {
  name: string
  type: ColumnType
  /** Number of values of a row. */
  perRow: number
}

interface Header {
  about: Record<string, unknown>
  parts: Part[]
}

const MAGIC = 'VSTABLE1'
/** The length of the header precedes it. */
const HEADER_AT = MAGIC.length + 4
const ALIGN = 8
/** The CRC-32 of a block, and zeros. */
const BLOCK_HEAD = 8

const aligned = (length: number) => Math.ceil(length / ALIGN) * ALIGN

function typeOf(column: Column): ColumnType {
  for (const [type, array] of Object.entries(COLUMN_TYPES)) if (column instanceof array) return type as ColumnType
  throw new TypeError('a column must be a typed array of a supported type')
}

const bytesPerRow = ({ type, perRow }: PartColumn) => COLUMN_TYPES[type].BYTES_PER_ELEMENT * perRow

/** Returns the parts of a table, in the order of their first columns. */
function partsOf({ columns, cuts = [] }: Table): Part[] {
  const parts = new Map<Cut | string, Part>()
  for (const [name, column] of Object.entries(columns)) {
    const cut = cuts.find((one) => one.columns.includes(name))
    const rows = cut ? [...cut.rows] : [column.length]
    const count = rows.reduce((sum, one) => sum + one, 0)
    const perRow = cut && count > 0 ? column.length / count : 1
    const part = parts.get(cut ?? name) ?? { rows, columns: [] }
    part.columns.push({ name, type: typeOf(column), perRow })
    parts.set(cut ?? name, part)
  }
  return [...parts.values()]
}

/** Encodes a table. */
export function encodeTable(table: Table): Buffer {
  const parts = partsOf(table)
  const header = Buffer.from(JSON.stringify({ about: table.about, parts } satisfies Header))
  const located = locate({ about: table.about, parts }, header, HEADER_AT + header.length)
  const out = Buffer.alloc(located.end)
  out.write(MAGIC, 'latin1')
  out.writeUInt32LE(header.length, MAGIC.length)
  out.set(header, HEADER_AT)
  located.parts.forEach((part, number) => {
    let row = 0
    part.rows.forEach((rows, block) => {
      let at = part.starts[block]! + BLOCK_HEAD
      for (const column of part.columns) {
        const values = table.columns[column.name]!
        const from = values.byteOffset + row * bytesPerRow(column)
        out.set(new Uint8Array(values.buffer, from, rows * bytesPerRow(column)), at)
        at += aligned(rows * bytesPerRow(column))
      }
      row += rows
      const content = out.subarray(part.starts[block]! + BLOCK_HEAD, part.starts[block + 1])
      out.writeUInt32LE(crcOf(located, number, block, content), part.starts[block])
    })
  })
  return out
}

/** The CRC also covers the header and the position, because a reader of a block has no digest of them. */
const crcOf = ({ crc }: Pick<TableHeader, 'crc'>, part: number, block: number, content: Uint8Array): number =>
  crc32(content, crc32(`${part} ${block}\t`, crc))

/** Columns whose values depend on the compressor. */
const POSITIONS = ['at', 'length', 'coreSegments', 'pagesAt', 'entryAt', 'entryLength']
const isPosition = (name: string) => POSITIONS.includes(name.slice(name.lastIndexOf('.') + 1))

/** Returns the content digest of a table, which excludes positions of compressed bytes. */
export function tableContent({ about, columns, cuts = [] }: Table): string {
  const content = Object.entries(columns).filter(([name]) => !isPosition(name))
  return sha256(encodeTable({ about, columns: Object.fromEntries(content), cuts }))
}

interface LocatedPart extends Part {
  /** Position of each block in the table, and the end of the last one. */
  starts: number[]
}

/** The header of a table. Readers take its blocks by position. */
export interface TableHeader {
  about: Record<string, unknown>
  parts: readonly LocatedPart[]
  /** CRC-32 of the header. */
  crc: number
  /** Length of the table. */
  end: number
}

function locate({ about, parts }: Header, bytes: Uint8Array, headerEnd: number): TableHeader {
  let at = aligned(headerEnd)
  const located = parts.map((part) => {
    const starts = [at]
    for (const rows of part.rows) {
      at += BLOCK_HEAD
      for (const column of part.columns) at += aligned(rows * bytesPerRow(column))
      starts.push(at)
    }
    return { ...part, starts }
  })
  return { about, parts: located, crc: crc32(bytes), end: at }
}

/**
 * Locates the blocks of a table by its first bytes. Returns the number of bytes that it requires if there are fewer.
 * @throws SnapshotError `malformed`
 */
export function locateTable(bytes: Uint8Array): TableHeader | number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (buffer.length < HEADER_AT || buffer.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    throw new SnapshotError('malformed', 'not a table')
  }
  const end = HEADER_AT + buffer.readUInt32LE(MAGIC.length)
  if (end > buffer.length) return end
  const header = buffer.subarray(HEADER_AT, end)
  return locate(parseHeader(header.toString()), header, end)
}

/** Returns the part that contains a column. @throws SnapshotError `malformed` */
function partOf({ parts }: TableHeader, name: string): { part: LocatedPart; number: number } {
  const number = parts.findIndex(({ columns }) => columns.some((column) => column.name === name))
  if (number < 0) throw new SnapshotError('malformed', `the table has no column ${name}`)
  return { part: parts[number]!, number }
}

/**
 * Returns the number of rows of each block of a column.
 * @throws SnapshotError `malformed`
 */
export const blockRows = (header: TableHeader, name: string): readonly number[] => partOf(header, name).part.rows

/**
 * Returns the byte range of a block of a column and those that are cut with it.
 * @throws SnapshotError `malformed`
 */
export function blockSpan(header: TableHeader, name: string, block: number): Span {
  const { starts } = partOf(header, name).part
  const [at, end] = [starts[block], starts[block + 1]]
  if (at === undefined || end === undefined)
    throw new SnapshotError('malformed', `column ${name} has no block ${block}`)
  return { at, length: end - at }
}

/**
 * Returns the byte range of all blocks of a column and those that are cut with it.
 * @throws SnapshotError `malformed`
 */
export function partSpan(header: TableHeader, name: string): Span {
  const { starts } = partOf(header, name).part
  return { at: starts[0]!, length: starts.at(-1)! - starts[0]! }
}

/**
 * Returns the byte range of `count` values of a column in one block. No CRC covers it.
 * @throws SnapshotError `malformed` if the table has no such values
 */
export function valuesSpan(header: TableHeader, name: string, first: number, count: number): Span {
  const { part } = partOf(header, name)
  const [column, ...others] = part.columns
  const size = COLUMN_TYPES[column!.type].BYTES_PER_ELEMENT
  if (others.length > 0 || part.rows.length !== 1 || first + count > part.rows[0]!) {
    throw new SnapshotError('malformed', `column ${name} has no ${count} values at ${first}`)
  }
  return { at: part.starts[0]! + BLOCK_HEAD + first * size, length: count * size }
}

/**
 * Decodes a block from the bytes of its span. Copies them.
 * @throws SnapshotError `digest` when they are damaged, else `malformed`
 */
export function decodeBlock(header: TableHeader, name: string, block: number, bytes: Uint8Array): Table {
  const { part, number } = partOf(header, name)
  const content = checkedContent(header, number, block, bytes)
  return { about: header.about, columns: columnsIn({ ...part, rows: [part.rows[block]!] }, [content.slice()]) }
}

/**
 * Decodes all blocks of a part from the bytes of its span. Copies them.
 * @throws SnapshotError `digest` when they are damaged, else `malformed`
 */
export function decodePart(header: TableHeader, name: string, bytes: Uint8Array): Table {
  const { part, number } = partOf(header, name)
  const first = part.starts[0]!
  const contents = part.rows.map((_, block) => {
    const stored = bytes.subarray(part.starts[block]! - first, part.starts[block + 1]! - first)
    return checkedContent(header, number, block, stored)
  })
  return { about: header.about, columns: columnsIn(part, contents.length === 1 ? [contents[0]!.slice()] : contents) }
}

function checkedContent(header: TableHeader, part: number, block: number, bytes: Uint8Array): Uint8Array {
  const content = bytes.subarray(BLOCK_HEAD)
  const crc = bytes.length < BLOCK_HEAD ? null : new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true)
  if (crc === crcOf(header, part, block, content)) return content
  throw new SnapshotError('digest', 'a block of a table is damaged')
}

/** Returns the columns of blocks. Those of one block are views of it if they are aligned. */
function columnsIn({ rows, columns }: Part, contents: readonly Uint8Array[]): Record<string, Column> {
  const count = rows.reduce((sum, one) => sum + one, 0)
  const froms = contents.map(() => 0)
  const found: Record<string, Column> = {}
  for (const column of columns) {
    const array = COLUMN_TYPES[column.type]
    const parts = contents.map((content, block) => {
      const length = rows[block]! * bytesPerRow(column)
      const part = content.subarray(froms[block]!, froms[block]! + length)
      froms[block]! += aligned(length)
      return part
    })
    const [only] = parts
    if (parts.length === 1 && only!.byteOffset % array.BYTES_PER_ELEMENT === 0) {
      found[column.name] = new array(only!.buffer as ArrayBuffer, only!.byteOffset, rows[0]! * column.perRow)
      continue
    }
    const bytes = new Uint8Array(count * bytesPerRow(column))
    let at = 0
    for (const part of parts) {
      bytes.set(part, at)
      at += part.length
    }
    found[column.name] = new array(bytes.buffer)
  }
  return found
}

export interface DecodedTable extends Required<Table> {
  header: TableHeader
}

/**
 * Decodes a table whose digest was checked. Columns of one block are views of `bytes`, which must not change afterwards.
 * @throws SnapshotError `malformed`
 */
export function decodeTable(bytes: Uint8Array): DecodedTable {
  const header = locateTable(bytes)
  if (typeof header === 'number' || header.end !== bytes.length) {
    throw new SnapshotError('malformed', 'a table has another length than its header states')
  }
  const { about, parts } = header
  const columns: Record<string, Column> = {}
  for (const part of parts) {
    const contents = part.rows.map((_, block) =>
      bytes.subarray(part.starts[block]! + BLOCK_HEAD, part.starts[block + 1]),
    )
    Object.assign(columns, columnsIn(part, contents))
  }
  const cuts = parts
    .filter((part) => part.columns.length > 1 || part.rows.length !== 1)
    .map(({ rows, columns: cut }) => ({ rows, columns: cut.map(({ name }) => name) }))
  return { about, columns, cuts, header }
}

/**
 * Returns a required column.
 * @throws SnapshotError `malformed` when it is missing or of another type
 */
export function column<T extends ColumnType>({ columns }: Pick<Table, 'columns'>, name: string, type: T): Column<T> {
  const found = columns[name]
  if (!(found instanceof COLUMN_TYPES[type])) {
    throw new SnapshotError('malformed', `the table has no ${type} column ${name}`)
  }
  return found as Column<T>
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

function parseHeader(text: string): Header {
  let header: unknown
  try {
    header = parseUntrustedJson(text)
  } catch (cause) {
    throw new SnapshotError('malformed', 'the header of a table is not JSON', { cause })
  }
  const { about, parts } = (header ?? {}) as Partial<Header>
  if (typeof about !== 'object' || about === null || !Array.isArray(parts)) {
    throw new SnapshotError('malformed', 'the header of a table lacks `about` or `parts`')
  }
  if (!parts.every(isPart)) throw new SnapshotError('malformed', 'the header of a table has a damaged part')
  const names = parts.flatMap(({ columns }) => columns.map(({ name }) => name))
  if (new Set(names).size !== names.length) throw new SnapshotError('malformed', 'a table has two columns of one name')
  return { about, parts }
}

function isPart(part: Partial<Part> | null): part is Part {
  const { rows, columns } = part ?? {}
  if (!Array.isArray(rows) || !Array.isArray(columns) || columns.length === 0) return false
  const areColumns = columns.every(
    (column) =>
      typeof column?.name === 'string' &&
      Object.hasOwn(COLUMN_TYPES, column.type) &&
      isCount(column.perRow) &&
      column.perRow > 0,
  )
  return areColumns && rows.every(isCount)
}
