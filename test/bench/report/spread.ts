/** Figures from rounds: what a value was most of the time, and how far it went. */
import type { Spread } from './line.ts'

/** Of an even number of values the lower one in the middle, so that it is always one that was seen. */
export function median(values: readonly number[]): number {
  return Float64Array.from(values).sort()[(values.length - 1) >> 1] ?? Number.NaN
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) }
}

/** One to the other, round by round. @throws RangeError where they did not take turns */
export function ratioOf(of: readonly number[], to: readonly number[]): Spread {
  if (of.length !== to.length || of.length === 0) throw new RangeError(`${of.length} rounds against ${to.length}`)
  return spreadOf(of.map((value, round) => value / to[round]!))
}
