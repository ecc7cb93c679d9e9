/**
 * The keys of large lists by their hash, so that a reader finds one row, its CVEs and its products without the table of
 * the list. SPEC.md, "List keys".
 */
import { crc32 } from '../../runtime/crc32.ts'
import { encodeTable, type LocatedColumn, locateColumns } from '../codec/table.ts'
import { type ListName, specOf } from '../cursor/lists.ts'
import { SnapshotError } from '../error.ts'
import { keyHash } from '../record/hashed-shard.ts'
import {
  bucketContent,
  bucketCount,
  bucketOf,
  bucketRange,
  CRC_BYTES,
  encodeBuckets,
  type LocatedBuckets,
  locateBuckets,
} from './hash-buckets.ts'
import { LISTED } from './list-postings.ts'
import { ENTRY_COLUMNS, type ListPositions, pagesAtColumn } from './lists.ts'
import { type PostingLists, postingLists, postingsOf } from './postings.ts'
import type { SortedList } from './sorted-list.ts'

/** The lists that can have tables of megabytes. */
const KEYED = ['vendors', 'products', 'exploits', 'packages'] as const satisfies ListName[]

/** The lists that filter CVEs. */
const FILTERING: readonly ListName[] = Object.values(LISTED)

export const hasListKeys = (list: ListName): boolean => (KEYED as readonly ListName[]).includes(list)

export const listKeysName = (list: ListName): string => `${list}.keys`

/** On average, at most: 5 KB. */
const KEYS_PER_BUCKET = 256

/** A range of ordinals, and the CRC-32 of their bytes. */
export interface OrdinalRange {
  start: number
  count: number
  crc: number
}

/** A key in a bucket: the numbers of its row, and the ranges of its CVEs and of the products of a vendor. */
export interface ListKey {
  ordinal: number
  /** In the column `<filter>.ordinals` of the file `lists` of the role `columns`. */
  cves: OrdinalRange | null
  /** In the column `products`. */
  products: OrdinalRange | null
}

const RANGE_FIELDS = ['start', 'count', 'crc'] as const

interface About {
  count: number
  hasCves: boolean
  hasProducts: boolean
}

const wordsOf = ({ hasCves, hasProducts }: About) => 2 + RANGE_FIELDS.length * (Number(hasCves) + Number(hasProducts))

/** `cves` are those of each ordinal; null for a list that does not filter CVEs. `products` is that list, for vendors. */
export function encodeListKeys(
  list: SortedList,
  { pagesAt, entries }: ListPositions,
  cves: PostingLists | null,
  products: SortedList | null,
): Buffer {
  const about: About = { count: list.ids.length, hasCves: cves !== null, hasProducts: products !== null }
  const { idKey = asIs, main } = specOf(list.name)
  const owned = products && groupedBy(list.ids, products)
  const count = bucketCount(list.ids.length, KEYS_PER_BUCKET)
  const words = Array.from({ length: count }, (): number[] => [])
  list.ids.forEach((id, ordinal) => {
    const hash = keyHash(idKey(id))
    const bucket = words[bucketOf(hash, count)]!
    bucket.push(hash.low, ordinal)
    for (const ranges of [cves, owned]) if (ranges) bucket.push(...rangeOf(ranges, ordinal))
  })
  const contents = words.map((bucket) => bytesOf(Uint32Array.from(bucket)))
  const { starts, buckets } = encodeBuckets(contents, labelOf(list.name))
  return encodeTable({
    about: { ...about },
    columns: {
      starts,
      [pagesAtColumn(main)]: pagesAt[main]!,
      ...(entries ? { [ENTRY_COLUMNS[0]]: entries.at, [ENTRY_COLUMNS[1]]: entries.length } : {}),
      ...(owned ? { products: owned.ordinals } : {}),
      buckets,
    },
  })
}

const asIs = (id: string) => id
const bytesOf = (words: Uint32Array): Buffer => Buffer.from(words.buffer, words.byteOffset, words.byteLength)

const labelOf = (list: ListName) => `${list}\t`

/** Returns the products of each vendor, by its ordinal. */
function groupedBy(vendors: readonly string[], { filters }: SortedList): PostingLists {
  const { keys, starts, ordinals } = filters.vendor!
  const postings = { keys: new Map(keys.map((key, at) => [key, at])), starts, ordinals }
  return postingLists(vendors.map((id) => postingsOf(postings, id)))
}

function rangeOf({ starts, ordinals }: PostingLists, ordinal: number): [start: number, count: number, crc: number] {
  const [start, end] = [starts[ordinal]!, starts[ordinal + 1]!]
  // Most packages have no CVE. The CRC-32 of nothing is 0.
  return [start, end - start, start === end ? 0 : crc32(bytesOf(ordinals.subarray(start, end)))]
}

