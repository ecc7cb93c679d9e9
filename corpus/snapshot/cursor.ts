/**
 * A cursor: where a walk through a list stands, in which snapshot, under which sort and filters (rule 7). It is
 * opaque to clients and bound to nothing secret: a checksum tells only whether it arrived as it was issued.
 */
import { crc32 } from './crc32.ts'
import { sha256 } from './digest.ts'

/** The key of a row: the value it is sorted by, and its id. */
export interface RowKey {
  value: number | string | null
  id: string
}

export interface Cursor {
  list: string
  /** As the API writes it, `-published`. */
  sort: string
  /** `filtersHash` of the filters. */
  filters: string
  /** The first 16 characters of the snapshot's id. */
  snapshot: string
  /** When that snapshot was created, in ms since the epoch: tells an older one from one not loaded yet. */
  createdAt: number
  /** The last row that was handed out. */
  after: RowKey
}

const VERSION = 1
/** Bytes that a cursor keeps of a text key and of an id, as JSON: with the rest they stay below the bound. */
const MAX_KEPT_BYTES = 128
/** Behind the beginning of a long id. */
const ID_DIGEST_LENGTH = 16
export const MAX_CURSOR_LENGTH = 512
export const SNAPSHOT_PREFIX_LENGTH = 16

/** A short hash of filters: the length and the CRC of their canonical JSON. Like the checksum it keeps mistakes out, no more. */
export function filtersHash(filters: unknown): string {
  const text = JSON.stringify(filters)
  return `${text.length.toString(36)}.${crc32(text).toString(36)}`
}

/** A key as a cursor keeps it: a long text is cut off. */
export function cursorValue(value: RowKey['value']): RowKey['value'] {
  return typeof value === 'string' ? beginningOf(value, MAX_KEPT_BYTES) : value
}

/** An id as a cursor keeps it: of a long one the beginning, and a digest that tells it from others that begin so. */
export function cursorId(id: string): string {
  if (fits(id, MAX_KEPT_BYTES)) return id
  return `${beginningOf(id, MAX_KEPT_BYTES - ID_DIGEST_LENGTH)}${sha256(id).slice(0, ID_DIGEST_LENGTH)}`
}

const jsonBytes = (text: string) => Buffer.byteLength(JSON.stringify(text)) - '""'.length
const fits = (text: string, bytes: number) => text.length <= bytes && jsonBytes(text) <= bytes

function beginningOf(text: string, bytes: number): string {
  if (fits(text, bytes)) return text
  let beginning = ''
  let left = bytes
  for (const point of text) {
    left -= jsonBytes(point)
    if (left < 0) break
    beginning += point
  }
  return beginning
}

export function encodeCursor({ list, sort, filters, snapshot, createdAt, after }: Cursor): string {
  const fields = JSON.stringify([
    VERSION,
    list,
    sort,
    filters,
    snapshot,
    createdAt,
    cursorValue(after.value),
    cursorId(after.id),
  ])
  return Buffer.from(`${checksum(fields)}${fields}`).toString('base64url')
}

/** The cursor that `text` encodes, or null where no cursor was ever encoded so. */
export function decodeCursor(text: string): Cursor | null {
  if (text.length > MAX_CURSOR_LENGTH) return null
  const bytes = Buffer.from(text, 'base64url')
  const decoded = bytes.toString()
  const fields = decoded.slice(CHECKSUM_LENGTH)
  if (bytes.toString('base64url') !== text || checksum(fields) !== decoded.slice(0, CHECKSUM_LENGTH)) return null
  return read(fields)
}

const CHECKSUM_LENGTH = 8
const checksum = (fields: string) => crc32(fields).toString(16).padStart(CHECKSUM_LENGTH, '0')

function read(fields: string): Cursor | null {
  let parsed: unknown
  try {
    parsed = JSON.parse(fields)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
  if (!Array.isArray(parsed) || parsed.length !== 8 || parsed[0] !== VERSION) return null
  const [, list, sort, filters, snapshot, createdAt, value, id] = parsed as unknown[]
  if (!isText(list) || !isText(sort) || !isText(filters) || !isText(snapshot) || !isText(id)) return null
  if (!Number.isSafeInteger(createdAt)) return null
  if (value !== null && !isText(value) && typeof value !== 'number') return null
  return { list, sort, filters, snapshot, createdAt: createdAt as number, after: { value, id } }
}

const isText = (field: unknown): field is string => typeof field === 'string'
