/**
 * Segments of page shards as pieces of answers. Only the heads of pages are cached: 12 MB for all pages of 350,000
 * CVEs. Caching whole pages was slower than reading them, because of copies and page faults.
 */

import { crc32, crc32Combine } from '../../corpus/runtime/crc32.ts'
import { generationalCache } from '../../corpus/runtime/generational-cache.ts'
import {
  CVE_SORTS,
  type CveSort,
  checkedBytes,
  type FusedPieces,
  type MemberHead,
  perSnapshot,
  ROWS_KIND,
  type Segment,
  SnapshotError,
  snapshotNumber,
  spliceSeed,
  storedLength,
  writeStoredText,
} from '../../corpus/snapshot/index.ts'
import { PROCESS_BYTES } from '../process/bounds.ts'
import type { OpenSnapshot } from '../snapshots/open-snapshot.ts'

export interface RowPieces {
  /** Returns segments `from` to `to` (exclusive) of a page, joined by commas. */
  run(sort: CveSort, page: number, from: number, to: number): FusedPieces
}

/** Bytes, views, segment table, map entry. */
const HEAD_BYTES = 850

/** Shared by all snapshots, so that the limit applies to the process. */
const heads = generationalCache<number, MemberHead>(PROCESS_BYTES.pages, () => HEAD_BYTES)

const KEYS_PER_SNAPSHOT = 2 ** 33

export const rowPieces = perSnapshot((snapshot: OpenSnapshot): RowPieces => {
  const firstKey = snapshotNumber(snapshot) * KEYS_PER_SNAPSHOT

  return {
    run(sort, page, from, to) {
      const key = firstKey + page * CVE_SORTS.length + CVE_SORTS.indexOf(sort)
      let head = heads.get(key)
      if (!head) {
        head = snapshot.pageHead(sort, page)
        heads.set(key, head)
      }
      return runOf(snapshot, sort, page, rowsSegments(head, from, to))
    },
  }
})

/** The comma between two segments of a page, as the page shard has it and an answer needs it. */
const COMMA = ','
const COMMA_BYTES = storedLength(COMMA.length)

function runOf(snapshot: OpenSnapshot, sort: CveSort, page: number, segments: readonly Segment[]): FusedPieces {
  const begin = segments[0]!.offset
  let end = begin
  let plainLength = 0
  let plainCrc = 0
  const seeded: (string | { segment: Segment })[] = []
  for (const segment of segments) {
    if (segment.offset > begin) {
      if (segment.offset !== end + COMMA_BYTES) throw new SnapshotError('malformed', `page ${page} by ${sort} has gaps`)
      plainCrc = crc32(COMMA, plainCrc)
      plainLength += COMMA.length
      seeded.push(COMMA)
    }
    end = segment.offset + segment.length
    plainCrc = crc32Combine(plainCrc, segment.plainCrc, segment.plainLength)
    plainLength += segment.plainLength
    seeded.push({ segment })
  }
  return {
    segment: { plainLength, plainCrc },
    length: end - begin,
    write(out, at) {
      snapshot.readPage(sort, page, begin, end - begin, out, at)
      for (const segment of segments) {
        const start = at + segment.offset - begin
        // The bytes between segments have no digest.
        if (start > at) writeStoredText(out, start - COMMA_BYTES, COMMA)
        checkedBytes(out.subarray(start, start + segment.length), segment)
      }
    },
    seed: spliceSeed(seeded),
  }
}

function rowsSegments(head: MemberHead, from: number, to: number): Segment[] {
  const segments: Segment[] = []
  for (let at = from; at < to; at++) segments.push(rowsSegment(head, at))
  return segments
}

function rowsSegment(head: MemberHead, at: number): Segment {
  const segment = head.segments[at]
  if (segment?.kind !== ROWS_KIND) throw new SnapshotError('malformed', `page ${head.key} has no segment ${at}`)
  return segment
}
