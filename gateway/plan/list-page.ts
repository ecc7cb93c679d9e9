/**
 * Plans a page of a list other than `/cves`: whole segments of page shards, or the positions of the rows that match.
 * Lists are small enough for plain arrays of ordinals.
 */

import { generationalCache } from '../../corpus/runtime/generational-cache.ts'
import {
  cursorAfter,
  type ListName,
  lowerBound,
  perSnapshot,
  postingsOf,
  type RowKey,
  type SortOrder,
} from '../../corpus/snapshot/index.ts'
import { SNAPSHOT_BYTES } from '../process/bounds.ts'
import type { OpenList } from '../snapshots/open-lists.ts'
import type { OpenSnapshot } from '../snapshots/open-snapshot.ts'
import { listOrderView } from './list-order.ts'
import { isWithinSegments, type PageSegment, segmentsOf } from './page-segments.ts'

export interface ListFilters {
  q?: string | undefined
  /** Folded values by filter name; absent ones do not filter. */
  equal?: Readonly<Record<string, string | undefined>>
  /** Inclusive bounds by name; a row without the number never matches. */
  between?: Readonly<Record<string, { least?: number | undefined; most?: number | undefined }>>
}

export interface ListRequest {
  list: ListName
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
  const { list: name, sort, filters, limit, after, paged = true } = request
  const list = snapshot.lists[name]
  const order = listOrderView(list, sort)
  const matching = passingPositions(snapshot, request, matches)
  const count = matching?.length ?? order.count
  const behind = after === null ? 0 : order.positionAfter(after)
  const start = matching ? lowerBound(matching, behind) : behind
  const end = Math.min(start + limit, count)
  const ordinals: number[] = []
  for (let at = start; at < end; at++) ordinals.push(order.ordinal(matching ? matching[at]! : at))
  const last = ordinals.at(-1)
  const nextCursor =
    paged && end < count && last !== undefined
      ? cursorAfter(snapshot, { list: name, sort, filters }, order.keyOf(last))
      : null
  const head = { list: name, sort: sort.key, ordinals, limit, nextCursor }
  if (matching === null && order.stored && isWithinSegments(start, limit, count)) {
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

/** Ascending; null if all rows match. */
function passingPositions(
  snapshot: OpenSnapshot,
  { list: name, sort, filters }: ListRequest,
  matches: Uint32Array | null,
): Uint32Array | null {
  const known = remembered(snapshot)
  const key = JSON.stringify([name, sort, filters])
  const positions = known.get(key)
  if (positions) return positions
  const list = snapshot.lists[name]
  const sets = constraintsOf(list, filters, matches)
  if (sets.length === 0) return null
  const order = listOrderView(list, sort)
  const matching = intersection(sets)
    .map((ordinal) => order.position(ordinal))
    .sort()
  known.set(key, matching)
  return matching
}

function constraintsOf(list: OpenList, filters: ListFilters, matches: Uint32Array | null): Uint32Array[] {
  const sets: Uint32Array[] = matches ? [matches] : []
  for (const [name, value] of Object.entries(filters.equal ?? {})) {
    if (value !== undefined) sets.push(postingsOf(list.filters[name]!, value))
  }
  for (const [name, { least, most }] of Object.entries(filters.between ?? {})) {
    if (least === undefined && most === undefined) continue
    const numbers = list.bounds[name]!
    const within = []
    for (let ordinal = 0; ordinal < list.count; ordinal++) {
      const number = numbers[ordinal]!
      // NaN represents null and fails both comparisons.
      if (number >= (least ?? Number.NEGATIVE_INFINITY) && number <= (most ?? Number.POSITIVE_INFINITY)) {
        within.push(ordinal)
      }
    }
    sets.push(Uint32Array.from(within))
  }
  return sets
}

function intersection(sets: readonly Uint32Array[]): Uint32Array {
  const [smallest, ...others] = sets.toSorted((a, b) => a.length - b.length)
  return others.reduce((common, set) => {
    let at = 0
    return common.filter((ordinal) => {
      while (at < set.length && set[at]! < ordinal) at++
      return set[at] === ordinal
    })
  }, smallest!)
}
