/**
 * A position in a list, with snapshot, sort and filters (rule 7). Opaque to clients, but not secret: the checksum only
 * detects accidental changes.
 */
import { CodedError } from '../../errors/coded-error.ts'
import { crc32 } from '../../runtime/crc32.ts'
import { sha256 } from '../../runtime/digest.ts'
import { type SortOrder, sortText } from './order.ts'

/** The sort value and the id of a row. */
export interface RowKey {
  value: number | string | null
  id: string
}

export interface Cursor {
  list: string
  /** As the API writes it: `-published`. */
  sort: string
  filters: string
  /** The first 16 characters of the snapshot id. */
  snapshot: string
  /** Whether the request names the snapshot, so that the cursor continues in no other one. */
  isPinned: boolean
  /** Creation time, in ms since the epoch. Distinguishes an expired snapshot from one not loaded yet. */
  createdAt: number
  after: RowKey
}

const VERSION = 1
/** Maximum bytes of a text key and of an id, as JSON. Keeps the cursor below `MAX_CURSOR_LENGTH`. */
const MAX_KEPT_BYTES = 128
/** Length of the digest appended to a shortened id. */
const ID_DIGEST_LENGTH = 16
export const MAX_CURSOR_LENGTH = 512
export const SNAPSHOT_PREFIX_LENGTH = 16

/**
 * Returns a short hash of filters: length and CRC of their canonical JSON. It detects mistakes only, like the checksum.
 */
export function filtersHash(filters: unknown): string {
  const text = JSON.stringify(filters)
  return `${text.length.toString(36)}.${crc32(text).toString(36)}`
}

/** Returns a key as the cursor stores it: a long text is truncated. */
export function cursorValue(value: RowKey['value']): RowKey['value'] {
  return typeof value === 'string' ? beginningOf(value, MAX_KEPT_BYTES) : value
}

/** Returns an id as the cursor stores it. A long id is truncated, with a digest suffix that keeps it unique. */
export function cursorId(id: string): string {
  if (fits(id, MAX_KEPT_BYTES)) return id
  return `${beginningOf(id, MAX_KEPT_BYTES - ID_DIGEST_LENGTH)}${sha256(id).slice(0, ID_DIGEST_LENGTH)}`
}

const jsonBytes = (text: string) => Buffer.byteLength(JSON.stringify(text)) - '""'.length
/** JSON takes at most this many bytes for a UTF-16 unit: `\u0000`. */
const JSON_BYTES_PER_UNIT = 6
const fits = (text: string, bytes: number) =>
  text.length * JSON_BYTES_PER_UNIT <= bytes || (text.length <= bytes && jsonBytes(text) <= bytes)

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

export function encodeCursor({ list, sort, filters, snapshot, isPinned, createdAt, after }: Cursor): string {
  const fields = JSON.stringify([
    VERSION,
    list,
    sort,
    filters,
    snapshot,
    Number(isPinned),
    createdAt,
    cursorValue(after.value),
    cursorId(after.id),
  ])
  return Buffer.from(`${checksum(fields)}${fields}`).toString('base64url')
}

/** Returns the decoded cursor, or null when `text` is not a valid cursor. */
export function decodeCursor(text: string): Cursor | null {
  if (text.length > MAX_CURSOR_LENGTH) return null
  const bytes = Buffer.from(text, 'base64url')
  const decoded = bytes.toString()
  const fields = decoded.slice(CHECKSUM_LENGTH)
  if (bytes.toString('base64url') !== text || checksum(fields) !== decoded.slice(0, CHECKSUM_LENGTH)) return null
  return read(fields)
}

const CHECKSUM_LENGTH = 8

const checksum = (fields: string): string => crc32(fields).toString(16).padStart(CHECKSUM_LENGTH, '0')

