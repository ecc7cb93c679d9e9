/** Converts positions of an order to segments of its page shard. */
import { ROWS_PER_PAGE, ROWS_PER_SEGMENT } from '../../corpus/snapshot/index.ts'

export interface PageSegment {
  page: number
  segment: number
}

/** The last segment of an order may be short. */
export function isWithinSegments(start: number, limit: number, count: number): boolean {
  return start % ROWS_PER_SEGMENT === 0 && (limit % ROWS_PER_SEGMENT === 0 || start + limit >= count)
}

/** `at` is the index of its first row. */
export interface WholeSegment extends PageSegment {
  at: number
}

/**
 * Returns the whole segments among rows with the given ascending positions. A whole segment contains
 * one of every ROWS_PER_SEGMENT consecutive rows, so only these rows are tested.
 */
export function wholeSegments(count: number, positionOf: (at: number) => number): WholeSegment[] {
  const whole: WholeSegment[] = []
  for (let last = ROWS_PER_SEGMENT - 1; last < count; ) {
    const position = positionOf(last)
    const first = position - (position % ROWS_PER_SEGMENT)
    const at = last - (position - first)
    const end = at + ROWS_PER_SEGMENT
    if (at >= 0 && end <= count && positionOf(at) === first && positionOf(end - 1) === first + ROWS_PER_SEGMENT - 1) {
      whole.push({ at, ...segmentAt(first) })
      last = end + ROWS_PER_SEGMENT - 1
    } else last += ROWS_PER_SEGMENT
  }
  return whole
}

function segmentAt(position: number): PageSegment {
  const page = Math.floor(position / ROWS_PER_PAGE)
  return { page, segment: (position - page * ROWS_PER_PAGE) / ROWS_PER_SEGMENT }
}

/** `end` is exclusive. */
export function segmentsOf(start: number, end: number): PageSegment[] {
  const segments: PageSegment[] = []
  for (let position = start; position < end; position += ROWS_PER_SEGMENT) segments.push(segmentAt(position))
  return segments
}
