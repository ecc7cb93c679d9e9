/** A shard: concatenated members. SPEC.md, "Shard". */
import { createHash } from 'node:crypto'
import { SHORT_HASH_LENGTH } from '../../runtime/digest.ts'
import { SnapshotError } from '../error.ts'
import { decodeMemberHead, type MemberHead, type Segment } from './member.ts'

export interface LocatedMember extends MemberHead {
  at: number
}

/**
 * Yields the heads of all members of a shard, in order.
 * @throws SnapshotError when the bytes are not a sequence of members
 */
export function* membersOf(shard: Buffer): Generator<LocatedMember> {
  for (let at = 0; at < shard.length; ) {
    const head = decodeMemberHead(shard.subarray(at))
    if (head.length < head.headLength || at + head.length > shard.length) {
      throw new SnapshotError('malformed', `member ${head.key} is longer than its shard`)
    }
    yield { ...head, at }
    at += head.length
  }
}

/**
 * Checks, before any inflation, that a shard inflates to at most `most` bytes.
 * @throws SnapshotError `malformed`
 */
export function checkPlainLength(shard: Buffer, most: number): void {
  let plain = 0
  for (const { segments } of membersOf(shard)) for (const { plainLength } of segments) plain += plainLength
  if (plain > most) throw new SnapshotError('malformed', `it inflates to ${plain} bytes; the limit is ${most}`)
}

/** The fields of a segment that do not depend on the compressor. */
export type SegmentContent = Pick<Segment, 'kind' | 'count' | 'plainLength' | 'hash'>

export interface ContentDigest {
  add(member: { key: string; segments: readonly SegmentContent[] }): void
  hex(): string
}

/**
 * Returns a digest builder: SHA-256 over all members. A member adds its key, a zero byte and its segment count (one
 * byte). Each segment adds kind and count, plain length (as in the table) and content hash.
 * It needs only heads, so reused members are not inflated.
 */
export function contentDigest(): ContentDigest {
  const hash = createHash('sha256')
  // Buffered, because a hash call costs more than the 28 bytes of a segment.
  const block = Buffer.allocUnsafe(DIGEST_BYTES)
  let end = 0
  const flush = () => {
    hash.update(block.subarray(0, end))
    end = 0
  }
  return {
    add({ key, segments }) {
      if (end + MAX_DIGEST_LINE > DIGEST_BYTES) flush()
      end += block.write(key, end, 'latin1')
      block[end++] = 0
      block[end++] = segments.length
      for (const { kind, count, plainLength, hash } of segments) {
        block.writeUInt32LE(((count << 8) | kind) >>> 0, end)
        block.writeUInt32LE(plainLength, end + 4)
        block.set(hash, end + 8)
        end += 8 + SHORT_HASH_LENGTH
      }
    },
    hex() {
      flush()
      return hash.digest('hex')
    },
  }
}

const DIGEST_BYTES = 64 * 1024
/** A key, a zero byte, a count and at most 255 segments. */
const MAX_DIGEST_LINE = 255 + 2 + 255 * (8 + SHORT_HASH_LENGTH)
