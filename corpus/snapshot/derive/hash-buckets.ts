/** Buckets by the hash of a key, so that a reader of few keys reads few bytes of a file. SPEC.md, "Hash buckets". */
import { crc32 } from '../../runtime/crc32.ts'
import type { LocatedColumn, TableHeader } from '../codec/table.ts'
import { type KeyHash, shardOfHash } from '../record/hashed-shard.ts'

/** Length of the CRC before the content of a bucket. */
export const CRC_BYTES = 4

/** Returns the smallest power of two that leaves on average at most `most` keys in a bucket. */
export function bucketCount(keys: number, most: number): number {
  let count = 1
  while (keys > count * most) count *= 2
  return count
}

export const bucketOf = ({ high }: Pick<KeyHash, 'high'>, count: number): number => shardOfHash(high, count)

/** Returns the columns of buckets with these contents. The CRC of each also covers `label`. */
export function encodeBuckets(contents: readonly Uint8Array[], label = '') {
  const starts = new Uint32Array(contents.length + 1)
  const buckets = contents.map((content, number) => {
    const bytes = Buffer.alloc(CRC_BYTES + content.length)
    bytes.writeUInt32LE(crcOf(label, number, content), 0)
    bytes.set(content, CRC_BYTES)
    starts[number + 1] = starts[number]! + bytes.length
    return bytes
  })
  return { starts, buckets: new Uint8Array(Buffer.concat(buckets)) }
}

/** The CRC also covers the number, because a reader of a bucket has no digest of its position. */
const crcOf = (label: string, number: number, content: Uint8Array) => crc32(content, crc32(`${label}${number}\t`))

export interface LocatedBuckets {
  count: number
  starts: LocatedColumn
  buckets: LocatedColumn
}

/** Returns where the buckets of a table are; null if it has none. */
export function locateBuckets({ columns }: Pick<TableHeader, 'columns'>): LocatedBuckets | null {
  const [starts, buckets] = [columns.get('starts'), columns.get('buckets')]
  const count = (starts?.length ?? 0) - 1
  const isPower = count > 0 && (count & (count - 1)) === 0
  return starts?.type === 'u32' && buckets?.type === 'u8' && isPower ? { count, starts, buckets } : null
}

/** Returns the byte range of the bucket between two values of `starts`; null if there is none. */
export const bucketRange = ({ buckets }: Pick<LocatedBuckets, 'buckets'>, from: number, to: number) =>
  to < from + CRC_BYTES || to > buckets.length ? null : { at: buckets.at + from, length: to - from }

/** Returns the content of a bucket; null if its CRC is wrong. */
export function bucketContent(bytes: Uint8Array, number: number, label = ''): Uint8Array | null {
  if (bytes.length < CRC_BYTES) return null
  const content = bytes.subarray(CRC_BYTES)
  const crc = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0, true)
  return crc === crcOf(label, number, content) ? content : null
}
