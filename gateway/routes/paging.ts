/** What all paged lists have in common: their parameters, and the way from a request to a page. */
import type { RowKey } from '../../corpus/snapshot/cursor.ts'
import type { ListName } from '../../corpus/snapshot/lists.ts'
import type { SortOrder } from '../../corpus/snapshot/order.ts'
import type { TextSetName } from '../../corpus/snapshot/query/sets.ts'
import type { Answer } from '../answer.ts'
import { DAY_MS, type DateValue } from '../params/date.ts'
import { withDefault } from '../params/kind.ts'
import { cursor, integer } from '../params/kinds.ts'
import { resume } from '../plan/cursors.ts'
import { cvePageAnswer } from '../plan/cve-answer.ts'
import type { CveListRequest } from '../plan/cve-page.ts'
import { isCveKey, planCvePage } from '../plan/cve-page.ts'
import type { CveFilters } from '../plan/filters.ts'
import { type ListShape, listPageAnswer } from '../plan/list-answer.ts'
import { type ListFilters, planListPage } from '../plan/list-page.ts'
import type { Shelved } from '../shelf/shelf.ts'
import type { Context } from './context.ts'

export const PAGE_LIMIT_DEFAULT = 25
export const PAGE_LIMIT_MAX = 100

export const pageLimit = () => integer({ min: 1, max: PAGE_LIMIT_MAX })

/** `limit` and `cursor`, as conventions of api.md have them. */
export const paging = { limit: withDefault(pageLimit(), PAGE_LIMIT_DEFAULT), cursor: cursor() }

/** The last moment that an upper bound lets through: a day means the whole of it (decisions 4). */
export const untilMs = ({ kind, ms }: DateValue): number => (kind === 'day' ? ms + DAY_MS - 1 : ms)

export interface CvePageRequest {
  /** The list, as cursors name it. */
  list: string
  filters: CveFilters
  sort: CveListRequest['sort']
  limit: number
  cursor: string | undefined
  /** Members before `data`; they may depend on the snapshot that answers. */
  head?: (snapshot: Shelved) => object
}

/** A page of CVEs. */
export async function cvePage({ shelf, queries }: Context, request: CvePageRequest): Promise<Answer> {
  const { list, filters, sort, limit, cursor: text, head = () => ({}) } = request
  const { snapshot, after } = resume(shelf, text, { list, sort, filters }, isCveKey)
  const release = snapshot.hold()
  try {
    const matches = filters.q === undefined ? null : await queries.matches(snapshot.query.path, 'cve', filters.q)
    const plan = planCvePage(snapshot, snapshot.bits, { list, sort, filters, limit, after }, matches)
    return cvePageAnswer(snapshot, plan, head(snapshot))
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
  /** Where `q` looks. */
  texts?: TextSetName
  head?: (snapshot: Shelved) => object
}

/** A page of another list. */
export async function listPage({ shelf, queries }: Context, request: ListPageRequest): Promise<Answer> {
  const { list, filters, sort, limit, cursor: text, paged = true, texts, head = () => ({}), row } = request
  const { snapshot, after } = resume(shelf, text, { list, sort, filters }, isListKey)
  const release = snapshot.hold()
  try {
    const { q } = filters
    const matches = q === undefined || !texts ? null : await queries.matches(snapshot.query.path, texts, q)
    const plan = planListPage(snapshot, { list, sort, filters, limit, after, paged }, matches)
    return listPageAnswer(snapshot, plan, { head: head(snapshot), ...(row ? { row } : {}) })
  } finally {
    release()
  }
}

const isListKey = ({ id }: RowKey): boolean => id !== ''
