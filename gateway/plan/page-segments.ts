/** Where rows of an order lie in its page shard: which segments of which pages. */
import { ROWS_PER_PAGE, ROWS_PER_SEGMENT } from '../../corpus/snapshot/derive/pages.ts'

export interface PageSegment {
  page: number
  segment: number
}

/** Whether the rows from `start` on are whole segments: the last segment of an order may be short. */
export function liesInSegments(start: number, limit: number, count: number): boolean {
  return start % ROWS_PER_SEGMENT === 0 && (limit % ROWS_PER_SEGMENT === 0 || start + limit >= count)
}

/** Rows of a page that are a whole segment, and which of the page's rows the first of them is. */
export interface WholeSegment extends PageSegment {
  at: number
}

/**
 * The whole segments among rows whose places in the stored order are given, ascending. Of as many rows as a segment has
 * the last one is in each segment that begins among them: one is looked at of so many.
 */
export function wholeSegments(count: number, placeOf: (at: number) => number): WholeSegment[] {
  const whole: WholeSegment[] = []
  for (let last = ROWS_PER_SEGMENT - 1; last < count; ) {
    const place = placeOf(last)
    const first = place - (place % ROWS_PER_SEGMENT)
    const at = last - (place - first)
    const end = at + ROWS_PER_SEGMENT
    if (at >= 0 && end <= count && placeOf(at) === first && placeOf(end - 1) === first + ROWS_PER_SEGMENT - 1) {
      whole.push({ at, ...segmentAt(first) })
      last = end + ROWS_PER_SEGMENT - 1
    } else last += ROWS_PER_SEGMENT
  }
  return whole
}

/** The segment that begins at a place. */
function segmentAt(place: number): PageSegment {
  const page = Math.floor(place / ROWS_PER_PAGE)
  return { page, segment: (place - page * ROWS_PER_PAGE) / ROWS_PER_SEGMENT }
}

/** Where the rows of the places from `start` to `end` lie. */
export function segmentsOf(start: number, end: number): PageSegment[] {
  const segments: PageSegment[] = []
  for (let place = start; place < end; place += ROWS_PER_SEGMENT) segments.push(segmentAt(place))
  return segments
}
