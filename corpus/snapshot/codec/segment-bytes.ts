/** The bytes of segments, compressed and plain, checked before use. SPEC.md, "Segment". */

import { crc32 } from '../../runtime/crc32.ts'
import { MAX_SEGMENT_PLAIN } from '../bounds.ts'
import { SnapshotError } from '../error.ts'
import type { Segment } from '../record/member.ts'
import { inflateSegment } from './inflate.ts'

export type LocatedSegment = Pick<Segment, 'offset' | 'length' | 'plainLength' | 'plainCrc' | 'storedCrc'>

/**
 * Returns the compressed bytes of a segment, checked against its CRC. `bytes` begins at the member.
 * @throws SnapshotError `digest` when they differ
 */
export function storedBytes(bytes: Buffer, segment: LocatedSegment): Buffer {
  const stored = bytes.subarray(segment.offset, segment.offset + segment.length)
  if (stored.length !== segment.length || crc32(stored) !== segment.storedCrc) {
    throw new SnapshotError('digest', 'a segment is damaged')
  }
  return stored
}

/**
 * Returns the plain bytes of a segment, checked against both CRCs.
 * @throws SnapshotError `digest` or `malformed`
 */
export function plainBytes(bytes: Buffer, segment: LocatedSegment): Buffer {
  // Segment tables are checked for this, indexes are not.
  if (segment.plainLength > MAX_SEGMENT_PLAIN) {
    throw new SnapshotError(
      'malformed',
      `a segment states ${segment.plainLength} bytes; the limit is ${MAX_SEGMENT_PLAIN}`,
    )
  }
  const plain = inflateSegment(storedBytes(bytes, segment), segment.plainLength)
  if (crc32(plain) !== segment.plainCrc) throw new SnapshotError('digest', 'a segment does not match its CRC-32')
  return plain
}

export interface SegmentBytes {
  bytes: Buffer
  segment: Segment
}

/** Bytes per inflate call; enough to make its cost negligible. */
const TOGETHER_BYTES = 4 * 1024 * 1024

/**
 * Yields the plain bytes of many segments, checked as in `plainBytes`. They inflate together, as one DEFLATE
 * stream: test/bench/README.md, "Choices".
 * @throws SnapshotError `digest` or `malformed`
 */
export function* plainOfMany(segments: readonly SegmentBytes[]): Generator<Buffer> {
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
      if (crc32(one) !== plainCrc) throw new SnapshotError('digest', 'a segment does not match its CRC-32')
      yield one
      at += plainLength
    }
  }
}
