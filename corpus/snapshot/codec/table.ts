/**
 * A JSON header followed by named number columns of any lengths, with the same layout in memory and on disk. SPEC.md,
 * "Table".
 */
import { parseUntrustedJson } from '../../model/values/json-text.ts'
import { SnapshotError } from '../error.ts'
import { cutTexts, type TextOffsets } from './lazy-strings.ts'

const COLUMN_TYPES = {
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  f64: Float64Array,
} as const

export interface Columns {
  u8: Uint8Array
  u16: Uint16Array
  u32: Uint32Array
  f64: Float64Array
}
export type ColumnType = keyof Columns
export type Column<T extends ColumnType = ColumnType> = Columns[T]

export interface Table {
  about: Record<string, unknown>
  columns: Record<string, Column>
}

interface Header {
  about: Record<string, unknown>
  columns: { name: string; type: ColumnType; offset: number; length: number }[]
}

const MAGIC = 'VSTABLE1'
/** The length of the header precedes it. */
const HEADER_AT = MAGIC.length + 4
const ALIGN = 8

const aligned = (length: number) => Math.ceil(length / ALIGN) * ALIGN

function typeOf(column: Column): ColumnType {
  for (const [type, array] of Object.entries(COLUMN_TYPES)) if (column instanceof array) return type as ColumnType
  throw new TypeError('a column must be a typed array of a supported type')
}

/** Encodes a table. Columns keep the given order. */
export function encodeTable(table: Table): Buffer {
  let offset = 0
  const columns = Object.entries(table.columns).map(([name, column]) => {
    const located = { name, type: typeOf(column), offset, length: column.length }
    offset = aligned(offset + column.byteLength)
    return located
  })
  const header = Buffer.from(JSON.stringify({ about: table.about, columns } satisfies Header))
  const dataAt = aligned(HEADER_AT + header.length)
  const out = Buffer.alloc(dataAt + offset)
  out.write(MAGIC, 'latin1')
  out.writeUInt32LE(header.length, MAGIC.length)
  out.set(header, HEADER_AT)
  for (const { name, offset } of columns) {
    const column = table.columns[name]!
    out.set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength), dataAt + offset)
  }
  return out
}

/** A table with long text arrays left in the file; `about` has `{kept: <n>}` in their place. */
export interface TableWithoutTexts extends Table {
  kept: TextOffsets[]
}

/** Where the values of a column are in the bytes of its table. */
export interface LocatedColumn {
  type: ColumnType
  at: number
  /** Number of values. */
  length: number
}

/** The header of a table. Readers take its columns by position. */
export interface TableHeader {
  about: Record<string, unknown>
  columns: ReadonlyMap<string, LocatedColumn>
}

/**
 * Locates the columns of a table by its first bytes. Returns the number of bytes that it requires if there are fewer.
 * @throws SnapshotError `malformed`
 */
export function locateColumns(bytes: Uint8Array): TableHeader | number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = headerEndOf(buffer)
  if (end > buffer.length) return end
  const { about, columns } = parseHeader(buffer.toString('utf8', HEADER_AT, end))
  const located = columns.map(({ name, type, offset, length }) => {
    if (!isCount(offset) || !isCount(length))
      throw new SnapshotError('malformed', `column ${name} is outside its table`)
    return [name, { type, at: aligned(end) + offset, length }] as const
  })
  return { about, columns: new Map(located) }
}

/** @throws SnapshotError `malformed` */
function headerEndOf(bytes: Buffer): number {
  if (bytes.length < HEADER_AT || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    throw new SnapshotError('malformed', 'not a table')
  }
  return HEADER_AT + bytes.readUInt32LE(MAGIC.length)
}

/**
 * Decodes a table, but leaves arrays of at least `least` texts in the file. Then the columns do not retain `bytes`.
 * @throws SnapshotError `malformed`
 */
export function decodeWithoutTexts(bytes: Uint8Array, least: number): TableWithoutTexts {
  let kept: TextOffsets[] = []
  const { about, columns } = decode(bytes, (header, at) => {
    const cut = cutTexts(header, at, least)
    kept = cut.kept
    return cut.rest
  })
  if (kept.length === 0) return { about, columns, kept }
  const own = Object.entries(columns).map(([name, column]) => [name, column.slice()] as const)
  return { about, columns: Object.fromEntries(own), kept }
}

/**
 * Decodes a table. The columns are views of `bytes`, which must not change afterwards.
 * @throws SnapshotError `malformed`
 */
export function decodeTable(bytes: Uint8Array): Table {
  return decode(bytes, (header) => header.toString())
}

function decode(bytes: Uint8Array, textOf: (header: Buffer, at: number) => string): Table {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const headerEnd = headerEndOf(buffer)
  const header = parseHeader(textOf(buffer.subarray(HEADER_AT, headerEnd), HEADER_AT))
  const data = buffer.subarray(aligned(headerEnd))
  const columns: Record<string, Column> = {}
  let left = data.length
  for (const { name, type, offset, length } of header.columns) {
    const array = COLUMN_TYPES[type]
    const byteLength = length * array.BYTES_PER_ELEMENT
    if (!isCount(offset) || !isCount(length) || offset + byteLength > data.length) {
      throw new SnapshotError('malformed', `column ${name} is outside its table`)
    }
    // Unaligned columns are copied. Overlapping columns could multiply the memory of the table.
    left -= byteLength
    if (left < 0) throw new SnapshotError('malformed', `column ${name} overlaps another one`)
    const at = data.byteOffset + offset
    columns[name] =
      at % array.BYTES_PER_ELEMENT === 0
        ? new array(data.buffer as ArrayBuffer, at, length)
        : new array(data.buffer.slice(at, at + byteLength) as ArrayBuffer)
  }
  return { about: header.about, columns }
}

/**
 * Returns a required column.
 * @throws SnapshotError `malformed` when it is missing or of another type
 */
export function column<T extends ColumnType>(table: Table, name: string, type: T): Column<T> {
  const found = table.columns[name]
  if (!(found instanceof COLUMN_TYPES[type])) {
    throw new SnapshotError('malformed', `the table has no ${type} column ${name}`)
  }
  return found as Column<T>
}

const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0

function parseHeader(text: string): Header {
  let header: unknown
  try {
    header = parseUntrustedJson(text)
  } catch (cause) {
    throw new SnapshotError('malformed', 'the header of a table is not JSON', { cause })
  }
  const { about, columns } = (header ?? {}) as Partial<Header>
  if (typeof about !== 'object' || about === null || !Array.isArray(columns)) {
    throw new SnapshotError('malformed', 'the header of a table lacks `about` or `columns`')
  }
  for (const column of columns) {
    if (typeof column?.name !== 'string' || !Object.hasOwn(COLUMN_TYPES, column.type)) {
      throw new SnapshotError('malformed', 'the header of a table lists a column that it does not describe')
    }
  }
  return { about, columns }
}
