/** Positions of an order: binary search, and conversion between directions. */

/** Returns the first of `count` positions where the monotonic `holds` is true, or `count` when there is none. */
export function partitionPoint(count: number, holds: (position: number) => boolean): number {
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
export const lowerBound = (sorted: Uint32Array, least: number): number =>
  partitionPoint(sorted.length, (at) => sorted[at]! >= least)

/**
 * Converts a position to the other direction: reverses the `keyed` rows with a key, then the others, which stay last
 * (rule 6).
 */
export const reversedPosition = (position: number, keyed: number, count: number): number =>
  position < keyed ? keyed - 1 - position : keyed + count - 1 - position
