/** Resumes from cursors in requests. An invalid cursor is a client error; a cursor of a newer snapshot is temporary. */
import {
  type CursorBinding,
  CursorError,
  type NamedSnapshot,
  type RowKey,
  resume as resumeAt,
  type Snapshots,
} from '../../corpus/snapshot/index.ts'
import { invalidCursor, unavailable } from '../http/errors.ts'

/** `Retry-After` for a snapshot that this gateway has not loaded yet, in seconds. */
const LOADING_SECONDS = 5

/** @throws ApiError `invalid_cursor`; `unavailable` if it names a snapshot newer than any loaded here */
export function resume<S extends NamedSnapshot>(
  snapshots: Snapshots<S>,
  text: string | undefined,
  binding: CursorBinding,
  isKey: (key: RowKey) => boolean,
): { snapshot: S; after: RowKey | null } {
  try {
    return resumeAt(snapshots, text, binding, isKey)
  } catch (error) {
    if (!(error instanceof CursorError)) throw error
    throw error.code === 'newer' ? unavailable(error.message, LOADING_SECONDS) : invalidCursor(error.message)
  }
}
