/** Runs of a stored order, which is the descending one, and the walk along them in either direction. */
import type { OpenSnapshot } from '../shelf/open-snapshot.ts'
import { type Clause, cutWord, wordOf } from './bits.ts'
import { cut, type Test } from './matches.ts'
import type { OrderView } from './order-view.ts'

/** The places from `low` up to, not including, `high` of the stored order; walked down from `high` unless `up`. */
export interface Run {
  low: number
  high: number
  up: boolean
}

/** Places of the stored order from which rows may come. */
export interface Bounds {
  from: number
  to: number
}

/**
 * What lies behind the place `start` of a view within bounds. Ascending, what has a key comes first in reverse, then what
 * has none in reverse (decisions 6).
 */
export function runsFrom({ descending, count, keyed }: OrderView, start: number, { from, to }: Bounds): Run[] {
  const runs = descending
    ? [{ low: Math.max(start, from), high: to, up: true }]
    : [
        { low: from, high: Math.min(keyed - start, to), up: false },
        { low: Math.max(keyed, from), high: Math.min(count - Math.max(start - keyed, 0), to), up: false },
      ]
  return runs.filter(({ low, high }) => low < high)
}

export const placesIn = (runs: readonly Run[]): number => runs.reduce((sum, { low, high }) => sum + high - low, 0)

/** What is tested 32 places at once, and what is tested of the ordinals that this leaves. */
export interface Checks {
  clauses: readonly Clause[]
  tests: readonly Test[]
}

/**
 * The ordinals of the first `most` places along `runs` that pass all checks; null after `patience` steps, each a word of
 * 32 places or an ordinal that failed.
 */
export function walkPlaces(
  snapshot: OpenSnapshot,
  { sort }: OrderView,
  runs: readonly Run[],
  { clauses, tests }: Checks,
  most: number,
  patience: number,
): number[] | null {
  const { ordinals } = snapshot.orders[sort]
  const found: number[] = []
  let left = patience
  for (const { low, high, up } of runs) {
    const [first, last, step] = up ? [low >>> 5, (high - 1) >>> 5, 1] : [(high - 1) >>> 5, low >>> 5, -1]
    for (let at = first; at !== last + step; at += step) {
      if (--left < 0) return null
      let word = cutWord(wordOf(clauses, at), at, low, high)
      while (word !== 0) {
        const bit = up ? 31 - Math.clz32(word & -word) : 31 - Math.clz32(word)
        word &= ~(1 << bit)
        const ordinal = ordinals[(at << 5) + bit]!
        if (passes(tests, ordinal)) {
          found.push(ordinal)
          if (found.length === most) return found
        } else if (--left < 0) return null
      }
    }
  }
  return found
}

/** The first `most` of ascending `ordinals` along `runs` of the order of publication, whose places they are, that pass. */
export function walkList(ordinals: Uint32Array, runs: readonly Run[], tests: readonly Test[], most: number): number[] {
  const found: number[] = []
  for (const { low, high, up } of runs) {
    const part = cut(ordinals, { from: low, to: high })
    for (let i = 0; i < part.length; i++) {
      const ordinal = part[up ? i : part.length - 1 - i]!
      if (!passes(tests, ordinal)) continue
      found.push(ordinal)
      if (found.length === most) return found
    }
  }
  return found
}

/** Whether an ordinal passes all tests, without a closure for each. */
export function passes(tests: readonly Test[], ordinal: number): boolean {
  for (let i = 0; i < tests.length; i++) if (!tests[i]!(ordinal)) return false
  return true
}
