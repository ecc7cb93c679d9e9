/** Filters a list other than CVEs. Lists are small enough for plain arrays of ordinals. */
import type { RowKey } from '../cursor/cursor.ts'
import type { List } from '../derive/list-view.ts'
import type { ListFilters } from './list-filters.ts'
import type { ListOrderView } from './list-order.ts'
import { lowerBound } from './lower-bound.ts'

/**
 * Returns the ascending positions in `order` of the rows that pass; null if all rows do. `matches` are the ascending
 * ordinals that match `filters.q`; null without a `q`.
 */
export function passingPositions(
  list: List,
  order: ListOrderView,
  filters: ListFilters,
  matches: Uint32Array | null,
): Uint32Array | null {
  const sets = constraintsOf(list, filters, matches)
  if (sets.length === 0) return null
  return intersection(sets)
    .map((ordinal) => order.position(ordinal))
    .sort()
}

export interface ListSlice {
  /** Among the passing rows; `end` is exclusive. */
  start: number
  end: number
  /** Number of passing rows. */
  count: number
  ordinals: number[]
}

/** Returns the next rows after a key. `passing` are the positions of all rows that pass; null if all do. */
export function sliceAfter(
  order: ListOrderView,
  passing: Uint32Array | null,
  after: RowKey | null,
  limit: number,
): ListSlice {
  const count = passing?.length ?? order.count
  const behind = after === null ? 0 : order.positionAfter(after)
  const start = passing ? lowerBound(passing, behind) : behind
  const end = Math.min(start + limit, count)
  const ordinals: number[] = []
  for (let at = start; at < end; at++) ordinals.push(order.ordinal(passing ? passing[at]! : at))
  return { start, end, count, ordinals }
}

function constraintsOf(list: List, filters: ListFilters, matches: Uint32Array | null): Uint32Array[] {
  const sets: Uint32Array[] = matches ? [matches] : []
  for (const [name, value] of Object.entries(filters.equal ?? {})) {
    if (value !== undefined) sets.push(list.filters[name]!.of(value))
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

/** Returns the numbers that all of the ascending sets contain. */
export function intersection(sets: readonly Uint32Array[]): Uint32Array {
  const [smallest, ...others] = sets.toSorted((a, b) => a.length - b.length)
  return others.reduce((common, set) => {
    let at = 0
    return common.filter((ordinal) => {
      while (at < set.length && set[at]! < ordinal) at++
      return set[at] === ordinal
    })
  }, smallest!)
}
