/** Cursors of lists: issued behind the last row handed out, and taken up again (decisions 7). */
import { decodeCursor, encodeCursor, filtersHash, type RowKey } from '../../corpus/snapshot/cursor.ts'
import { type SortOrder, sortText } from '../../corpus/snapshot/order.ts'
import { invalidCursor, unavailable } from '../errors.ts'
import type { OpenSnapshot } from '../shelf/open-snapshot.ts'

/** What a cursor is bound to besides its snapshot. */
export interface CursorBinding {
  /** The list, as its path names it: `cves`, `cwes/cves`. */
  list: string
  sort: SortOrder
  /** Everything that chooses rows, in canonical form. */
  filters: unknown
}

/** The cursor that goes on behind a row. */
export function cursorAfter(snapshot: OpenSnapshot, { list, sort, filters }: CursorBinding, after: RowKey): string {
  return encodeCursor({
    list,
    sort: sortText(sort),
    filters: filtersHash(filters),
    snapshot: snapshot.prefix,
    createdAt: snapshot.createdAt,
    after,
  })
}

/** The snapshots a gateway has open. */
export interface Snapshots<S extends OpenSnapshot> {
  current: S
  retained(prefix: string): S | null
}

/** How long a client is asked to wait for a snapshot that this gateway has not loaded yet, in seconds. */
const LOADING_SECONDS = 5

/**
 * Where a cursor goes on: in the snapshot it names while that is retained, else by its key in the current one; without
 * a cursor at the beginning of the current one. `isKey` tells whether the list could have issued a key.
 * @throws ApiError `invalid_cursor`, or `unavailable` when it names a snapshot newer than any loaded here
 */
export function resume<S extends OpenSnapshot>(
  snapshots: Snapshots<S>,
  text: string | undefined,
  { list, sort, filters }: CursorBinding,
  isKey: (key: RowKey) => boolean,
): { snapshot: S; after: RowKey | null } {
  if (text === undefined) return { snapshot: snapshots.current, after: null }
  const cursor = decodeCursor(text)
  if (!cursor || (cursor.list === list && !isKey(cursor.after))) {
    throw invalidCursor('this cursor was not issued by this service; request the first page again')
  }
  if (cursor.list !== list) throw invalidCursor(`this cursor belongs to another list, '${cursor.list}'`)
  if (cursor.sort !== sortText(sort)) {
    throw invalidCursor(
      `this cursor was issued under sort=${cursor.sort}; request the first page again with the new sort`,
    )
  }
  if (cursor.filters !== filtersHash(filters)) {
    throw invalidCursor('this cursor was issued under other filters; request the first page again with the new ones')
  }
  const snapshot = snapshots.retained(cursor.snapshot)
  if (snapshot) return { snapshot, after: cursor.after }
  if (cursor.createdAt > snapshots.current.createdAt) {
    throw unavailable('this cursor belongs to a newer snapshot, which is not loaded here yet', LOADING_SECONDS)
  }
  return { snapshot: snapshots.current, after: cursor.after }
}
