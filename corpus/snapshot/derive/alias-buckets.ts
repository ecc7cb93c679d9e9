/** The sets of aliases by the hash of each id, so that a reader reads only the sets it needs. SPEC.md, "Aliases". */
import { crc32 } from '../../runtime/crc32.ts'
import { column, decodeTable, encodeTable, type TableHeader } from '../codec/table.ts'
import { SnapshotError } from '../error.ts'
import { keyHash, shardOfHash } from '../record/hashed-shard.ts'
import type { AliasSets } from './aliases.ts'

/** On average, at most: 2 KB, because a set is in the bucket of each of its ids. */
const IDS_PER_BUCKET = 32
/** A longer set is not repeated: 10,000 ids would take 2 GB. */
const MAX_SET_IDS = 64
const CRC_BYTES = 4

export function encodeAliasBuckets({ ids, set, starts, members }: AliasSets): Buffer {
  let count = 1
  while (ids.length > count * IDS_PER_BUCKET) count *= 2
  const sets = Array.from({ length: count }, (): Map<number, string[]> => new Map())
  ids.forEach((id, position) => {
    const number = set[position]!
    const [from, to] = [starts[number]!, starts[number + 1]!]
    const bucket = sets[shardOfHash(keyHash(id).high, count)]!
    const isLong = to - from > MAX_SET_IDS
    // The position of an id differs from the number of every short set.
    if (isLong) bucket.set(-1 - position, [id])
    else if (!bucket.has(number))
      bucket.set(
        number,
        Array.from(members.subarray(from, to), (member) => ids[member]!),
      )
  })
  const buckets = sets.map((bucket, number) => {
    const text = Buffer.from(JSON.stringify([...bucket.values()]))
    const bytes = Buffer.alloc(CRC_BYTES + text.length)
    bytes.writeUInt32LE(crcOf(number, text), 0)
    bytes.set(text, CRC_BYTES)
    return bytes
  })
  const at = new Uint32Array(count + 1)
  buckets.forEach(({ length }, number) => {
    at[number + 1] = at[number]! + length
  })
  return encodeTable({ about: {}, columns: { starts: at, buckets: new Uint8Array(Buffer.concat(buckets)) } })
}

/** The CRC also covers the number, because a reader of a bucket has no digest of its position. */
const crcOf = (number: number, text: Uint8Array) => crc32(text, crc32(`${number}\t`))

/** Returns the number of an id's bucket, and the number of buckets. */
function bucketOf({ columns }: TableHeader, id: string) {
  const starts = columns.get('starts')
  const buckets = columns.get('buckets')
  const count = (starts?.length ?? 0) - 1
  const isPower = count > 0 && (count & (count - 1)) === 0
  if (starts?.type !== 'u32' || buckets?.type !== 'u8' || !isPower) throw damaged()
  return { number: shardOfHash(keyHash(id).high, count), starts, buckets }
}

/**
 * Returns the byte range that states where the bucket of an id is.
 * @throws SnapshotError `malformed`
 */
export function bucketStartSpan(header: TableHeader, id: string) {
  const { number, starts } = bucketOf(header, id)
  return { at: starts.at + number * 4, length: 8 }
}

/**
 * Returns the byte range of the bucket of an id, from the bytes of `bucketStartSpan`.
 * @throws SnapshotError `malformed`
 */
export function bucketSpan(header: TableHeader, id: string, start: Uint8Array) {
  const { buckets } = bucketOf(header, id)
  const view = new DataView(start.buffer, start.byteOffset, 8)
  const [from, to] = [view.getUint32(0, true), view.getUint32(4, true)]
  if (to < from + CRC_BYTES || to > buckets.length) throw damaged()
  return { at: buckets.at + from, length: to - from }
}

/**
 * Returns all ids of the set of an id, ascending; null for an id without an alias. `whole` means a long set, which
 * only the table of aliases contains.
 * @throws SnapshotError `malformed`, or `digest` when the bytes are damaged
 */
export function aliasesInBucket(header: TableHeader, id: string, bytes: Uint8Array): string[] | 'whole' | null {
  const { number } = bucketOf(header, id)
  const text = bytes.subarray(CRC_BYTES)
  const crc = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0, true)
  if (crc !== crcOf(number, text)) throw new SnapshotError('digest', `the aliases of ${id} are damaged`)
  const set = parsedSets(text).find((ids) => ids.includes(id))
  if (!set) return null
  return set.length === 1 ? 'whole' : set
}

const isSet = (ids: unknown): ids is string[] => Array.isArray(ids) && ids.every((id) => typeof id === 'string')

function parsedSets(text: Uint8Array): string[][] {
  let sets: unknown
  try {
    sets = JSON.parse(Buffer.from(text.buffer, text.byteOffset, text.length).toString())
  } catch (cause) {
    throw new SnapshotError('malformed', 'a bucket of aliases is not JSON', { cause })
  }
  if (Array.isArray(sets) && sets.every(isSet)) return sets
  throw new SnapshotError('malformed', 'a bucket of aliases has no sets of ids')
}

/**
 * Checks the whole file. Returns its number of ids.
 * @throws SnapshotError
 */
export function countBucketedIds(bytes: Uint8Array): number {
  const table = decodeTable(bytes)
  const starts = column(table, 'starts', 'u32')
  const buckets = column(table, 'buckets', 'u8')
  let count = 0
  for (let number = 0; number + 1 < starts.length; number++) {
    const [from, to] = [starts[number]!, starts[number + 1]!]
    if (to < from + CRC_BYTES || to > buckets.length) throw damaged()
    for (const ids of parsedSets(buckets.subarray(from + CRC_BYTES, to))) {
      count += ids.filter((id) => shardOfHash(keyHash(id).high, starts.length - 1) === number).length
    }
  }
  return count
}

const damaged = () => new SnapshotError('malformed', 'the buckets of aliases are damaged')
