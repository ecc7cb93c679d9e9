/** Common parts of all paged lists: parameters, and the steps from a request to a page. */
import {
  type CursorBinding,
  CursorError,
  type CveFilters,
  cursorBinding,
  isCveKey,
  type ListFilters,
  type ListName,
  type NamedSnapshot,
  type RowKey,
  resume as resumeAt,
  type Snapshots,
  type SortOrder,
  type TextSetName,
} from '../../corpus/snapshot/index.ts'
import type { Answer } from '../http/answer.ts'
import { invalidCursor, unavailable } from '../http/errors.ts'
import { withDefault } from '../params/parameter.ts'
import { cursor, integer } from '../params/parameter-types.ts'
import { cvePageAnswer, NO_HEAD } from '../plan/cve-answer.ts'
import { type CveListRequest, planCvePage } from '../plan/cve-page.ts'
import { type ListShape, listPageAnswer } from '../plan/list-answer.ts'
import { planListPage } from '../plan/list-page.ts'
import { responseCache } from '../plan/response-cache.ts'
import { PROCESS_BYTES } from '../process/bounds.ts'
import { type Matches, unpackMatches } from '../query/matches.ts'
import type { ServedSnapshot } from '../snapshots/registry.ts'
import type { Context } from './context.ts'

export const PAGE_LIMIT_DEFAULT = 25
export const PAGE_LIMIT_MAX = 100

export const pageLimit = () => integer({ min: 1, max: PAGE_LIMIT_MAX })

/** `limit` and `cursor` (API 4.1). */
export const paging = { limit: withDefault(pageLimit(), PAGE_LIMIT_DEFAULT), cursor: cursor() }

const answers = responseCache(PROCESS_BYTES.answers)

export interface CvePageRequest {
  /** The list's name in cursors. */
  list: string
  filters: CveFilters
  sort: CveListRequest['sort']
  limit: number
  cursor: string | undefined
  /** Members before `data`; they may depend on the snapshot. */
  head?: (snapshot: ServedSnapshot) => object
}

export function cvePage(context: Context, request: CvePageRequest): Answer | Promise<Answer> {
  const { registry, queries, target } = context
  const { q } = request.filters
  // Without a text query, the answer is synchronous, and depends only on the snapshot and the target.
  if (q === undefined) return answers.of(registry.current, target, () => cvePageOf(registry, request).answer(null))
  const { snapshot, answer } = cvePageOf(registry, request)
  return whileHeld(snapshot, queries.matches(snapshot.query.path, 'cve', q), answer)
}

/** `answer` gets the ordinals that match `q`; null without a `q`. */
function cvePageOf(registry: Context['registry'], request: CvePageRequest) {
  const { list, filters, sort, limit, cursor: text, head } = request
  const binding = cursorBinding(list, sort, filters)
  const { snapshot, after } = resume(registry, text, binding, isCveKey)
  const asked = { binding, sort, filters, limit, after }
  const answer = (matches: Uint32Array | null) =>
    cvePageAnswer(snapshot, planCvePage(snapshot, asked, matches), head ? head(snapshot) : NO_HEAD)
  return { snapshot, answer }
}

const noHead = (): object => NO_HEAD

/** The snapshot stays open until `answer` returns. */
async function whileHeld(
  snapshot: ServedSnapshot,
  matches: Promise<Matches>,
  answer: (matches: Uint32Array) => Answer,
): Promise<Answer> {
  const release = snapshot.hold()
  try {
    return answer(unpackMatches(await matches))
  } finally {
    release()
  }
}

export interface ListPageRequest extends Omit<ListShape, 'head'> {
  list: ListName
  filters: ListFilters
  sort: SortOrder
  limit: number
  cursor?: string | undefined
  paged?: boolean
  texts?: TextSetName
  head?: (snapshot: ServedSnapshot) => object
}

export function listPage({ registry, queries }: Context, request: ListPageRequest): Answer | Promise<Answer> {
  const { list, filters, sort, limit, cursor: text, paged = true, texts, head = noHead, row, entries = false } = request
  const binding = cursorBinding(list, sort, filters)
  const { snapshot, after } = resume(registry, text, binding, isListKey)
  const answer = (matches: Uint32Array | null) => {
    const plan = planListPage(snapshot, { list, binding, sort, filters, limit, after, paged }, matches)
    return listPageAnswer(snapshot, plan, { head: head(snapshot), entries, ...(row ? { row } : {}) })
  }
  const { q } = filters
  if (q === undefined || !texts) return answer(null)
  return whileHeld(snapshot, queries.matches(snapshot.query.path, texts, q), answer)
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
