/** Positions of an order: binary search, and conversion between directions. */

/** Returns the first of `count` positions where the monotonic `holds` is true, or `count` when there is none. */
export function firstWhere(count: number, holds: (place: number) => boolean): number {
  let from = 0
  let to = count
  while (from < to) {
    const middle = (from + to) >>> 1
    if (holds(middle)) to = middle
    else from = middle + 1
  }
  return from
}

/** Returns the first index in ascending `sorted` with a number not below `least`. */
export const firstFrom = (sorted: Uint32Array, least: number): number =>
  firstWhere(sorted.length, (at) => sorted[at]! >= least)

/**
 * Converts a position to the other direction: reverses the `keyed` rows with a key, then the others, which stay last
 * (rule 6).
 */
export const turnedPlace = (place: number, keyed: number, count: number): number =>
  place < keyed ? keyed - 1 - place : keyed + count - 1 - place
