/** Cursors as requests bring them: what is wrong with one is the client's fault, or a matter of time. */
import type { RowKey } from '../../corpus/snapshot/cursor.ts'
import {
  type CursorBinding,
  CursorError,
  type NamedSnapshot,
  resume as resumeAt,
  type Snapshots,
} from '../../corpus/snapshot/resume.ts'
import { invalidCursor, unavailable } from '../errors.ts'

/** How long a client is asked to wait for a snapshot that this gateway has not loaded yet, in seconds. */
const LOADING_SECONDS = 5

/**
 * Where a cursor goes on, among the snapshots that are open.
 * @throws ApiError `invalid_cursor`, or `unavailable` when it names a snapshot newer than any loaded here
 */
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
