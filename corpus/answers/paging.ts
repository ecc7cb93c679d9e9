/** Common parts of all paged lists: parameters, and the steps from a request to a page. */
import type { ChangeDays } from '../model/epss/changes.ts'
import type { Steps } from '../runtime/steps.ts'
import {
  type CursorBinding,
  CursorError,
  type CveFilters,
  type CveSortOrder,
  cursorBinding,
  isCveKey,
  type ListFilters,
  type ListName,
  type NamedSnapshot,
  type RowKey,
  resume as resumeAt,
  type SnapshotData,
  type Snapshots,
  type SortOrder,
  type TextSetName,
} from '../snapshot/index.ts'
import type { Answer } from './answer.ts'
import type { Context } from './context.ts'
import { invalidCursor, unavailable } from './errors.ts'
import { described } from './openapi/parameters.ts'
import { withDefault } from './parameters/parameter.ts'
import { boolean, csvOf, cursor, integer } from './parameters/parameter-types.ts'
import { cvePageAnswer } from './plan/cve-page.ts'
import { type ListShape, listPageAnswer } from './plan/list-page.ts'
import { NO_HEAD } from './plan/page-frame.ts'

export const PAGE_LIMIT_DEFAULT = 25
export const PAGE_LIMIT_MAX = 100

export const pageLimit = () => integer({ min: 1, max: PAGE_LIMIT_MAX })

/** Whether `pagination.total` is stated. */
export const counting = { count: withDefault(boolean(), false) }

/** `limit`, `cursor` and `count` (API 4.1). */
export const paging = { limit: withDefault(pageLimit(), PAGE_LIMIT_DEFAULT), cursor: cursor(), ...counting }

/** The fields of rows. */
export const selection = <const F extends string>(fields: readonly F[]) => ({
  fields: described('Fields of the rows to return', csvOf(fields)),
})

/** The parameters of every list that shape its page. */
export interface PageShape {
  limit: number
  cursor?: string | undefined
  count: boolean
  fields?: readonly string[] | undefined
}

export interface CvePageRequest extends PageShape {
  /** The list's name in cursors. */
  list: string
  filters: CveFilters
  sort: CveSortOrder
  /** Days of the field `epss_change`. */
  changeDays?: ChangeDays | undefined
  /** Members before `data`; they may depend on the snapshot. */
  head?: (snapshot: SnapshotData) => Steps<object>
}

export function* cvePage(
  { snapshots }: Context,
  { list, filters, sort, changeDays, limit, cursor: text, count, fields, head }: CvePageRequest,
): Steps<Answer> {
  const binding = cursorBinding(list, sort, filters, snapshots)
  const { snapshot, after } = resume(snapshots, text, binding, isCveKey)
  const before = head ? yield* head(snapshot) : NO_HEAD
  const asked = { binding, sort, filters, limit, after, count }
  return yield* cvePageAnswer(snapshot, asked, { head: before, fields, changeDays })
}

export interface ListPageRequest extends Omit<ListShape, 'head' | 'fields'>, PageShape {
  list: ListName
  filters: ListFilters
  sort: SortOrder
  paged?: boolean
  /** The texts that `q` searches. */
  texts?: TextSetName
  head?: (snapshot: SnapshotData) => Steps<object>
}

export function* listPage({ snapshots }: Context, request: ListPageRequest): Steps<Answer> {
  const {
    list,
    filters,
    sort,
    limit,
    cursor: text,
    count,
    fields,
    paged = true,
    texts,
    head,
    row,
    entries = false,
  } = request
  const binding = cursorBinding(list, sort, filters, snapshots)
  const { snapshot, after } = resume(snapshots, text, binding, isListKey)
  const shape = { head: head ? yield* head(snapshot) : NO_HEAD, entries, fields, ...(row ? { row } : {}) }
  const { q } = filters
  const matches = q === undefined || !texts ? null : yield* snapshot.texts.matches(texts, q)
  return yield* listPageAnswer(snapshot, { list, binding, sort, filters, limit, after, paged, count }, matches, shape)
}

const isListKey = ({ id }: RowKey): boolean => id !== ''

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
