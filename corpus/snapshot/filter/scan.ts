/**
 * Scans an order in either direction. Bitmaps and the zones of ranges exclude 32 positions at once; what remains is tested
 * for ranges CVE by CVE.
 */

import type { CveSort } from '../cursor/order.ts'
import type { CveTables } from '../record/cve-tables.ts'
import { type Bitmap, cutWord, hasBit, positionBitmap, wordOf } from './bitmaps.ts'
import type { Constraint, RangeConstraint } from './filters.ts'
import type { OrderView } from './order-view.ts'
import { perSnapshot } from './per-snapshot.ts'

/** The positions from `low` up to, not including, `high` of a descending order; read down from `high` unless `up`. */
export interface Run {
  low: number
  high: number
  up: boolean
}

/** Returns what an order reads from its position `start` on, within `from` up to `to` of the descending order. */
export function runsFrom(
  { descending, count, keyed }: OrderView,
  start: number,
  { from, to }: { from: number; to: number },
): Run[] {
  const runs: Run[] = descending
    ? [{ low: Math.max(start, from), high: to, up: true }]
    : [
        { low: from, high: Math.min(keyed - start, to), up: false },
        { low: Math.max(keyed, from), high: Math.min(count - Math.max(start - keyed, 0), to), up: false },
      ]
  return runs.filter(({ low, high }) => low < high)
}

export interface Tests {
  bitmaps: Bitmap[]
  /** The shortest first. A range has no bitmap yet, because building one takes longer than most scans. */
  ranges: { constraint: RangeConstraint; size: number; positions: Uint32Array; from: number; to: number }[]
}

export function testsOf(snapshot: CveTables, constraints: readonly Constraint[], { sort }: OrderView): Tests {
  const tests: Tests = { bitmaps: [], ranges: [] }
  for (const one of constraints) {
    if (one.kind === 'range') {
      const { from, to } = one
      tests.ranges.push({ constraint: one, size: to - from, positions: snapshot.positions[one.sort], from, to })
    } else tests.bitmaps.push(positionBitmap(snapshot, one, sort))
  }
  tests.ranges.sort((a, b) => a.size - b.size)
  return tests
}

/** `position` is that of `ordinal` in the descending order. */
export function passes({ bitmaps, ranges }: Tests, ordinal: number, position: number): boolean {
  for (let i = 0; i < bitmaps.length; i++) if (!hasBit(bitmaps[i]!, position)) return false
  return isWithin(ranges, ordinal)
}

function isWithin(ranges: Tests['ranges'], ordinal: number): boolean {
  for (let i = 0; i < ranges.length; i++) {
    const { positions, from, to } = ranges[i]!
    const position = positions[ordinal]!
    if (position < from || position >= to) return false
  }
  return true
}

/** Returns the first `most` ordinals along `runs` that pass. */
export function scan(
  snapshot: CveTables,
  { sort }: OrderView,
  runs: readonly Run[],
  { bitmaps, ranges }: Tests,
  most: number,
): number[] {
  const tests = {
    bitmaps: [...bitmaps],
    ranges: ranges.map((one) => ({ ...one, zones: zonesOf(snapshot, sort, one.constraint.sort) })),
  }
  for (;;) {
    const found = scanWhilePatient(snapshot.orders[sort].ordinals, runs, tests, most)
    if (found) return found
    tests.bitmaps.push(positionBitmap(snapshot, tests.ranges.shift()!.constraint, sort))
  }
}

interface ZonedTests {
  bitmaps: Bitmap[]
  ranges: (Tests['ranges'][number] & { zones: Uint32Array })[]
}

/** Returns whether a CVE in word `at` may be within all ranges. */
function meets(ranges: ZonedTests['ranges'], at: number): boolean {
  for (let i = 0; i < ranges.length; i++) {
    const { zones, from, to } = ranges[i]!
    if (zones[2 * at]! >= to || zones[2 * at + 1]! < from) return false
  }
  return true
}

const zones = perSnapshot(() => new Map<string, Uint32Array>())

/**
 * Returns, for each word of the order `sort`, the lowest and the highest position of its CVEs in the order `of`. Dates of
 * publication and update correlate, so a scan skips most words by them. At 350,000 CVEs, a pair of orders takes 2 ms once
 * and 88 KB.
 */
function zonesOf(snapshot: CveTables, sort: CveSort, of: CveSort): Uint32Array {
  const known = zones(snapshot)
  const key = `${sort} ${of}`
  let bounds = known.get(key)
  if (!bounds) {
    const { ordinals } = snapshot.orders[sort]
    const positions = snapshot.positions[of]
    bounds = new Uint32Array(2 * ((ordinals.length + 31) >>> 5))
    for (let at = 0; at < bounds.length; at += 2) bounds[at] = ordinals.length
    for (let position = 0; position < ordinals.length; position++) {
      const other = positions[ordinals[position]!]!
      const at = 2 * (position >>> 5)
      if (other < bounds[at]!) bounds[at] = other
      if (other > bounds[at + 1]!) bounds[at + 1] = other
    }
    known.set(key, bounds)
  }
  return bounds
}

/** When this share of a range's size has failed, the scan has taken about as long as building the range's bitmap. */
const PATIENCE = 1 / 2

/** Returns null when too many positions fail the tests of ranges. */
function scanWhilePatient(
  ordinals: Uint32Array,
  runs: readonly Run[],
  { bitmaps, ranges }: ZonedTests,
  most: number,
): number[] | null {
  const [sparse] = bitmaps
  const found: number[] = []
  let patience = ranges[0] ? ranges[0].size * PATIENCE : 0
  for (const { low, high, up } of runs) {
    const [first, last, step] = up ? [low >>> 5, (high - 1) >>> 5, 1] : [(high - 1) >>> 5, low >>> 5, -1]
    for (let at = first; at !== last + step; at += step) {
      if (sparse !== undefined && sparse[at] === 0) continue
      if (!meets(ranges, at)) continue
      let word = cutWord(wordOf(bitmaps, at), at, low, high)
      for (let i = 0; i < ranges.length && word !== 0; i++) {
        const { positions, from, to } = ranges[i]!
        let passed = 0
        // Without branches, so that cache misses overlap.
        for (let rest = word; rest !== 0; rest &= rest - 1) {
          const bit = 31 - Math.clz32(rest & -rest)
          const position = positions[ordinals[(at << 5) + bit]!]!
          const outside = ((position - from) | (to - 1 - position)) >>> 31
          passed |= (1 - outside) << bit
          patience -= outside
        }
        word = passed
      }
      while (word !== 0) {
        const bit = 31 - Math.clz32(up ? word & -word : word)
        word &= ~(1 << bit)
        found.push(ordinals[(at << 5) + bit]!)
        if (found.length === most) return found
      }
      if (patience < 0) return null
    }
  }
  return found
}
