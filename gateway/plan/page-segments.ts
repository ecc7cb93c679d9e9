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

/** Where the rows of the places from `start` to `end` lie. */
export function segmentsOf(start: number, end: number): PageSegment[] {
  const segments = []
  for (let place = start; place < end; place += ROWS_PER_SEGMENT) {
    const page = Math.floor(place / ROWS_PER_PAGE)
    segments.push({ page, segment: (place - page * ROWS_PER_PAGE) / ROWS_PER_SEGMENT })
  }
  return segments
}