function read(fields: string): Cursor | null {
  let parsed: unknown
  try {
    parsed = JSON.parse(fields)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
  if (!Array.isArray(parsed) || parsed.length !== 9 || parsed[0] !== VERSION) return null
  const [, list, sort, filters, snapshot, pinned, createdAt, value, id] = parsed as unknown[]
  if (!isText(list) || !isText(sort) || !isText(filters) || !isText(snapshot) || !isText(id)) return null
  if (!Number.isSafeInteger(createdAt) || (pinned !== 0 && pinned !== 1)) return null
  if (value !== null && !isText(value) && typeof value !== 'number') return null
  const isPinned = pinned === 1
  return { list, sort, filters, snapshot, isPinned, createdAt: createdAt as number, after: { value, id } }
}

const isText = (field: unknown): field is string => typeof field === 'string'

export type CursorErrorCode =
  | 'invalid' // it belongs to another list, sort or filters, or was never issued
  | 'newer' // its snapshot is newer than any open one

/** An invalid cursor. The message is for the client. */
export class CursorError extends CodedError<CursorErrorCode> {}

/** The request that a cursor continues must have the same values. */
export type CursorBinding = Pick<Cursor, 'list' | 'sort' | 'filters' | 'isPinned'>

/**
 * Returns the binding of a request. `list` is as in its path: `cves`, `cwes/cves`. `filters` are all parameters that
 * select rows, in canonical form.
 */
export const cursorBinding = (
  list: string,
  sort: SortOrder,
  filters: unknown,
  { isPinned = false }: { isPinned?: boolean } = {},
): CursorBinding => ({
  list,
  sort: sortText(sort),
  filters: filtersHash(filters),
  isPinned,
})

export interface NamedSnapshot {
  prefix: string
  /** In ms since the epoch. */
  createdAt: number
}

export const cursorAfter = (
  { prefix: snapshot, createdAt }: NamedSnapshot,
  { list, sort, filters, isPinned }: CursorBinding,
  after: RowKey,
): string => encodeCursor({ list, sort, filters, snapshot, isPinned, createdAt, after })

const notIssued = () => new CursorError('invalid', 'this cursor is invalid; request the first page again')

/** The snapshots that are open. */
export interface Snapshots<S extends NamedSnapshot> {
  current: S
  retained(prefix: string): S | null
  /** Whether the request names the current one. */
  isPinned?: boolean
}

/** Returns the snapshots of a request that only one may answer. */
export const onlySnapshot = <S extends NamedSnapshot>(current: S, isPinned: boolean): Snapshots<S> => ({
  current,
  retained: (prefix) => (prefix === current.prefix ? current : null),
  isPinned,
})

/**
 * Returns the position of a cursor: in its own snapshot while retained, otherwise by its key in the current one;
 * without a cursor, the beginning. `isKey` checks whether the list could have issued a key.
 * @throws CursorError
 */
export function resume<S extends NamedSnapshot>(
  snapshots: Snapshots<S>,
  text: string | undefined,
  { list, sort, filters, isPinned }: CursorBinding,
  isKey: (key: RowKey) => boolean,
): { snapshot: S; after: RowKey | null } {
  if (text === undefined) return { snapshot: snapshots.current, after: null }
  const cursor = decodeCursor(text)
  if (!cursor || (cursor.list === list && !isKey(cursor.after))) {
    throw notIssued()
  }
  if (cursor.list !== list)
    throw new CursorError(
      'invalid',
      `this cursor belongs to another list, '${cursor.list}'; request the first page again`,
    )
  if (cursor.sort !== sort) {
    throw new CursorError(
      'invalid',
      `this cursor belongs to sort=${cursor.sort}; request the first page again with the new sort`,
    )
  }
  if (cursor.filters !== filters) {
    throw new CursorError(
      'invalid',
      'this cursor belongs to other filters; request the first page again with the new filters',
    )
  }
  if (cursor.isPinned !== isPinned) {
    const remedy = isPinned
      ? "request the first page again with 'snapshot'"
      : "send the same 'snapshot' with it, or request the first page again"
    throw new CursorError(
      'invalid',
      `this cursor belongs to a walk ${isPinned ? 'without' : 'with'} 'snapshot'; ${remedy}`,
    )
  }
  const snapshot = snapshots.retained(cursor.snapshot)
  if (snapshot) return { snapshot, after: cursor.after }
  if (isPinned) {
    throw new CursorError('invalid', "this cursor belongs to another 'snapshot'; request the first page again")
  }
  if (cursor.createdAt > snapshots.current.createdAt) {
    if (cursor.createdAt > Date.now()) throw notIssued()
    throw new CursorError(
      'newer',
      'this cursor belongs to a newer snapshot that this gateway has not loaded; retry later',
    )
  }
  return { snapshot: snapshots.current, after: cursor.after }
}
