/** A shard: members in a row. SPEC.md, "Shard". */
import { createHash } from 'node:crypto'
import { SnapshotError } from './error.ts'
import { decodeMemberHead, type MemberHead, type Segment } from './member.ts'

/** A member's head and where the member begins in its shard. */
export interface PlacedMember extends MemberHead {
  at: number
}

/**
 * The heads of all members of a shard, in order.
 * @throws SnapshotError when the bytes are not members from the first to the last
 */
export function* membersOf(shard: Buffer): Generator<PlacedMember> {
  for (let at = 0; at < shard.length; ) {
    const head = decodeMemberHead(shard.subarray(at))
    if (head.length < head.headLength || at + head.length > shard.length) {
      throw new SnapshotError('malformed', `member ${head.key} is longer than its shard`)
    }
    yield { ...head, at }
    at += head.length
  }
}

/** What of a segment is content, and not the work of a compressor. */
export type SegmentContent = Pick<Segment, 'kind' | 'count' | 'plainLength' | 'hash'>

/** Builds the content digest of a shard member by member: what is in it, whatever the compression made of it. */
export interface ContentDigest {
  add(member: { key: string; segments: readonly SegmentContent[] }): void
  hex(): string
}

/**
 * SHA-256 over, for each member: its key and a zero byte, the number of its segments (one byte), and of each segment
 * kind and count, plain length (as in the table) and content hash. It is taken from heads alone, so that members that
 * are carried over from an older shard need not be inflated.
 */
export function contentDigest(): ContentDigest {
  const hash = createHash('sha256')
  return {
    add({ key, segments }) {
      const name = Buffer.from(`${key}\0`, 'latin1')
      const line = Buffer.allocUnsafe(name.length + 1)
      line.set(name)
      line[name.length] = segments.length
      hash.update(line)
      for (const segment of segments) {
        const fixed = Buffer.allocUnsafe(8)
        fixed.writeUInt32LE(((segment.count << 8) | segment.kind) >>> 0, 0)
        fixed.writeUInt32LE(segment.plainLength, 4)
        hash.update(fixed).update(segment.hash)
      }
    },
    hex: () => hash.digest('hex'),
  }
}
