/** Scans runs of a stored (descending) order in either direction. */
import type { CveTables } from '../record/cve-tables.ts'
import { amongOf, type Clause, cutWord, wordOf } from './bits.ts'
import { grow, sift, sifting } from './filter-block.ts'
import { lowerBound } from './lower-bound.ts'
import type { Sieve } from './matches.ts'
import type { OrderView } from './order-view.ts'

/** The positions from `low` up to, not including, `high` of the stored order. Scanned down from `high` unless `up`. */
export interface Run {
  low: number
  high: number
  up: boolean
}

export interface Bounds {
  from: number
  to: number
}

/**
 * Returns the runs from view position `start` on, within bounds. Ascending, rows with a key are reversed, then those
 * without (rule 6).
 */
export function runsFrom({ descending, count, keyed }: OrderView, start: number, { from, to }: Bounds): Run[] {
  const runs: Run[] = []
  if (descending) addRun(runs, Math.max(start, from), to, true)
  else {
    addRun(runs, from, Math.min(keyed - start, to), false)
    addRun(runs, Math.max(keyed, from), Math.min(count - Math.max(start - keyed, 0), to), false)
  }
  return runs
}

function addRun(runs: Run[], low: number, high: number, up: boolean): void {
  if (low < high) runs.push({ low, high, up })
}

export function positionsIn(runs: readonly Run[]): number {
  let positions = 0
  for (const { low, high } of runs) positions += high - low
  return positions
}

/** Clauses test 32 positions at once; sieves test the remaining ordinals. */
export interface Checks {
  clauses: readonly Clause[]
  sieves: readonly Sieve[]
}

/**
 * Returns the ordinals at the first `most` positions along `runs` that pass all checks. Null after `patience` steps:
 * words of 32 positions, or failed ordinals.
 */
export function scanPositions(
  snapshot: CveTables,
  { sort }: OrderView,
  runs: readonly Run[],
  { clauses, sieves }: Checks,
  most: number,
  patience: number,
): number[] | null {
  const { ordinals } = snapshot.orders[sort]
  const search = sifting(sieves, most, WORD)
  const { block } = search
  const among = amongOf(clauses)
  let left = patience
  for (const { low, high, up } of runs) {
    const [first, last, step] = up ? [low >>> 5, (high - 1) >>> 5, 1] : [(high - 1) >>> 5, low >>> 5, -1]
    for (let at = first; at !== last + step; at += step) {
      left--
      if (among !== null && among[at] === 0 && left > search.failed) continue
      let word = cutWord(wordOf(clauses, at), at, low, high)
      while (word !== 0) {
        const bit = 31 - Math.clz32(up ? word & -word : word)
        word &= ~(1 << bit)
        block[search.filled++] = ordinals[(at << 5) + bit]!
      }
      if (search.filled < search.full && left > search.failed) continue
      if (search.filled > 0 && sift(search)) return search.found
      if (left < search.failed) return null
      grow(search, WORD)
    }
  }
  sift(search)
  return search.found
}

const WORD = 32

/**
 * Returns the first `most` of ascending `ordinals` that pass, along `runs` of the order of publication, where ordinals
 * are positions.
 */
export function walkList(ordinals: Uint32Array, runs: readonly Run[], sieves: readonly Sieve[], most: number) {
  const search = sifting(sieves, most, 0)
  const { block } = search
  for (const { low, high, up } of runs) {
    const first = lowerBound(ordinals, low)
    const last = lowerBound(ordinals, high) - 1
    for (let at = first; at <= last; at++) {
      block[search.filled++] = ordinals[up ? at : first + last - at]!
      if (search.filled < search.full) continue
      if (sift(search)) return search.found
      grow(search, 0)
    }
  }
  sift(search)
  return search.found
}
