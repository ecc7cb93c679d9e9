/** Plans a page of a list other than `/cves`: whole segments of page shards, or the positions of the rows that match. */

import { generationalCache } from '../../corpus/runtime/generational-cache.ts'
import {
  type CursorBinding,
  cursorAfter,
  type ListFilters,
  type ListName,
  listOrderView,
  passingPositions,
  perSnapshot,
  type RowKey,
  type SortOrder,
  sliceAfter,
} from '../../corpus/snapshot/index.ts'
import { SNAPSHOT_BYTES } from '../process/bounds.ts'
import type { OpenSnapshot } from '../snapshots/open-snapshot.ts'
import { isWithinSegments, type PageSegment, segmentsOf } from './page-segments.ts'

export interface ListRequest {
  list: ListName
  binding: CursorBinding
  sort: SortOrder
  filters: ListFilters
  limit: number
  after: RowKey | null
  /** Without cursors, `next_cursor` is always null. */
  paged?: boolean
}

export interface ListPagePlan {
  list: ListName
  sort: string
  way: 'shard' | 'merge' | 'sqlite'
  ordinals: number[]
  segments: PageSegment[]
  limit: number
  nextCursor: string | null
}

/** `matches` are the ascending ordinals that match `filters.q`; null without a `q`. */
export function planListPage(snapshot: OpenSnapshot, request: ListRequest, matches: Uint32Array | null): ListPagePlan {
  const { list: name, binding, sort, limit, after, paged = true } = request
  const list = snapshot.lists[name]
  const order = listOrderView(list, sort)
  const passing = rememberedPositions(snapshot, request, matches)
  const { start, end, count, ordinals } = sliceAfter(order, passing, after, limit)
  const last = ordinals.at(-1)
  const nextCursor =
    paged && end < count && last !== undefined ? cursorAfter(snapshot, binding, order.keyOf(last)) : null
  const head = { list: name, sort: sort.key, ordinals, limit, nextCursor }
  if (passing === null && order.stored && isWithinSegments(start, limit, count)) {
    return { ...head, way: 'shard', segments: segmentsOf(start, end) }
  }
  return { ...head, way: matches ? 'sqlite' : 'merge', segments: [] }
}

const ENTRY_BYTES = 300

/** Clients use the same filters on every page. */
const remembered = perSnapshot(() =>
  generationalCache<string, Uint32Array>(
    SNAPSHOT_BYTES.listWalks,
    (positions, key) => positions.byteLength + key.length * 2 + ENTRY_BYTES,
  ),
)

/** Ascending; null if all rows pass. */
function rememberedPositions(
  snapshot: OpenSnapshot,
  { list: name, sort, filters }: ListRequest,
  matches: Uint32Array | null,
): Uint32Array | null {
  const known = remembered(snapshot)
  const key = JSON.stringify([name, sort, filters])
  const positions = known.get(key)
  if (positions) return positions
  const list = snapshot.lists[name]
  const passing = passingPositions(list, listOrderView(list, sort), filters, matches)
  if (passing) known.set(key, passing)
  return passing
}
