/**
 * Finds the first CVEs after a position of an order that pass all filters. Scans the order or enumerates the smallest
 * constraint, by estimated cost. Aborts an underestimated scan.
 */
import type { CveTables } from '../record/cve-tables.ts'
import { passingOf } from './enumerate.ts'
import { type Constraint, type CveFilters, constraintsOf } from './filters.ts'
import {
  clausesOf,
  cut,
  type Enumerable,
  isEnumerable,
  ordinalsOf,
  publicationIn,
  type Sieve,
  sieveOf,
  sizeOf,
  withinPublication,
} from './matches.ts'
import type { OrderView } from './order-view.ts'
import { type BitConstraint, rareMatches } from './rare-matches.ts'
import { type Bounds, positionsIn, type Run, runsFrom, scanPositions, walkList } from './scan.ts'
import type { SnapshotBits } from './snapshot-bits.ts'

export interface Wanted {
  order: OrderView
  start: number
  most: number
}

/** Returns the first matching ordinals, in order. `matches` are the ordinals that match `filters.q`, when given. */
export function firstPassing(
  snapshot: CveTables,
  bits: SnapshotBits,
  filters: CveFilters,
  matches: Uint32Array | null,
  wanted: Wanted,
): number[] {
  const search = searchOf(snapshot, bits, constraintsOf(snapshot, bits, filters, matches), wanted)
  if (search.positions === 0 || search.isEmpty) return []
  const { smallest } = search
  if (!smallest) return walkOrder(snapshot, bits, search, Number.POSITIVE_INFINITY)!
  const enumerated = enumeratedSteps(search, smallest)
  if (enumerated > AT_ONCE && walkedSteps(search) <= enumerated) {
    const found = walkOrder(snapshot, bits, search, PATIENCE + 2 * enumerated)
    if (found) return found
  }
  return enumerate(snapshot, filters, search, smallest)
}

interface Sized<C extends Constraint = Constraint> {
  constraint: C
  /** Number of matching ordinals, and their share of all CVEs. A cut list has the share of the whole list. */
  size: number
  share: number
}

interface Search extends Wanted {
  /** All constraints except a range of the order itself, which bounds the scan. Most selective first. */
  constraints: readonly Sized[]
  isEmpty: boolean
  /** The constraint with the fewest stored ordinals; null when there are only bitmaps with many matches. */
  smallest: Sized<Enumerable> | null
  /** Whether `smallest` is the rare matches of all bitmap constraints, which then need no test. */
  hasTold: boolean
  /** Estimated share of CVEs that pass everything, and the bitmaps. Assumes independent constraints. */
  share: number
  shareOfBits: number
  bounds: Bounds
  /** The positions from the start on within the bounds, and their number. */
  runs: Run[]
  positions: number
}

function searchOf(
  snapshot: CveTables,
  bits: SnapshotBits,
  constraints: readonly Constraint[],
  { order, start, most }: Wanted,
): Search {
  const cut = withinPublication(constraints)
  const sized: Sized[] = []
  const told: BitConstraint[] = []
  let bounds: Bounds = { from: 0, to: order.count }
  let isEmpty = false
  let smallest: Sized<Enumerable> | null = null
  let share = 1
  let shareOfBits = 1
  for (let i = 0; i < cut.length; i++) {
    const [whole, constraint] = [constraints[i]!, cut[i]!]
    if (whole.kind === 'stretch' && whole.sort === order.sort) {
      bounds = whole
      continue
    }
    const size = sizeOf(snapshot, bits, constraint)
    const one = { constraint, size, share: sizeOf(snapshot, bits, whole) / order.count }
    insert(sized, one)
    if (size === 0) isEmpty = true
    if (isEnumerable(constraint)) {
      share *= one.share
      if (smallest === null || size < smallest.size) smallest = one as Sized<Enumerable>
    } else {
      shareOfBits *= one.share
      told.push(constraint)
    }
  }
  const few = told.length > 0 ? fewAmong(snapshot, bits, told, constraints) : null
  const hasTold = few !== null && (smallest === null || few.size < smallest.size)
  if (few !== null) {
    shareOfBits = few.share
    if (few.size === 0) isEmpty = true
    if (hasTold) smallest = few
  }
  share *= shareOfBits
  const runs = runsFrom(order, start, bounds)
  const positions = positionsIn(runs)
  return {
    order,
    start,
    most,
    constraints: sized,
    isEmpty,
    smallest,
    hasTold,
    share,
    shareOfBits,
    bounds,
    runs,
    positions,
  }
}

