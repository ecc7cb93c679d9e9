/** Cursors of lists: issued behind the last row handed out, and taken up again (rule 7). */
import { decodeCursor, encodeCursor, filtersHash, type RowKey } from './cursor.ts'
import { type SortOrder, sortText } from './order.ts'

export type CursorErrorCode =
  | 'invalid' // it belongs to another list, sort or filters, or was never issued
  | 'newer' // its snapshot is newer than any that is open here

/** What is wrong with a cursor; the message says what it is, for whoever sent it. */
export class CursorError extends Error {
  override readonly name = 'CursorError'
  readonly code: CursorErrorCode

  constructor(code: CursorErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** What a cursor is bound to besides its snapshot. */
export interface CursorBinding {
  /** The list, as its path names it: `cves`, `cwes/cves`. */
  list: string
  sort: SortOrder
  /** Everything that chooses rows, in canonical form. */
  filters: unknown
}

/** What cursors know a snapshot by. */
export interface NamedSnapshot {
  /** The first characters of its id. */
  prefix: string
  /** In ms since the epoch. */
  createdAt: number
}

/** The cursor that goes on behind a row. */
export function cursorAfter(snapshot: NamedSnapshot, { list, sort, filters }: CursorBinding, after: RowKey): string {
  return encodeCursor({
    list,
    sort: sortText(sort),
    filters: filtersHash(filters),
    snapshot: snapshot.prefix,
    createdAt: snapshot.createdAt,
    after,
  })
}

const notIssued = () =>
  new CursorError('invalid', 'this cursor was not issued by this service; request the first page again')

/** The snapshots that are open. */
export interface Snapshots<S extends NamedSnapshot> {
  current: S
  retained(prefix: string): S | null
}

/**
 * Where a cursor goes on: in the snapshot it names while that is retained, else by its key in the current one; without
 * a cursor at the beginning of the current one. `isKey` tells whether the list could have issued a key.
 * @throws CursorError
 */
export function resume<S extends NamedSnapshot>(
  snapshots: Snapshots<S>,
  text: string | undefined,
  { list, sort, filters }: CursorBinding,
  isKey: (key: RowKey) => boolean,
): { snapshot: S; after: RowKey | null } {
  if (text === undefined) return { snapshot: snapshots.current, after: null }
  const cursor = decodeCursor(text)
  if (!cursor || (cursor.list === list && !isKey(cursor.after))) {
    throw notIssued()
  }
  if (cursor.list !== list) throw new CursorError('invalid', `this cursor belongs to another list, '${cursor.list}'`)
  if (cursor.sort !== sortText(sort)) {
    throw new CursorError(
      'invalid',
      `this cursor was issued under sort=${cursor.sort}; request the first page again with the new sort`,
    )
  }
  if (cursor.filters !== filtersHash(filters)) {
    throw new CursorError(
      'invalid',
      'this cursor was issued under other filters; request the first page again with the new ones',
    )
  }
  const snapshot = snapshots.retained(cursor.snapshot)
  if (snapshot) return { snapshot, after: cursor.after }
  if (cursor.createdAt > snapshots.current.createdAt) {
    if (cursor.createdAt > Date.now()) throw notIssued()
    throw new CursorError('newer', 'this cursor belongs to a newer snapshot, which is not loaded here yet')
  }
  return { snapshot: snapshots.current, after: cursor.after }
}
