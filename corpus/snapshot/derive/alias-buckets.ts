/** The sets of aliases by the hash of each id, so that a reader reads only the sets it needs. SPEC.md, "Aliases". */
import { column, decodeTable, encodeTable, type TableHeader } from '../codec/table.ts'
import { SnapshotError } from '../error.ts'
import { keyHash } from '../record/hashed-shard.ts'
import type { AliasSets } from './aliases.ts'
import {
  bucketContent,
  bucketCount,
  bucketOf,
  bucketRange,
  CRC_BYTES,
  encodeBuckets,
  locateBuckets,
} from './hash-buckets.ts'

/** On average, at most: 2 KB, because a set is in the bucket of each of its ids. */
const IDS_PER_BUCKET = 32
/** A longer set is not repeated: 10,000 ids would take 2 GB. */
const MAX_SET_IDS = 64

export function encodeAliasBuckets({ ids, set, starts, members }: AliasSets): Buffer {
  const count = bucketCount(ids.length, IDS_PER_BUCKET)
  const sets = Array.from({ length: count }, (): Map<number, string[]> => new Map())
  ids.forEach((id, position) => {
    const number = set[position]!
    const [from, to] = [starts[number]!, starts[number + 1]!]
    const bucket = sets[bucketOf(keyHash(id), count)]!
    const isLong = to - from > MAX_SET_IDS
    // The position of an id differs from the number of every short set.
    if (isLong) bucket.set(-1 - position, [id])
    else if (!bucket.has(number))
      bucket.set(
        number,
        Array.from(members.subarray(from, to), (member) => ids[member]!),
      )
  })
  const contents = sets.map((bucket) => Buffer.from(JSON.stringify([...bucket.values()])))
  return encodeTable({ about: {}, columns: encodeBuckets(contents) })
}

/**
 * Returns the buckets of a table, and the number of an id's bucket.
 * @throws SnapshotError `malformed`
 */
function bucketsFor(header: TableHeader, id: string) {
  const located = locateBuckets(header)
  if (!located) throw damaged()
  return { located, number: bucketOf(keyHash(id), located.count) }
}

/**
 * Returns the byte range that states where the bucket of an id is.
 * @throws SnapshotError `malformed`
 */
export function bucketStartSpan(header: TableHeader, id: string) {
  const { located, number } = bucketsFor(header, id)
  return { at: located.starts.at + number * 4, length: 8 }
}

/**
 * Returns the byte range of the bucket of an id, from the bytes of `bucketStartSpan`.
 * @throws SnapshotError `malformed`
 */
export function bucketSpan(header: TableHeader, id: string, start: Uint8Array) {
  const view = new DataView(start.buffer, start.byteOffset, 8)
  const range = bucketRange(bucketsFor(header, id).located, view.getUint32(0, true), view.getUint32(4, true))
  if (!range) throw damaged()
  return range
}

/**
 * Returns all ids of the set of an id, ascending; null for an id without an alias. `whole` means a long set, which
 * only the table of aliases contains.
 * @throws SnapshotError `malformed`, or `digest` when the bytes are damaged
 */
export function aliasesInBucket(header: TableHeader, id: string, bytes: Uint8Array): string[] | 'whole' | null {
  const text = bucketContent(bytes, bucketsFor(header, id).number)
  if (!text) throw new SnapshotError('digest', `the aliases of ${id} are damaged`)
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
      count += ids.filter((id) => bucketOf(keyHash(id), starts.length - 1) === number).length
    }
  }
  return count
}

const damaged = () => new SnapshotError('malformed', 'the buckets of aliases are damaged')
