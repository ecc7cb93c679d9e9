/** Binary search. */

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
