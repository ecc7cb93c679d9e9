/** The versions that an entry of `affected[]` contains, as intervals: for formats that have no events. */
import {
  type AffectedVersions,
  compareBounds,
  type EvaluateOptions,
  type RangeEvent,
  type RangeMatch,
  type VersionRange,
} from './affected.ts'
import type { VersionOrder } from './order.ts'

/** A part of a range without gaps. Version `0` precedes every version. */
export interface VersionInterval extends Omit<RangeMatch, 'kind'> {
  /** Only versions before it belong to the interval. It follows `introduced`. Null without a limit. */
  limit: string | null
}

/**
 * Returns the intervals of the versions that the ranges contain; `everything` if a range contains every version, also
 * versions that cannot be parsed. Ranges that cannot be evaluated have none. Enumerated versions are not included.
 */
export function intervalsOf(
  { order, ranges, texts }: AffectedVersions,
  { preferList = false }: EvaluateOptions = {},
): VersionInterval[] | 'everything' {
  const counted = preferList && texts.size > 0 ? ranges.filter(({ isEverything }) => !isEverything) : ranges
  if (counted.some(({ isEverything }) => isEverything)) return 'everything'
  if (!order) return []
  return counted.flatMap(({ events, limit }) => (events === null ? [] : intervalsIn(order, events, limit)))
}

function intervalsIn(order: VersionOrder, events: RangeEvent[], limit: VersionRange['limit']): VersionInterval[] {
  // The last event of a version decides about it.
  const deciding = events
    .map((event, at) => ({ ...event, at }))
    .filter(({ bound, at }) => at === events.length - 1 || compareBounds(order, bound, events[at + 1]!.bound) !== 0)
  const first = events.findIndex(({ kind }) => kind === 'introduced')
  return deciding.flatMap(({ kind, version, bound, at }, i): VersionInterval[] => {
    if (limit && compareBounds(order, bound, limit.bound) >= 0) return []
    const own = limit?.version ?? null
    if (kind === 'introduced') {
      const next = deciding[i + 1]
      const end = next?.version ?? null
      return next?.kind === 'last_affected'
        ? [{ introduced: version, fixed: null, last_affected: end, limit: own }]
        : [{ introduced: version, fixed: end, last_affected: null, limit: own }]
    }
    const isAlone = deciding[i - 1]?.kind !== 'introduced'
    return kind === 'last_affected' && isAlone && at > first
      ? [{ introduced: version, fixed: null, last_affected: version, limit: own }]
      : []
  })
}
