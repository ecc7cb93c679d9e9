/** The keys of a list: every key is found with its CVEs and products, and damage shows. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { ProductRow, VendorRow } from '../../../../corpus/model/directory.ts'
import { crc32 } from '../../../../corpus/runtime/crc32.ts'
import { LISTS } from '../../../../corpus/snapshot/cursor/lists.ts'
import {
  decodeListKeysHead,
  encodeListKeys,
  type ListKeysHead,
  listKeysOf,
  listKeysSpan,
  ordinalsIn,
} from '../../../../corpus/snapshot/derive/list-keys.ts'
import { listOf } from '../../../../corpus/snapshot/derive/list-view.ts'
import { decodeListTable, encodeList } from '../../../../corpus/snapshot/derive/lists.ts'
import { inMainOrder, sortList } from '../../../../corpus/snapshot/derive/sorted-list.ts'
import { SnapshotError } from '../../../../corpus/snapshot/error.ts'

const VENDORS = 700
const vendorRows = Array.from({ length: VENDORS }, (_, i): VendorRow => {
  const slug = `vendor_${i}`
  return { slug, display: slug, product_count: i % 3, cve_count: 1 + (i % 7), spellings: [slug] }
})
const productRows = vendorRows.flatMap(({ slug: vendor, product_count }) =>
  Array.from({ length: product_count }, (_, i): ProductRow => {
    return {
      slug: `product_${i}`,
      display: `Product ${i}`,
      vendor,
      vendor_display: vendor,
      cve_count: 1 + i,
      spellings: [],
    }
  }),
)
const vendors = sortList('vendors', inMainOrder(LISTS.vendors, vendorRows))
const products = sortList('products', inMainOrder(LISTS.products, productRows))

/** The vendor with ordinal `n` has the CVEs `n`, `n + 1`, up to `n % 5` of them. */
const cvesOf = (ordinal: number) => Array.from({ length: ordinal % 5 }, (_, i) => ordinal + i)
const starts = new Uint32Array(VENDORS + 1)
for (let at = 0; at < VENDORS; at++) starts[at + 1] = starts[at]! + cvesOf(at).length
const ordinals = Uint32Array.from(Array.from({ length: VENDORS }, (_, at) => cvesOf(at)).flat())

const pages = (count: number) => Uint32Array.from({ length: Math.ceil(count / 100) }, (_, page) => page * 5000)
const positions = { pagesAt: { cves: pages(VENDORS), name: pages(VENDORS) }, entries: null }
const bytes = encodeListKeys(vendors, positions, { starts, ordinals }, products)

function headOf(file: Uint8Array): ListKeysHead {
  const head = decodeListKeysHead('vendors', file)
  if (typeof head === 'number') throw new Error(`the head requires ${head} bytes`)
  return head
}

const keysOf = (head: ListKeysHead, file: Uint8Array, id: string) => {
  const { at, length } = listKeysSpan(head, id)
  return listKeysOf(head, id, file.subarray(at, at + length))
}

test('every key has its ordinal, its CVEs and its products', () => {
  const head = headOf(bytes)
  assert.ok(head.starts.length > 3, 'several buckets')
  assert.equal([...head.pagesAt], [...positions.pagesAt.cves])
  const stored = head.columns.get('products')!
  vendors.ids.forEach((id, ordinal) => {
    for (const spelling of [id, id.replace('_', ' '), id.replace('_', '-')]) {
      const [key, ...others] = keysOf(head, bytes, spelling)
      assert.is(others.length, 0)
      assert.is(key?.ordinal, ordinal, spelling)
      const { start, count } = key!.cves!
      const own = ordinals.slice(start, start + count)
      assert.equal([...own], cvesOf(ordinal))
      assert.equal([...ordinalsIn(new Uint8Array(own.buffer), key!.cves!)], cvesOf(ordinal))
      const at = stored.at + key!.products!.start * 4
      const of = ordinalsIn(bytes.subarray(at, at + key!.products!.count * 4), key!.products!)
      const names = [...of].map((product) => products.ids[product]!)
      const expected = products.ids.filter((product) => product.startsWith(`${id}/`))
      assert.equal(names, expected)
    }
  })
  for (const id of ['vendor_', 'vendor_700', 'nobody']) assert.equal(keysOf(head, bytes, id), [], id)
})

