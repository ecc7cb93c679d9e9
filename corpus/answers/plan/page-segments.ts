/** Converts positions of an order to segments of its page shard. */
import { type PageSegment, ROWS_PER_PAGE, ROWS_PER_SEGMENT } from '../../snapshot/index.ts'

/** The last segment of an order may be short. */
export function isWithinSegments(start: number, limit: number, count: number): boolean {
  return start % ROWS_PER_SEGMENT === 0 && (limit % ROWS_PER_SEGMENT === 0 || start + limit >= count)
}

/** A segment that rows contain: from the index `first` up to, not including, `end`. */
export interface WholeSegment extends PageSegment {
  first: number
  end: number
}

/**
 * Returns the whole segments among `count` rows with ascending positions. A whole segment contains
 * one of every ROWS_PER_SEGMENT consecutive rows, so only these rows are tested.
 */
export function wholeSegments(count: number, positionAt: (at: number) => number): WholeSegment[] {
  const whole: WholeSegment[] = []
  for (let last = ROWS_PER_SEGMENT - 1; last < count; ) {
    const position = positionAt(last)
    const start = position - (position % ROWS_PER_SEGMENT)
    const first = last - (position - start)
    const end = first + ROWS_PER_SEGMENT
    if (
      first >= 0 &&
      end <= count &&
      positionAt(first) === start &&
      positionAt(end - 1) === start + ROWS_PER_SEGMENT - 1
    ) {
      whole.push({ first, end, ...segmentAt(start) })
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
