/** Strengths of colour: the classes `heat-0` to `heat-6`. */
export const HEATS = 6

/** Returns the strength for a count, on a logarithmic scale up to `most`. 0 means no CVE. */
export function heat(count: number, most: number): number {
  if (count === 0) return 0
  if (most <= 1) return HEATS
  return 1 + Math.floor(((HEATS - 1) * Math.log(count)) / Math.log(most) + 1e-9)
}
