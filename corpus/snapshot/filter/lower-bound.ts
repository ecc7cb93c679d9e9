/** Positions of an order: binary search, and conversion between directions. */
import { partitionPoint } from '../../model/values/partition-point.ts'

/** Returns the first index in ascending `sorted` with a number not below `least`. */
export const lowerBound = (sorted: Uint32Array, least: number): number =>
  partitionPoint(sorted.length, (at) => sorted[at]! >= least)

/**
 * Converts a position to the other direction: reverses the `keyed` rows with a key, then the others, which stay last
 * (rule 6).
 */
export const reversedPosition = (position: number, keyed: number, count: number): number =>
  position < keyed ? keyed - 1 - position : keyed + count - 1 - position
