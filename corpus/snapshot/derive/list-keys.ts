/**
 * The keys of lists by their hash, so that a reader finds one row, its CVEs and its products without the rest of the
 * table. SPEC.md, "Lists".
 */
import { crc32 } from '../../runtime/crc32.ts'
import type { Column, Cut } from '../codec/table.ts'
import { type ListName, specOf } from '../cursor/lists.ts'
import { SnapshotError } from '../error.ts'
import { type KeyHash, keyHash } from '../record/hashed-shard.ts'
import { type HashColumns, hashedColumns, rowsOfHash } from './hashed-table.ts'
import { LISTED } from './list-postings.ts'
import { type PostingLists, postingLists, postingsOf } from './postings.ts'
import type { SortedList } from './sorted-list.ts'

/** A range of ordinals, and the CRC-32 of their bytes. */
export interface OrdinalRange {
  start: number
  count: number
  crc: number
}

/** A row by its key, and the ranges of its CVEs and of the products of a vendor. */
export interface ListKey {
  ordinal: number
  /** In the column `<filter>.ordinals` of the file `lists` of the role `columns`. */
  cves: OrdinalRange | null
  /** In the column `products`. */
  products: OrdinalRange | null
}

const asIs = (id: string) => id

/** Returns the hash of an id in any spelling. */
export const listKeyHash = (list: ListName, id: string): KeyHash => keyHash((specOf(list).idKey ?? asIs)(id))

/** The ranges of each key: of CVEs if the list filters them, and of products for vendors. */
const RANGES = ['cves', 'products'] as const
type Ranges = Record<(typeof RANGES)[number], boolean>
const rangesOf = (list: ListName): Ranges => ({
  cves: Object.values<ListName>(LISTED).includes(list),
  products: list === 'vendors',
})

const rangeColumns = (range: string) => [`${range}Start`, `${range}Count`, `${range}Crc`] as const

/** `cves` are those of each ordinal; null for a list that does not filter CVEs. `products` is that list, for vendors. */
export function listKeyColumns(
  { name, ids }: SortedList,
  cves: PostingLists | null,
  products: SortedList | null,
): { columns: Record<string, Column>; cut: Cut } {
  const owned = products && groupedBy(ids, products)
  const { idKey = asIs } = specOf(name)
  const { columns, cut } = hashedColumns(ids.map(idKey), {
    ordinal: ids.map((_, ordinal) => ordinal),
    ...(cves && rangesIn('cves', cves)),
    ...(owned && rangesIn('products', owned)),
  })
  return { columns: { ...columns, ...(owned && { products: owned.ordinals }) }, cut }
}

/** Returns the products of each vendor, by its ordinal. */
function groupedBy(vendors: readonly string[], { filters }: SortedList): PostingLists {
  const { keys, starts, ordinals } = filters.vendor!
  const postings = { keys: new Map(keys.map((key, at) => [key, at])), starts, ordinals }
  return postingLists(vendors.map((id) => postingsOf(postings, id)))
}

function rangesIn(range: string, { starts, ordinals }: PostingLists): Record<string, Uint32Array> {
  const [start, count, crc] = rangeColumns(range)
  const first = starts.subarray(0, -1)
  return {
    [start]: first,
    [count]: first.map((from, row) => starts[row + 1]! - from),
    // Most packages have no CVE. The CRC-32 of nothing is 0.
    [crc]: first.map((from, row) => {
      const some = ordinals.subarray(from, starts[row + 1])
      return some.length === 0 ? 0 : crc32(new Uint8Array(some.buffer, some.byteOffset, some.byteLength))
    }),
  }
}

/** The columns of a list beside the hashes. */
export function listKeyNames(list: ListName): string[] {
  const has = rangesOf(list)
  return ['ordinal', ...RANGES.filter((range) => has[range]).flatMap(rangeColumns)]
}

/** Returns the keys that have a hash, by ordinal. Another id can have the same hash: the caller compares the rows. */
export function listKeysIn(columns: HashColumns & Record<string, Uint32Array>, hash: KeyHash): ListKey[] {
  return rowsOfHash(columns, hash).map((row): ListKey => {
    const rangeOf = (range: (typeof RANGES)[number]): OrdinalRange | null => {
      const [start, count, crc] = rangeColumns(range).map((name) => columns[name]?.[row])
      return start === undefined ? null : { start, count: count!, crc: crc! }
    }
    return { ordinal: columns.ordinal![row]!, cves: rangeOf('cves'), products: rangeOf('products') }
  })
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
