/**
 * The first CVEs behind a place of an order that pass all filters. There are two ways to find them: walking the order and
 * testing what lies there, or enumerating the smallest constraint and testing what it has. Which is less work is
 * estimated from the sizes of the constraints, and a walk that was estimated wrongly is given up.
 */
import type { OpenSnapshot } from '../shelf/open-snapshot.ts'
import { type Constraint, type CveFilters, constraintsOf } from './filters.ts'
import {
  clausesOf,
  type Enumerable,
  isEnumerable,
  ordinalsOf,
  sizeOf,
  type Test,
  testOf,
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
  snapshot: OpenSnapshot,
  bits: SnapshotBits,
  filters: CveFilters,
  matches: Uint32Array | null,
  wanted: Wanted,
): number[] {
  const search = searchOf(snapshot, bits, constraintsOf(snapshot, bits, filters, matches), wanted)
  if (search.places === 0 || search.constraints.some(({ size }) => size === 0)) return []
  const smallest = smallestOf(search.constraints)
  if (!smallest) return walkOrder(snapshot, bits, search, Number.POSITIVE_INFINITY)!
  const enumerated = enumeratedSteps(search, smallest)
  if (walkedSteps(search) <= enumerated) {
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
  /** All but a stretch of the order itself, which bounds the walk. */
  constraints: readonly Sized[]
  bounds: Bounds
  /** The places from the start on within these bounds, and how many they are. */
  runs: Run[]
  places: number
}

function searchOf(
  snapshot: OpenSnapshot,
  bits: SnapshotBits,
  constraints: readonly Constraint[],
  wanted: Wanted,
): Search {
  const { order, start } = wanted
  const own = constraints.find((one) => one.kind === 'stretch' && one.sort === order.sort)
  const bounds = own?.kind === 'stretch' ? own : { from: 0, to: order.count }
  const cut = withinPublication(constraints)
  const sized: Sized[] = []
  constraints.forEach((whole, at) => {
    if (whole === own) return
    const share = sizeOf(snapshot, bits, whole) / order.count
    sized.push({ constraint: cut[at]!, size: sizeOf(snapshot, bits, cut[at]!), share })
  })
  const runs = runsFrom(order, start, bounds)
  return { ...wanted, constraints: sized, bounds, runs, places: placesIn(runs) }
}

/** What has the fewest ordinals lying ready; null where there are only bits. */
function smallestOf(constraints: readonly Sized[]): Sized<Enumerable> | null {
  let smallest: Sized<Enumerable> | null = null
  for (const { constraint, size, share } of constraints) {
    if (isEnumerable(constraint) && (smallest === null || size < smallest.size)) smallest = { constraint, size, share }
  }
  return smallest
}

/** Steps that a walk may take beyond twice what enumerating takes, until it is given up. */
const PATIENCE = 500

/** Which part of all passes, as if the constraints had nothing to do with each other. */
const shareOf = (constraints: readonly Sized[]): number => constraints.reduce((part, { share }) => part * share, 1)

/** How many places lie before the last one that is wanted, as far as sizes tell; infinity where nothing passes. */
const expectedPlaces = ({ most, constraints }: Search): number => most / shareOf(constraints)

/** Steps of a walk: bits are met 32 places at once, and what they leave is tested. */
function walkedSteps(search: Search): number {
  const walked = Math.min(search.places, expectedPlaces(search))
  return walked / 32 + walked * shareOf(search.constraints.filter(({ constraint }) => !isEnumerable(constraint)))
}

/** Steps of enumerating: along a list that lies in the order walked as many as it takes, else all. */
function enumeratedSteps(search: Search, { constraint, size, share }: Sized<Enumerable>): number {
  return liesInOrder(search, constraint) ? Math.min(size, expectedPlaces(search) * share) : size
}

/** Whether a constraint has its ordinals in the order that is walked: lists ascend, as the order of publication does. */
const liesInOrder = ({ order }: Search, { kind }: Enumerable): boolean => order.sort === 'published' && kind === 'list'

/** What is wanted by walking the order; null where that takes more than `patience` steps. */
function walkOrder(snapshot: OpenSnapshot, bits: SnapshotBits, search: Search, patience: number): number[] | null {
  const { order, runs, most } = search
  const constraints = search.constraints.map(({ constraint }) => constraint)
  const clauses = clausesOf(bits, order.sort, constraints)
  return walkPlaces(
    snapshot,
    order,
    runs,
    { clauses, tests: testsOf(snapshot, constraints.filter(isEnumerable)) },
    most,
    patience,
  )
}

/** What is wanted by looking at all that one constraint lets through. */
function enumerate(
  snapshot: OpenSnapshot,
  filters: CveFilters,
  search: Search,
  { constraint }: Sized<Enumerable>,
): number[] {
  const { order, bounds, runs, start, most } = search
  const others = search.constraints.map((one) => one.constraint).filter((one) => one !== constraint)
  const tests = testsOf(snapshot, others)
  const ordinals = ordinalsOf(snapshot, constraint)
  if (liesInOrder(search, constraint)) return walkList(ordinals, runs, tests, most)
  return passingOf(snapshot, filters, { order, bounds, ordinals, tests }).from(start, most)
}

const testsOf = (snapshot: OpenSnapshot, constraints: readonly Constraint[]): Test[] =>
  constraints.map((constraint) => testOf(snapshot, constraint))
