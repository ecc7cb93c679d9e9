/**
 * Finds the first CVEs after a position of an order that pass all filters. Reads a list directly if it is in that order
 * and nothing else is to be tested. Tests all CVEs of a short list. Otherwise scans the order.
 */

import { generationalCache } from '../../runtime/generational-cache.ts'
import type { CveTables } from '../record/cve-tables.ts'
import { countCommon, positionBitmap } from './bitmaps.ts'
import { RARE_BYTES } from './bounds.ts'
import type { CveFilters } from './filters.ts'
import { type Constraint, constraintsOf, nameOf, type RangeConstraint } from './filters.ts'
import { lowerBound, reversedPosition } from './lower-bound.ts'
import { type OrderView, orderView } from './order-view.ts'
import { perSnapshot } from './per-snapshot.ts'
import { passes, type Run, runsFrom, scan, type Tests, testsOf } from './scan.ts'

export interface Wanted {
  order: OrderView
  start: number
  most: number
}

/** Up to this number of CVEs in a list or a range of another order, testing all of them costs less than a scan. */
export const SHORT_LIST = 256

/** Returns the first matching ordinals, in order. `matches` are the ordinals that match `q` and `text`; null without both. */
export function firstPassing(
  snapshot: CveTables,
  filters: CveFilters,
  matches: Uint32Array | null,
  { order, start, most }: Wanted,
): number[] {
  const constraints = withRareFacets(snapshot, constraintsOf(snapshot, filters, matches))
  // A range of the order itself bounds the runs.
  const own = constraints.find((one): one is RangeConstraint => one.kind === 'range' && one.sort === order.sort)
  const runs = runsFrom(order, start, own ?? { from: 0, to: order.count })
  const shortest = shortestOf(snapshot, constraints)
  const others = constraints.filter((one) => one !== shortest?.constraint)
  if (shortest?.constraint.kind === 'list' && order.sort === 'published' && others.every((one) => one === own)) {
    return firstOf(shortest.ordinals, runs, most)
  }
  if (shortest && shortest.constraint !== own && shortest.ordinals.length <= SHORT_LIST) {
    return firstMatches(snapshot, order, start, shortest.ordinals, testsOf(snapshot, others, order), most)
  }
  const tested = constraints.filter((one) => one !== own)
  return scan(snapshot, order, runs, testsOf(snapshot, tested, order), most)
}

/** Returns the number of CVEs that pass all filters. */
export function countPassing(snapshot: CveTables, filters: CveFilters, matches: Uint32Array | null): number {
  const constraints = constraintsOf(snapshot, filters, matches)
  const [only] = constraints
  if (only === undefined) return snapshot.columns.count
  if (constraints.length === 1 && only.kind === 'list') return only.ordinals.length
  if (constraints.length === 1 && only.kind === 'range') return only.to - only.from
  return countCommon(constraints.map((one) => positionBitmap(snapshot, one, 'published')))
}

/** Returns the first `most` ordinals of a list in `runs` of the order `published`. There an ordinal is its own position. */
function firstOf(ordinals: Uint32Array, runs: readonly Run[], most: number): number[] {
  const found: number[] = []
  for (const { low, high, up } of runs) {
    const [first, end] = [lowerBound(ordinals, low), lowerBound(ordinals, high)]
    for (let i = first; i < end && found.length < most; i++) found.push(ordinals[up ? i : first + end - 1 - i]!)
  }
  return found
}

interface Candidates {
  constraint: Constraint
  ordinals: Uint32Array
}

/** Returns the shortest list or range; null when there is none. */
function shortestOf(snapshot: CveTables, constraints: readonly Constraint[]): Candidates | null {
  let shortest: Candidates | null = null
  for (const constraint of constraints) {
    const ordinals = candidatesOf(snapshot, constraint)
    if (ordinals && !(shortest && shortest.ordinals.length <= ordinals.length)) shortest = { constraint, ordinals }
  }
  return shortest
}

function candidatesOf({ orders }: CveTables, constraint: Constraint): Uint32Array | null {
  if (constraint.kind === 'list') return constraint.published
  if (constraint.kind === 'range') return orders[constraint.sort].ordinals.subarray(constraint.from, constraint.to)
  return null
}

/** Returns the first `most` candidates that pass, in order. */
function firstMatches(
  { positions }: CveTables,
  order: OrderView,
  start: number,
  candidates: Uint32Array,
  tests: Tests,
  most: number,
): number[] {
  const positionOf = positions[order.sort]
  const found: number[] = []
  for (const position of candidates.map((ordinal) => inDirection(order, positionOf[ordinal]!)).sort()) {
    if (position < start) continue
    const ordinal = order.ordinal(position)
    if (passes(tests, ordinal, positionOf[ordinal]!)) found.push(ordinal)
    if (found.length === most) break
  }
  return found
}

const inDirection = ({ descending, keyed, count }: OrderView, position: number): number =>
  descending ? position : reversedPosition(position, keyed, count)

/** Memory of an entry without key and ordinals, in bytes. */
const ENTRY_BYTES = 300

/** The CVEs with a combination of flags and severities; null for more than a short list. */
const rareFacets = perSnapshot(() =>
  generationalCache<string, Uint32Array | null>(
    RARE_BYTES,
    (rare, key) => ENTRY_BYTES + key.length * 2 + (rare?.byteLength ?? 0),
  ),
)

/** Replaces flags and severities by a list when few CVEs have them all. A scan would test every word of the order. */
function withRareFacets(snapshot: CveTables, constraints: Constraint[]): Constraint[] {
  const facets = constraints.filter(({ kind }) => kind === 'flag' || kind === 'severity' || kind === 'facet')
  if (facets.length === 0) return constraints
  const cache = rareFacets(snapshot)
  const name = facets.map(nameOf).join(' ')
  let ordinals = cache.get(name)
  if (ordinals === undefined) {
    // Ordinals are positions in this order, so they ascend.
    const order = orderView(snapshot, 'published', true)
    const everything = runsFrom(order, 0, { from: 0, to: order.count })
    const found = scan(snapshot, order, everything, testsOf(snapshot, facets, order), SHORT_LIST + 1)
    ordinals = found.length > SHORT_LIST ? null : Uint32Array.from(found)
    cache.set(name, ordinals)
  }
  if (ordinals === null) return constraints
  const others = constraints.filter((one) => !facets.includes(one))
  return [...others, { kind: 'list', name: () => name, ordinals, published: ordinals }]
}