/** The first part of the file, which is read once. */
export interface ListKeysHead {
  list: ListName
  about: About
  buckets: LocatedBuckets
  starts: Uint32Array
  /** Offset of each member of the page shard of the main sort. */
  pagesAt: Uint32Array
  columns: ReadonlyMap<string, LocatedColumn>
}

/**
 * Decodes the first part of the file. Returns the number of bytes that it requires if there are fewer.
 * @throws SnapshotError `malformed`
 */
export function decodeListKeysHead(list: ListName, bytes: Uint8Array): ListKeysHead | number {
  const header = locateColumns(bytes)
  if (typeof header === 'number') return header
  const { columns } = header
  const about = header.about as Partial<About>
  const buckets = locateBuckets(header)
  const pagesAt = columns.get(pagesAtColumn(specOf(list).main))
  if (!buckets || pagesAt?.type !== 'u32') throw damaged(list)
  const { starts } = buckets
  const { count, hasCves, hasProducts } = about
  const areStated = hasCves === FILTERING.includes(list) && hasProducts === (list === 'vendors')
  if (!Number.isSafeInteger(count) || !areStated || (hasProducts && columns.get('products')?.type !== 'u32')) {
    throw damaged(list)
  }
  const end = Math.max(starts.at + starts.length * 4, pagesAt.at + pagesAt.length * 4)
  if (end > bytes.length) return end
  const numbers = ({ at, length }: LocatedColumn) =>
    new Uint32Array(Uint8Array.from(bytes.subarray(at, at + length * 4)).buffer)
  return {
    list,
    about: { count: count!, hasCves, hasProducts },
    buckets,
    starts: numbers(starts),
    pagesAt: numbers(pagesAt),
    columns,
  }
}

/**
 * Decodes the first part of a whole file.
 * @throws SnapshotError `malformed`
 */
export function listKeysHeadIn(list: ListName, bytes: Uint8Array): ListKeysHead {
  const head = decodeListKeysHead(list, bytes)
  if (typeof head === 'number') throw damaged(list)
  return head
}

/**
 * Returns the number of keys in a whole file.
 * @throws SnapshotError `malformed`
 */
export function countListKeysIn(list: ListName, bytes: Uint8Array): number {
  const { starts, buckets, about } = listKeysHeadIn(list, bytes)
  return (starts.at(-1)! / 4 - buckets.count) / wordsOf(about)
}

const bucketFor = ({ list, buckets }: ListKeysHead, id: string) => {
  const { idKey = asIs } = specOf(list)
  const hash = keyHash(idKey(id))
  return { number: bucketOf(hash, buckets.count), low: hash.low }
}

/**
 * Returns the byte range of the bucket of an id.
 * @throws SnapshotError `malformed`
 */
export function listKeysSpan(head: ListKeysHead, id: string): { at: number; length: number } {
  const { number } = bucketFor(head, id)
  const range = bucketRange(head.buckets, head.starts[number]!, head.starts[number + 1]!)
  if (!range || (range.length - CRC_BYTES) % (wordsOf(head.about) * 4) !== 0) throw damaged(head.list)
  return range
}

/**
 * Returns the keys that have the hash of an id, by ordinal. Another id can have the same hash: the caller compares the
 * rows.
 * @throws SnapshotError `digest` when the bytes are damaged
 */
export function listKeysOf(head: ListKeysHead, id: string, bytes: Uint8Array): ListKey[] {
  const { number, low } = bucketFor(head, id)
  const content = bucketContent(bytes, number, labelOf(head.list))
  if (!content) throw new SnapshotError('digest', `the keys of ${head.list} are damaged`)
  const words = new Uint32Array(Uint8Array.from(content).buffer)
  const { about } = head
  const keys: ListKey[] = []
  for (let at = 0; at < words.length; at += wordsOf(about)) {
    if (words[at] !== low) continue
    let next = at + 2
    const range = (): OrdinalRange => ({ start: words[next++]!, count: words[next++]!, crc: words[next++]! })
    const cves = about.hasCves ? range() : null
    keys.push({ ordinal: words[at + 1]!, cves, products: about.hasProducts ? range() : null })
  }
  return keys
}

/**
 * Returns ordinals from the bytes of their range. They ascend: intersections rely on that.
 * @throws SnapshotError `digest` when they are damaged, `malformed` when they do not ascend
 */
export function ordinalsIn(bytes: Uint8Array, { crc }: OrdinalRange): Uint32Array {
  if (crc32(bytes) !== crc) throw new SnapshotError('digest', 'a posting list is damaged')
  const ordinals = new Uint32Array(Uint8Array.from(bytes).buffer)
  if (ordinals.every((ordinal, i) => i === 0 || ordinal > ordinals[i - 1]!)) return ordinals
  throw new SnapshotError('malformed', 'a posting list does not ascend')
}

const damaged = (list: ListName) => new SnapshotError('malformed', `the keys of ${list} are damaged`)
