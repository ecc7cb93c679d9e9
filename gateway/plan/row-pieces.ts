/** Segments as pieces of answers; runs of rows in page shards are read and checked once, and remembered within a bound. */
import { CVE_PARTS } from '../../corpus/snapshot/cve-member.ts'
import { ROWS_KIND, SEGMENTS_PER_PAGE } from '../../corpus/snapshot/derive/pages.ts'
import { SnapshotError } from '../../corpus/snapshot/error.ts'
import { decodeMemberHead, type Segment, storedBytes } from '../../corpus/snapshot/member.ts'
import { CVE_SORTS, type CveSort } from '../../corpus/snapshot/order.ts'
import type { SplicedSegment } from '../../corpus/snapshot/splice.ts'
import { PROCESS_BYTES } from '../bounds.ts'
import { recent } from '../recent.ts'
import type { OpenSnapshot, ReadMember } from '../shelf/open-snapshot.ts'
import { perSnapshot } from './per-snapshot.ts'

export interface RowPieces {
  /** A run of rows as it lies in a page shard: segment `segment` of page `page`. */
  run(sort: CveSort, page: number, segment: number): SplicedSegment
}

/** What an entry takes beside its bytes: map slot, views, objects. */
const ENTRY_BYTES = 400

interface Page {
  member: ReadMember
  /** The segments that were checked. */
  runs: (SplicedSegment | undefined)[]
}

/** One memory for all snapshots that are open, so that the bounds are those of the process. */
const pages = recent<number, Page>(
  PROCESS_BYTES.pages,
  ({ member }) => member.bytes.length + ENTRY_BYTES * SEGMENTS_PER_PAGE,
)

/** Keys of a snapshot begin at a multiple of this. */
const KEYS_PER_SNAPSHOT = 2 ** 33
let snapshots = 0

export const rowPieces = perSnapshot((snapshot: OpenSnapshot): RowPieces => {
  const firstKey = snapshots++ * KEYS_PER_SNAPSHOT

  return {
    run(sort, page, segment) {
      const key = firstKey + page * CVE_SORTS.length + CVE_SORTS.indexOf(sort)
      let known = pages.get(key)
      if (!known) {
        known = { member: lasting(snapshot.page(sort, page)), runs: [] }
        pages.set(key, known)
      }
      known.runs[segment] ??= spliced(known.member, pageSegment(known.member, segment))
      return known.runs[segment]
    },
  }
})

/** A member in memory of its own: what is read lies in memory for one answer. */
function lasting({ bytes: read }: ReadMember): ReadMember {
  const bytes = Buffer.allocUnsafeSlow(read.length)
  bytes.set(read)
  return { ...decodeMemberHead(bytes), bytes }
}

/**
 * A segment of a member as a piece.
 * @throws SnapshotError `digest` when it is damaged
 */
export function spliced(member: ReadMember, segment: Segment): SplicedSegment {
  return { segment, stored: storedBytes(member.bytes, segment) }
}

export function coreSegment(member: ReadMember): Segment {
  const segment = member.segments[0]
  if (segment?.kind !== CVE_PARTS.core.kind) throw new SnapshotError('malformed', `${member.key} has no core`)
  return segment
}

function pageSegment(member: ReadMember, at: number): Segment {
  const segment = member.segments[at]
  if (segment?.kind !== ROWS_KIND) throw new SnapshotError('malformed', `page ${member.key} has no segment ${at}`)
  return segment
}
