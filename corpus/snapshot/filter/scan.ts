/**
 * Scans an order in either direction. Bitmaps exclude 32 positions at once; what remains is tested for ranges CVE by
 * CVE.
 */
import type { CveTables } from '../record/cve-tables.ts'
import { type Bitmap, cutWord, hasBit, positionBitmap, wordOf } from './bitmaps.ts'
import type { Constraint, RangeConstraint } from './filters.ts'
import type { OrderView } from './order-view.ts'

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
  order: OrderView,
  runs: readonly Run[],
  tests: Tests,
  most: number,
): number[] {
  const found = scanWhilePatient(snapshot.orders[order.sort].ordinals, runs, tests, most)
  if (found) return found
  const [{ constraint }, ...ranges] = tests.ranges as [Tests['ranges'][number]]
  const bitmaps = [...tests.bitmaps, positionBitmap(snapshot, constraint, order.sort)]
  return scan(snapshot, order, runs, { bitmaps, ranges }, most)
}

/** When this share of a range's size has failed, the scan has taken about as long as building the range's bitmap. */
const PATIENCE = 1 / 2

/** Returns null when too many positions fail the tests of ranges. */
function scanWhilePatient(
  ordinals: Uint32Array,
  runs: readonly Run[],
  { bitmaps, ranges }: Tests,
  most: number,
): number[] | null {
  const found: number[] = []
  let patience = ranges[0] ? ranges[0].size * PATIENCE : 0
  for (const { low, high, up } of runs) {
    const [first, last, step] = up ? [low >>> 5, (high - 1) >>> 5, 1] : [(high - 1) >>> 5, low >>> 5, -1]
    for (let at = first; at !== last + step; at += step) {
      let word = cutWord(wordOf(bitmaps, at), at, low, high)
      while (word !== 0) {
        const bit = 31 - Math.clz32(up ? word & -word : word)
        word &= ~(1 << bit)
        const ordinal = ordinals[(at << 5) + bit]!
        if (isWithin(ranges, ordinal)) {
          found.push(ordinal)
          if (found.length === most) return found
        } else patience--
      }
      if (patience < 0) return null
    }
  }
  return found
}