test('the first part states how many bytes it requires', () => {
  for (let length = 12; ; ) {
    const head = decodeListKeysHead('vendors', bytes.subarray(0, length))
    if (typeof head !== 'number') break
    assert.ok(head > length && head < bytes.length, `${head}`)
    length = head
  }
})

test('a changed bit in a bucket, or a bucket in the place of another, is refused', () => {
  const head = headOf(bytes)
  const id = vendors.ids[3]!
  const { at, length } = listKeysSpan(head, id)
  for (let byte = 0; byte < length; byte += 97) {
    const changed = Buffer.from(bytes.subarray(at, at + length))
    changed[byte]! ^= 1 << (byte % 8)
    assert.throws(() => listKeysOf(head, id, changed), isDamage)
  }
  const other = vendors.ids.find((one) => listKeysSpan(head, one).at !== at)!
  const elsewhere = listKeysSpan(head, other)
  assert.throws(() => listKeysOf(head, id, bytes.subarray(elsewhere.at, elsewhere.at + elsewhere.length)), isDamage)
})

test('ordinals with the right CRC that do not ascend are refused', () => {
  for (const wrong of [
    [2, 1],
    [1, 1],
    [0, 5, 3],
  ]) {
    const of = Buffer.from(Uint32Array.from(wrong).buffer)
    assert.throws(
      () => ordinalsIn(of, { start: 0, count: wrong.length, crc: crc32(of) }),
      (error: unknown) => error instanceof SnapshotError && error.code === 'malformed',
    )
  }
})

test('a list without rows has an empty bucket', () => {
  const none = sortList('exploits', [])
  const empty = encodeListKeys(none, { pagesAt: { published: pages(0) }, entries: null }, null, null)
  const head = decodeListKeysHead('exploits', empty) as ListKeysHead
  const { at, length } = listKeysSpan(head, 'exploit_archive/1')
  assert.equal(listKeysOf(head, 'exploit_archive/1', empty.subarray(at, at + length)), [])
})

test('keys without the CVEs or products that their list has, or with those that it has not, are refused', () => {
  const list = sortList('exploits', [])
  const none = { pagesAt: { published: pages(0) }, entries: null }
  for (const [name, wrong] of [
    ['vendors', encodeListKeys(vendors, positions, null, products)],
    ['vendors', encodeListKeys(vendors, positions, { starts, ordinals }, null)],
    ['exploits', encodeListKeys(list, none, { starts: new Uint32Array(1), ordinals: new Uint32Array() }, null)],
  ] as const) {
    assert.throws(() => decodeListKeysHead(name, wrong), /the keys of \w+ are damaged/)
  }
})

const isDamage = (error: unknown) => error instanceof SnapshotError && error.code === 'digest'

test('a list with keys finds what a list without keys finds, and rejects keys of another number', () => {
  const table = encodeList(vendors, positions)
  const inFile = (file: Uint8Array) => (at: number, length: number) => file.subarray(at, at + length)
  // One text is enough to stay in the file.
  const decode = (keys: ListKeysHead | null) => decodeListTable('vendors', table, { keptFrom: 1, keys })
  const keyed = decode(headOf(bytes))
  const byTexts = listOf(decode(null), inFile(table))
  const byKeys = listOf(keyed, inFile(table), inFile(bytes))
  for (const id of [...vendors.ids, ...vendors.ids.map((one) => one.replace('_', '-')), 'vendor_700', 'nobody', '']) {
    assert.is(byKeys.ordinalOf(id), byTexts.ordinalOf(id), id)
  }
  assert.is(byKeys.ordinalOf(vendors.ids[9]!), 9)
  const damaged = Buffer.from(bytes)
  damaged[damaged.length - 1]! ^= 1
  const read = listOf(keyed, inFile(table), inFile(damaged))
  assert.throws(() => vendors.ids.forEach(read.ordinalOf), isDamage)
  const fewer = sortList('vendors', inMainOrder(LISTS.vendors, vendorRows.slice(1)))
  const other = encodeListKeys(fewer, positions, { starts: starts.slice(1), ordinals }, products)
  assert.throws(() => decode(headOf(other)), /the number of keys of the list vendors is damaged/)
})

test.run()
