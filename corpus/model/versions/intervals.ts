/** The versions that an entry of `affected[]` contains, as intervals: for formats that have no events. */
import {
  type AffectedVersions,
  compareBounds,
  type EvaluateOptions,
  introductionBefore,
  type RangeEvent,
  type RangeMatch,
  type VersionRange,
} from './affected.ts'
import type { VersionOrder } from './order.ts'

/** A part of a range without gaps. Version `0` precedes every version. */
export interface VersionInterval extends Omit<RangeMatch, 'kind'> {
  /** Only versions before one of them belong to it. Each follows `introduced`. Null without a limit. */
  limits: string[] | null
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
  return counted.flatMap(({ events, limits }) => (events === null ? [] : intervalsIn(order, events, limits)))
}

function intervalsIn(order: VersionOrder, events: RangeEvent[], limits: VersionRange['limits']): VersionInterval[] {
  // The last event of a version decides about it.
  const deciding = events.filter(
    ({ bound }, i) => i === events.length - 1 || compareBounds(order, bound, events[i + 1]!.bound) !== 0,
  )
  return deciding.flatMap((event, i): VersionInterval[] => {
    const { kind, version, bound } = event
    const above = limits?.filter((limit) => compareBounds(order, bound, limit.bound) < 0)
    if (above?.length === 0) return []
    const own = above?.map((limit) => limit.version) ?? null
    if (kind === 'introduced') {
      const next = deciding[i + 1]
      const end = next?.version ?? null
      return next?.kind === 'last_affected'
        ? [{ introduced: version, fixed: null, last_affected: end, limits: own }]
        : [{ introduced: version, fixed: end, last_affected: null, limits: own }]
    }
    const isAlone = deciding[i - 1]?.kind !== 'introduced'
    return kind === 'last_affected' && isAlone && introductionBefore(events, events.indexOf(event)) >= 0
      ? [{ introduced: version, fixed: null, last_affected: version, limits: own }]
      : []
  })
}
