/** A page of a list other than `/cves`: whole segments of page shards, or the rows that match. */
import type { Steps } from '../../runtime/steps.ts'
import {
  type CursorBinding,
  cursorAfter,
  type ListFilters,
  type ListName,
  type RowKey,
  type SnapshotData,
  type SortOrder,
} from '../../snapshot/index.ts'
import { type Answer, splicedAnswer } from '../answer.ts'
import { entryText } from './entry.ts'
import { NO_HEAD, pageHead, pageTail, withFields } from './page-frame.ts'
import { isWithinSegments, segmentsOf } from './page-segments.ts'

export interface ListRequest {
  list: ListName
  binding: CursorBinding
  sort: SortOrder
  filters: ListFilters
  limit: number
  after: RowKey | null
  /** Without cursors, `next_cursor` is always null. */
  paged?: boolean
  /** Whether the answer states the number of all rows. */
  count?: boolean
}

export interface ListShape {
  /** Members before `data`. */
  head?: object
  /** Default: rows are answered as stored. */
  row?: (row: never) => object
  /** Answers the catalog entries of the rows, which have more fields. */
  entries?: boolean
  /** The fields of rows. Default: all. */
  fields?: readonly string[] | undefined
}

/** `matches` are the ascending ordinals that match `filters.q`; null without a `q`. */
export function* listPageAnswer(
  snapshot: SnapshotData,
  { list, binding, sort, filters, limit, after, paged = true, count: isCounted = false }: ListRequest,
  matches: Uint32Array | null,
  { head = NO_HEAD, row, entries = false, fields }: ListShape = {},
): Steps<Answer> {
  const data = snapshot.lists[list]
  const slice = yield* data.slice({ sort, filters, limit, after, matches })
  const { start, count, next } = slice
  const nextCursor = paged && next ? cursorAfter(snapshot, binding, next) : null
  const tail = pageTail(limit, nextCursor, isCounted ? count : null)
  const isStored = start !== null && isWithinSegments(start, limit, count)
  if (isStored && !row && !entries && !fields) {
    const rows = yield* data.pieces(sort.key, segmentsOf(start, Math.min(start + limit, count)))
    return splicedAnswer(snapshot, 'shard', [pageHead(head), ...rows, tail])
  }
  let texts: string[] = []
  if (entries) for (const ordinal of slice.ordinals!) texts.push(entryText((yield* data.entry({ ordinal }))!))
  else texts = yield* data.rows(sort.key, slice)
  if (row || fields) texts = texts.map((text) => shaped(JSON.parse(text), row, fields))
  const servedFrom = matches ? 'sqlite' : isStored ? 'shard' : 'merge'
  return {
    servedFrom,
    snapshotId: snapshot.id,
    body: { text: `${pageHead(head)}${texts.join(',')}${tail}`, isLarge: true },
  }
}

function shaped(stored: object, row: ListShape['row'], fields: readonly string[] | undefined): string {
  const whole = row ? row(stored as never) : stored
  return JSON.stringify(fields ? withFields(whole, fields) : whole)
}
