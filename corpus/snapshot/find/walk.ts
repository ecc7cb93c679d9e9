/**
 * The first CVEs behind a place of an order that pass all filters. There are two ways to find them: walking the order and
 * testing what lies there, or enumerating the smallest constraint and testing what it has. Which is less work is
 * estimated from the sizes of the constraints, and a walk that was estimated wrongly is given up.
 */
import type { CveTables } from '../cve-tables.ts'
import { fewOf, type Told } from './few.ts'
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
import { passingOf } from './passing.ts'
import { type Bounds, placesIn, type Run, runsFrom, walkList, walkPlaces } from './runs.ts'
import type { SnapshotBits } from './snapshot-bits.ts'

/** What is looked for: the first `most` CVEs from the place `start` of an order on. */
export interface Wanted {
  order: OrderView
  start: number
  most: number
}

/** The ordinals of what is wanted, in order. `matches` are the ordinals that `filters.q` matches, where there is a `q`. */
export function firstPassing(
  snapshot: CveTables,
  bits: SnapshotBits,
  filters: CveFilters,
  matches: Uint32Array | null,
  wanted: Wanted,
): number[] {
  const search = searchOf(snapshot, bits, constraintsOf(snapshot, bits, filters, matches), wanted)
  if (search.places === 0 || search.isEmpty) return []
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
  /** How many it lets through, and which part of all that is; of a list that was cut the part is that of the whole list. */
  size: number
  share: number
}

/** What is wanted, and among what it is looked for. */
interface Search extends Wanted {
  /** All but a stretch of the order itself, which bounds the walk; what lets least through comes first. */
  constraints: readonly Sized[]
  /** Whether one of them lets nothing through. */
  isEmpty: boolean
  /** What has the fewest ordinals lying ready; null where there are only bits, of which many have all. */
  smallest: Sized<Enumerable> | null
  /** Whether `smallest` are the few that have all that bits tell, and need not be tested for it. */
  hasTold: boolean
  /** Which part of all passes, and which part passes what bits tell, as if the constraints had nothing to do with each other. */
  share: number
  shareOfBits: number
  bounds: Bounds
  /** The places from the start on within these bounds, and how many they are. */
  runs: Run[]
  places: number
}

function searchOf(
  snapshot: CveTables,
  bits: SnapshotBits,
  constraints: readonly Constraint[],
  { order, start, most }: Wanted,
): Search {
  const cut = withinPublication(constraints)
  const sized: Sized[] = []
  const told: Told[] = []
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
  const places = placesIn(runs)
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
    places,
  }
}

/** The few that pass all that bits tell, cut as all lists are; null where they are many. */
function fewAmong(
  snapshot: CveTables,
  bits: SnapshotBits,
  told: readonly Told[],
  constraints: readonly Constraint[],
): Sized<Enumerable> | null {
  const few = fewOf(snapshot, bits, told)
  if (few === null) return null
  const stretch = publicationIn(constraints)
  const ordinals = stretch ? cut(few, stretch) : few
  return {
    constraint: { kind: 'list', ordinals, column: null, key: 0 },
    size: ordinals.length,
    share: few.length / snapshot.columns.count,
  }
}

/** Puts a constraint where its share belongs: there are so few that sorting them would be more work. */
function insert(sized: Sized[], one: Sized): void {
  let at = sized.length
  for (; at > 0 && sized[at - 1]!.share > one.share; at--) sized[at] = sized[at - 1]!
  sized[at] = one
}

/** Enumerating so few takes less than anything else. */
const AT_ONCE = 64

/** Steps that a walk may take beyond twice what enumerating takes, until it is given up. */
const PATIENCE = 500

/** How many places lie before the last one that is wanted, as far as sizes tell; infinity where nothing passes. */
const expectedPlaces = ({ most, share }: Search): number => most / share

/** Steps of a walk: bits are met 32 places at once, and what they leave is tested. */
function walkedSteps(search: Search): number {
  const walked = Math.min(search.places, expectedPlaces(search))
  return walked / 32 + walked * search.shareOfBits
}

/** Steps of enumerating: along a list that lies in the order walked as many as it takes, else all. */
function enumeratedSteps(search: Search, { constraint, size, share }: Sized<Enumerable>): number {
  return liesInOrder(search, constraint) ? Math.min(size, expectedPlaces(search) * share) : size
}

/** Whether a constraint has its ordinals in the order that is walked: lists ascend, as the order of publication does. */
const liesInOrder = ({ order }: Search, { kind }: Enumerable): boolean => order.sort === 'published' && kind === 'list'

/** What is wanted by walking the order; null where that takes more than `patience` steps. */
function walkOrder(snapshot: CveTables, bits: SnapshotBits, search: Search, patience: number): number[] | null {
  const { order, runs, most } = search
  const told: Constraint[] = []
  const sieves: Sieve[] = []
  for (const { constraint } of search.constraints) {
    if (isEnumerable(constraint)) sieves.push(sieveOf(snapshot, constraint))
    else told.push(constraint)
  }
  const clauses = clausesOf(bits, order.sort, told)
  return walkPlaces(snapshot, order, runs, { clauses, sieves }, most, patience)
}

/** What is wanted by looking at all that one constraint lets through. */
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
