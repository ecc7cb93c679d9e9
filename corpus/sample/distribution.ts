/** Distributions by inversion: each maps a uniform number in [0, 1) to a value. */

export type Distribution = (even: number) => number

/** Parses a table of figures in compact form: `share:value share:value`. */
export function pairs(text: string): [left: number, right: number][] {
  return text
    .trim()
    .split(/\s+/)
    .map((pair) => pair.split(':').map(Number) as [number, number])
}

/**
 * Returns a distribution from its quantiles: `share:value` in ascending order from share 0 to 1. Values between them
 * are interpolated geometrically (linearly if a value is 0), because lengths and counts have long tails.
 */
export function quantiles(table: string): Distribution {
  const points = pairs(table)
  return (even) => {
    let i = 1
    while (i < points.length - 1 && even >= points[i]![0]) i++
    const [fromShare, from] = points[i - 1]!
    const [toShare, to] = points[i]!
    const way = (even - fromShare) / (toShare - fromShare)
    return from > 0 && to > 0 ? from * (to / from) ** way : from + (to - from) * way
  }
}

/** Returns a weighted choice. Weights have any unit. */
export function weighted<T>(choices: readonly (readonly [value: T, weight: number])[]): (even: number) => T {
  let total = 0
  const sums = choices.map(([, weight]) => {
    total += weight
    return total
  })
  return (even) => {
    const target = even * total
    let [low, high] = [0, sums.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if (sums[middle]! > target) high = middle
      else low = middle + 1
    }
    return choices[low]![0]
  }
}

/**
 * Returns ranks 0 to `count` - 1 by the Zipf-Mandelbrot law: weight (rank + shift)^-exponent, exponent not 1. It
 * inverts the integral of the law, so it needs no table.
 */
export function zipf(count: number, exponent: number, shift: number): Distribution {
  const power = 1 - exponent
  const low = shift ** power
  const high = (count + shift) ** power
  return (even) => Math.min(count - 1, Math.floor((low + even * (high - low)) ** (1 / power) - shift))
}

export interface ScoredVector {
  vector: string
  score: number
}

/**
 * Returns a function that picks a vector for an even number from 0 to 1. The table has lines `vector score count`, in
 * ascending order of score; `count` is the weight.
 */
export function scoredVectors(table: string): (even: number) => ScoredVector {
  const lines = table.trim().split('\n')
  const rows = lines.map((line) => {
    const [vector, score, count] = line.split(' ')
    return [{ vector: vector!, score: Number(score) }, Number(count)] as const
  })
  return weighted(rows.sort(([a], [b]) => a.score - b.score))
}
