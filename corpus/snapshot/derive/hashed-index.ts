/** The index of hashed shards: the position of each member, by the hash of its key. SPEC.md, "Index". */
import { compareText } from '../../model/sources.ts'
import { partitionPoint } from '../../model/values/partition-point.ts'
import { sha256 } from '../../runtime/digest.ts'
import { MAX_HASHED_ROWS, MAX_HASHED_SHARDS } from '../bounds.ts'
import { column, decodeTable, encodeTable } from '../codec/table.ts'
import { SnapshotError } from '../error.ts'
import { keyHash, shardOfHash } from '../record/hashed-shard.ts'
import { type HashedRows, noAdvisories } from './advisory-rows.ts'

/** Plain data, so that threads can transfer it. */
export interface HashedTable {
  /** The first and the second four bytes of the hash of each key. Rows ascend by them. */
  hashHigh: Uint32Array
  hashLow: Uint32Array
  at: Uint32Array
  length: Uint32Array
}

export interface HashedIndex extends HashedTable {
  /** Number of shards, a power of two; 0 without members. */
  shards: number
}

/** A possible position of a member: the number of its shard, offset and length in it. */
export interface HashedPosition {
  shard: number
  at: number
  length: number
}

/** @throws RangeError when there are more rows than readers accept */
export function hashedTable({ keys, at, length }: HashedRows): HashedTable {
  const count = keys.length
  if (count > MAX_HASHED_ROWS) throw new RangeError(`${count} rows are more than readers of an index accept`)
  const [high, low] = [new Uint32Array(count), new Uint32Array(count)]
  keys.forEach((key, row) => {
    const hashed = keyHash(key)
    high[row] = hashed.high
    low[row] = hashed.low
  })
  const order = Uint32Array.from(keys, (_, row) => row).sort(
    (a, b) => high[a]! - high[b]! || low[a]! - low[b]! || compareText(keys[a]!, keys[b]!),
  )
  return {
    hashHigh: order.map((row) => high[row]!),
    hashLow: order.map((row) => low[row]!),
    at: order.map((row) => at[row]!),
    length: order.map((row) => length[row]!),
  }
}

export function encodeHashedTable({ hashHigh, hashLow, at, length }: HashedTable): Buffer {
  return encodeTable({ about: {}, columns: { hashHigh, hashLow, at, length } })
}

/** Returns the content digest, which excludes the columns that depend on compression. */
export function hashedContent({ hashHigh, hashLow }: HashedTable): string {
  return sha256(encodeTable({ about: {}, columns: { hashHigh, hashLow } }))
}

/** @throws SnapshotError `malformed` */
export function decodeHashedTable(bytes: Uint8Array): HashedTable {
  const table = decodeTable(bytes)
  const [hashHigh, hashLow, at, length] = ['hashHigh', 'hashLow', 'at', 'length'].map((name) =>
    column(table, name, 'u32'),
  ) as [Uint32Array, Uint32Array, Uint32Array, Uint32Array]
  const count = hashHigh.length
  if (count > MAX_HASHED_ROWS) damaged(`has ${count} rows; the limit is ${MAX_HASHED_ROWS}`)
  if ([hashLow, at, length].some((values) => values.length !== count)) damaged('has columns of different lengths')
  for (let row = 1; row < count; row++) {
    if ((hashHigh[row]! - hashHigh[row - 1]! || hashLow[row]! - hashLow[row - 1]!) < 0) damaged('is out of order')
  }
  return { hashHigh, hashLow, at, length }
}

function damaged(how: string): never {
  throw new SnapshotError('malformed', `an index of hashed shards ${how}`)
}

/**
 * Decodes the index of `shards` shards. `bytes` is null when the snapshot has no such file, as without shards.
 * @throws SnapshotError `malformed` when the number of shards is impossible, or does not go with the file
 */
export function decodeHashedIndex(bytes: Uint8Array | null, shards: number): HashedIndex {
  const isPower = shards > 0 && shards <= MAX_HASHED_SHARDS && (shards & (shards - 1)) === 0
  if (bytes === null ? shards !== 0 : !isPower) damaged(`does not go with ${shards} shards`)
  return { ...(bytes === null ? hashedTable(noAdvisories()) : decodeHashedTable(bytes)), shards }
}

/** Returns where the member of a key can be: usually one position or none. Compare the key of the member. */
export function hashedPositions(index: HashedIndex, key: string): HashedPosition[] {
  const { hashHigh, hashLow, at, length, shards } = index
  const { high, low } = keyHash(key)
  const first = partitionPoint(hashHigh.length, (row) => (hashHigh[row]! - high || hashLow[row]! - low) >= 0)
  const found: HashedPosition[] = []
  for (let row = first; hashHigh[row] === high && hashLow[row] === low; row++) {
    found.push({ shard: shardOfHash(high, shards), at: at[row]!, length: length[row]! })
  }
  return found
}
