/**
 * Segments of page shards as pieces of answers. Only the heads of pages are cached: 12 MB for all pages of 350,000
 * CVEs. Caching whole pages was slower than reading them, because of copies and page faults.
 */

import { generationalCache } from '../../corpus/runtime/generational-cache.ts'
import { checkedBytes } from '../../corpus/snapshot/codec/segment-bytes.ts'
import type { SplicedSegment } from '../../corpus/snapshot/codec/splice.ts'
import { CVE_SORTS, type CveSort } from '../../corpus/snapshot/cursor/order.ts'
import { ROWS_KIND } from '../../corpus/snapshot/derive/pages.ts'
import { SnapshotError } from '../../corpus/snapshot/error.ts'
import { perSnapshot, snapshotNumber } from '../../corpus/snapshot/filter/per-snapshot.ts'
import type { MemberHead, Segment } from '../../corpus/snapshot/record/member.ts'
import { PROCESS_BYTES } from '../process/bounds.ts'
import type { OpenSnapshot } from '../snapshots/open-snapshot.ts'

export interface RowPieces {
  /** `to` is exclusive. */
  runs(sort: CveSort, page: number, from: number, to: number): SplicedSegment[]
}

/** Bytes, views, segment table, map entry. */
const HEAD_BYTES = 850

/** Shared by all snapshots, so that the limit applies to the process. */
const heads = generationalCache<number, MemberHead>(PROCESS_BYTES.pages, () => HEAD_BYTES)

const KEYS_PER_SNAPSHOT = 2 ** 33

export const rowPieces = perSnapshot((snapshot: OpenSnapshot): RowPieces => {
  const firstKey = snapshotNumber(snapshot) * KEYS_PER_SNAPSHOT

  return {
    runs(sort, page, from, to) {
      const key = firstKey + page * CVE_SORTS.length + CVE_SORTS.indexOf(sort)
      let head = heads.get(key)
      if (!head) {
        head = snapshot.pageHead(sort, page)
        heads.set(key, head)
      }
      const last = rowsSegment(head, to - 1)
      const begin = rowsSegment(head, from).offset
      const bytes = snapshot.pageBytes(sort, page, begin, last.offset + last.length)
      const runs: SplicedSegment[] = []
      for (let i = from; i < to; i++) {
        const segment = rowsSegment(head, i)
        const at = segment.offset - begin
        runs.push({ segment, stored: checkedBytes(bytes.subarray(at, at + segment.length), segment) })
      }
      return runs
    },
  }
})

function rowsSegment(head: MemberHead, at: number): Segment {
  const segment = head.segments[at]
  if (segment?.kind !== ROWS_KIND) throw new SnapshotError('malformed', `page ${head.key} has no segment ${at}`)
  return segment
}
