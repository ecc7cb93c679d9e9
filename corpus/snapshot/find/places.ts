/** Places of an order: finding one by halves, and turning those of one direction into those of the other. */

/** The first of `count` places at which `holds` is true, where it is so of every place behind it; `count` where it never is. */
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

/** Where in ascending `sorted` the first number lies that is not below `least`. */
export const firstFrom = (sorted: Uint32Array, least: number): number =>
  firstWhere(sorted.length, (at) => sorted[at]! >= least)

/**
 * The place in one direction of what stands at `place` in the other: the `keyed` rows that have a key reversed, then the
 * others reversed, so that what has no key stays last (rule 6).
 */
export const turnedPlace = (place: number, keyed: number, count: number): number =>
  place < keyed ? keyed - 1 - place : keyed + count - 1 - place
