/** Which CVEs pass all constraints: a short list, or bits, whichever is less work. */
import type { OpenSnapshot } from '../shelf/open-snapshot.ts'
import { type Bits, bitsBetween, bitsOf, countBits, hasBit, intersectBits, ordinalsOf } from './bits.ts'
import type { Constraint } from './filters.ts'
import { firstFrom } from './places.ts'

export type Matches =
  | { kind: 'all' }
  /** These ordinals, in no particular order. */
  | { kind: 'list'; ordinals: Uint32Array }
  | { kind: 'bits'; bits: Bits; count: number }

/** Up to this many matches are sorted by their places; more are met soon enough by walking the order. */
const LIST_MAX = 4096

/** Every ordinal that all of `constraints` let through; as a list up to `listMax` of them, else as bits. */
export function matchesOf(
  snapshot: OpenSnapshot,
  constraints: readonly Constraint[],
  listMax: number = LIST_MAX,
): Matches {
  if (constraints.length === 0) return { kind: 'all' }
  const bySize = withinPublication(constraints).sort((a, b) => sizeOf(a) - sizeOf(b))
  const smallest = bySize[0]!
  if (smallest.kind !== 'bits' && sizeOf(smallest) <= listMax) {
    return { kind: 'list', ordinals: passing(snapshot, enumerate(snapshot, smallest), bySize.slice(1)) }
  }
  // A stretch of another order lies scattered over all ordinals: where the rest leaves few, those are tested instead.
  const scattered = bySize.filter(isScattered)
  const [first, ...others] = scattered.length < bySize.length ? bySize.filter((one) => !isScattered(one)) : scattered
  const bits = bitsFor(snapshot, first!).slice()
  for (const constraint of others) intersectBits(bits, bitsFor(snapshot, constraint))
  const count = countBits(bits)
  if (count <= listMax) return { kind: 'list', ordinals: passing(snapshot, ordinalsOf(bits, count), scattered) }
  if (scattered.length === 0 || isScattered(first!)) return { kind: 'bits', bits, count }
  for (const constraint of scattered) intersectBits(bits, bitsFor(snapshot, constraint))
  const left = countBits(bits)
  return left <= listMax ? { kind: 'list', ordinals: ordinalsOf(bits, left) } : { kind: 'bits', bits, count: left }
}

/**
 * Ordinals number the order of publication, so of an ascending list the part within a stretch of it is found by halves:
 * the lists are cut, and the stretch says no more.
 */
function withinPublication(constraints: readonly Constraint[]): Constraint[] {
  const stretch = constraints.find((one) => one.kind === 'stretch' && one.sort === 'published')
  if (stretch?.kind !== 'stretch' || !constraints.some(({ kind }) => kind === 'list')) return [...constraints]
  return constraints
    .filter((one) => one !== stretch)
    .map((one) => {
      if (one.kind !== 'list') return one
      const { ordinals } = one
      return {
        kind: 'list',
        ordinals: ordinals.subarray(firstFrom(ordinals, stretch.from), firstFrom(ordinals, stretch.to)),
      }
    })
}

const isScattered = (constraint: Constraint): boolean =>
  constraint.kind === 'stretch' && constraint.sort !== 'published'

/** Those of `ordinals` that pass all of `constraints`. */
function passing(snapshot: OpenSnapshot, ordinals: Uint32Array, constraints: readonly Constraint[]): Uint32Array {
  const tests = constraints.map((constraint) => testOf(snapshot, constraint))
  return ordinals.filter((ordinal) => tests.every((test) => test(ordinal)))
}

/** The number of ordinals, or infinity where only a count would tell. */
function sizeOf(constraint: Constraint): number {
  if (constraint.kind === 'list') return constraint.ordinals.length
  return constraint.kind === 'stretch' ? constraint.to - constraint.from : Number.POSITIVE_INFINITY
}

function enumerate(snapshot: OpenSnapshot, constraint: Exclude<Constraint, { kind: 'bits' }>): Uint32Array {
  if (constraint.kind === 'list') return constraint.ordinals
  return snapshot.orders[constraint.sort].ordinals.subarray(constraint.from, constraint.to)
}

function testOf(snapshot: OpenSnapshot, constraint: Constraint): (ordinal: number) => boolean {
  if (constraint.kind === 'bits') return (ordinal) => hasBit(constraint.bits, ordinal)
  if (constraint.kind === 'stretch') {
    const places = snapshot.places[constraint.sort]
    return (ordinal) => places[ordinal]! >= constraint.from && places[ordinal]! < constraint.to
  }
  return (ordinal) => includesSorted(constraint.ordinals, ordinal)
}

function bitsFor(snapshot: OpenSnapshot, constraint: Constraint): Bits {
  const { count } = snapshot.columns
  if (constraint.kind === 'bits') return constraint.bits
  // Ordinals number the order of publication, so a stretch of it is one run of bits.
  if (constraint.kind === 'stretch' && constraint.sort === 'published') {
    return bitsBetween(count, constraint.from, constraint.to)
  }
  return bitsOf(count, enumerate(snapshot, constraint))
}

const includesSorted = (ordinals: Uint32Array, wanted: number): boolean =>
  ordinals[firstFrom(ordinals, wanted)] === wanted
