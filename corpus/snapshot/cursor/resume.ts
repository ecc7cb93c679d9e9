/** Issues and resumes cursors of lists (rule 7). */
import { CodedError } from '../../errors/coded-error.ts'
import { decodeCursor, encodeCursor, filtersHash, type RowKey } from './cursor.ts'
import { type SortOrder, sortText } from './order.ts'

export type CursorErrorCode =
  | 'invalid' // it belongs to another list, sort or filters, or was never issued
  | 'newer' // its snapshot is newer than any open one

/** An invalid cursor. The message is for the client. */
export class CursorError extends CodedError<CursorErrorCode> {}

export interface CursorBinding {
  /** The list, as in its path: `cves`, `cwes/cves`. */
  list: string
  sort: SortOrder
  /** All parameters that select rows, in canonical form. */
  filters: unknown
}

export interface NamedSnapshot {
  prefix: string
  /** In ms since the epoch. */
  createdAt: number
}

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

const notIssued = () => new CursorError('invalid', 'this cursor is invalid; request the first page again')

/** The snapshots that are open. */
export interface Snapshots<S extends NamedSnapshot> {
  current: S
  retained(prefix: string): S | null
}

/**
 * Returns the position of a cursor: in its own snapshot while retained, otherwise by its key in the current one;
 * without a cursor, the beginning. `isKey` checks whether the list could have issued a key.
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
  if (cursor.list !== list)
    throw new CursorError(
      'invalid',
      `this cursor belongs to another list, '${cursor.list}'; request the first page again`,
    )
  if (cursor.sort !== sortText(sort)) {
    throw new CursorError(
      'invalid',
      `this cursor belongs to sort=${cursor.sort}; request the first page again with the new sort`,
    )
  }
  if (cursor.filters !== filtersHash(filters)) {
    throw new CursorError(
      'invalid',
      'this cursor belongs to other filters; request the first page again with the new filters',
    )
  }
  const snapshot = snapshots.retained(cursor.snapshot)
  if (snapshot) return { snapshot, after: cursor.after }
  if (cursor.createdAt > snapshots.current.createdAt) {
    if (cursor.createdAt > Date.now()) throw notIssued()
    throw new CursorError(
      'newer',
      'this cursor belongs to a newer snapshot that this gateway has not loaded; retry later',
    )
  }
  return { snapshot: snapshots.current, after: cursor.after }
}
