/** Distributions by inversion: each maps a uniform number in [0, 1) to a value. Tables of figures are texts. */

export type Distribution = (even: number) => number

/** Parses `share:value share:value`. */
export function pairs(text: string): [left: number, right: number][] {
  const words = text.trim().split(/\s+/)
  return words.map((pair) => pair.split(':').map(Number) as [number, number])
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
  const sums = choices.map(([, weight]) => (total += weight))
  return (even) => choices[sums.findIndex((sum) => sum > even * total)]![0]
}

/** Returns a weighted choice among texts: `value:weight|value:weight`. */
export function choice<T extends string>(table: string): (even: number) => T {
  const rows = table.split('|').map((row) => [row.slice(0, row.lastIndexOf(':')), row.split(':').at(-1)] as const)
  return weighted(rows.map(([value, weight]) => [value as T, Number(weight)] as const))
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
