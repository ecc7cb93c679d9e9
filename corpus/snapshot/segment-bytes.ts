/** The bytes of segments, compressed and plain, checked before anybody believes them. SPEC.md, "Segment". */
import { MAX_SEGMENT_PLAIN } from './bounds.ts'
import { crc32 } from './crc32.ts'
import { inflateSegment } from './deflate.ts'
import { SnapshotError } from './error.ts'
import type { Segment } from './member.ts'

/** Where the bytes of a segment lie, and what they must be. */
export type PlacedSegment = Pick<Segment, 'offset' | 'length' | 'plainLength' | 'plainCrc' | 'storedCrc'>

/**
 * The compressed bytes of a segment, checked against its CRC. `bytes` begins where the member begins.
 * @throws SnapshotError `digest` when they are not what was written
 */
export function storedBytes(bytes: Buffer, segment: PlacedSegment): Buffer {
  return checkedBytes(bytes.subarray(segment.offset, segment.offset + segment.length), segment)
}

/**
 * The same where only the bytes of the segment were read.
 * @throws SnapshotError `digest` when they are not what was written
 */
export function checkedBytes(stored: Buffer, segment: PlacedSegment): Buffer {
  if (stored.length !== segment.length || crc32(stored) !== segment.storedCrc) {
    throw new SnapshotError('digest', 'a segment is damaged')
  }
  return stored
}

/**
 * The plain bytes of a segment, checked against both of its CRCs.
 * @throws SnapshotError `digest` or `malformed`
 */
export function plainBytes(bytes: Buffer, segment: PlacedSegment): Buffer {
  // An index, unlike a segment table, was not checked for it.
  if (segment.plainLength > MAX_SEGMENT_PLAIN) {
    throw new SnapshotError('malformed', `a segment promises ${segment.plainLength} bytes, more than any may have`)
  }
  const plain = inflateSegment(storedBytes(bytes, segment), segment.plainLength)
  if (crc32(plain) !== segment.plainCrc) throw new SnapshotError('digest', 'a segment inflates to other bytes')
  return plain
}

/** A segment of the member that `bytes` begin with. */
export interface SegmentBytes {
  bytes: Buffer
  segment: Segment
}

/** How much is inflated in one call: enough that the call costs nothing beside it. */
const TOGETHER_BYTES = 4 * 1024 * 1024

/**
 * The plain bytes of many segments, checked as `plainBytes` does: in a row they are one DEFLATE stream, and inflating
 * them as such takes a third of the time (41,000 segments: 0.5 s instead of 1.7 s).
 * @throws SnapshotError `digest` or `malformed`
 */
export function plainOfMany(segments: readonly SegmentBytes[]): Buffer[] {
  const plain: Buffer[] = []
  for (let from = 0; from < segments.length; ) {
    const stored: Buffer[] = []
    let plainLength = 0
    let end = from
    for (; end < segments.length && (end === from || plainLength < TOGETHER_BYTES); end++) {
      const { bytes, segment } = segments[end]!
      stored.push(storedBytes(bytes, segment))
      plainLength += segment.plainLength
    }
    const together = inflateSegment(Buffer.concat(stored), plainLength)
    for (let at = 0; from < end; from++) {
      const { plainLength, plainCrc } = segments[from]!.segment
      const one = together.subarray(at, at + plainLength)
      if (crc32(one) !== plainCrc) throw new SnapshotError('digest', 'a segment inflates to other bytes')
      plain.push(one)
      at += plainLength
    }
  }
  return plain
}
