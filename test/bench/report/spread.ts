/** Median and range over rounds. */
import type { Spread } from './line.ts'

/** The lower median for an even number of values, so that the result is a measured value. */
export function median(values: readonly number[]): number {
  return Float64Array.from(values).sort()[(values.length - 1) >> 1] ?? Number.NaN
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) }
}

/**
 * Returns the ratio of two figures by round.
 * @throws RangeError if they did not take turns
 */
export function ratioOf(of: readonly number[], to: readonly number[]): Spread {
  if (of.length !== to.length || of.length === 0) throw new RangeError(`${of.length} rounds against ${to.length}`)
  return spreadOf(of.map((value, round) => value / to[round]!))
}