/** Returns the rare matches of all bitmap constraints, cut like all lists; null when there are many. */
function fewAmong(
  snapshot: CveTables,
  bits: SnapshotBits,
  told: readonly BitConstraint[],
  constraints: readonly Constraint[],
): Sized<Enumerable> | null {
  const few = rareMatches(snapshot, bits, told)
  if (few === null) return null
  const range = publicationIn(constraints)
  const ordinals = range ? cut(few, range) : few
  return {
    constraint: { kind: 'list', ordinals, column: null, key: 0 },
    size: ordinals.length,
    share: few.length / snapshot.columns.count,
  }
}

/** Inserts a constraint by its share. There are too few for a sort to pay off. */
function insert(sized: Sized[], one: Sized): void {
  let at = sized.length
  for (; at > 0 && sized[at - 1]!.share > one.share; at--) sized[at] = sized[at - 1]!
  sized[at] = one
}

/** Enumerating this many is cheaper than any alternative. */
const AT_ONCE = 64

/** Steps beyond twice the enumeration cost before a scan is aborted. */
const PATIENCE = 500

/** Returns the estimated number of positions up to the last match; infinity when nothing passes. */
const expectedPositions = ({ most, share }: Search): number => most / share

/** Returns the estimated steps of a scan: one per bitmap word of 32 positions, plus tests of the rest. */
function walkedSteps(search: Search): number {
  const walked = Math.min(search.positions, expectedPositions(search))
  return walked / 32 + walked * search.shareOfBits
}

/** Returns the estimated steps of an enumeration. A list in scan order can stop early. */
function enumeratedSteps(search: Search, { constraint, size, share }: Sized<Enumerable>): number {
  return liesInOrder(search, constraint) ? Math.min(size, expectedPositions(search) * share) : size
}

/** Whether a constraint's ordinals are in scan order. Lists ascend, as does the order of publication. */
const liesInOrder = ({ order }: Search, { kind }: Enumerable): boolean => order.sort === 'published' && kind === 'list'

function walkOrder(snapshot: CveTables, bits: SnapshotBits, search: Search, patience: number): number[] | null {
  const { order, runs, most } = search
  const told: Constraint[] = []
  const sieves: Sieve[] = []
  for (const { constraint } of search.constraints) {
    if (isEnumerable(constraint)) sieves.push(sieveOf(snapshot, constraint))
    else told.push(constraint)
  }
  const clauses = clausesOf(bits, order.sort, told)
  return scanPositions(snapshot, order, runs, { clauses, sieves }, most, patience)
}

/** Returns the matches by testing all ordinals of one constraint. */
function enumerate(
  snapshot: CveTables,
  filters: CveFilters,
  search: Search,
  { constraint }: Sized<Enumerable>,
): number[] {
  const { order, bounds, runs, start, most, hasTold } = search
  const sieves: Sieve[] = []
  for (const other of search.constraints) {
    if (other.constraint === constraint || (hasTold && !isEnumerable(other.constraint))) continue
    sieves.push(sieveOf(snapshot, other.constraint))
  }
  const ordinals = ordinalsOf(snapshot, constraint)
  if (liesInOrder(search, constraint)) return walkList(ordinals, runs, sieves, most)
  return passingOf(snapshot, filters, { order, bounds, ordinals, sieves }).from(start, most)
}
