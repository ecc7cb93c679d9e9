/**
 * A cursor: where a walk through a list stands, in which snapshot, under which sort and filters (decisions 7). It is
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
/** Characters of a text key that a cursor keeps. */
const MAX_TEXT_KEY = 64
export const MAX_CURSOR_LENGTH = 512
export const SNAPSHOT_PREFIX_LENGTH = 16

/** A short hash of filters: of their canonical JSON. */
export function filtersHash(filters: unknown): string {
  return sha256(JSON.stringify(filters)).slice(0, 12)
}

/** A key as a cursor keeps it: a long text is cut off. */
export function cursorValue(value: RowKey['value']): RowKey['value'] {
  return typeof value === 'string' ? value.slice(0, MAX_TEXT_KEY).toWellFormed() : value
}

export function encodeCursor({ list, sort, filters, snapshot, createdAt, after }: Cursor): string {
  const fields = JSON.stringify([VERSION, list, sort, filters, snapshot, createdAt, cursorValue(after.value), after.id])
  return Buffer.from(`${checksum(fields)}${fields}`).toString('base64url')
}

/** The cursor that `text` encodes, or null where no cursor was ever encoded so. */
export function decodeCursor(text: string): Cursor | null {
  if (text.length > MAX_CURSOR_LENGTH || !/^[\w-]+$/.test(text)) return null
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
  const isText = (field: unknown): field is string => typeof field === 'string'
  if (!isText(list) || !isText(sort) || !isText(filters) || !isText(snapshot) || !isText(id)) return null
  if (!Number.isSafeInteger(createdAt)) return null
  if (value !== null && !isText(value) && typeof value !== 'number') return null
  return { list, sort, filters, snapshot, createdAt: createdAt as number, after: { value, id } }
}
