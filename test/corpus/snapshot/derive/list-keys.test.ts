/** The keys of a list: every key is found with its CVEs and products, and damage shows. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { ProductRow, VendorRow } from '../../../../corpus/model/directory.ts'
import { crc32 } from '../../../../corpus/runtime/crc32.ts'
import {
  blockRows,
  blockSpan,
  decodeTable,
  encodeTable,
  locateTable,
  type TableHeader,
  valuesSpan,
} from '../../../../corpus/snapshot/codec/table.ts'
import { LISTS } from '../../../../corpus/snapshot/cursor/lists.ts'
import { hashBlock } from '../../../../corpus/snapshot/derive/hashed-table.ts'
import { listKeyHash, ordinalsIn } from '../../../../corpus/snapshot/derive/list-keys.ts'
import { decodeList, listOf } from '../../../../corpus/snapshot/derive/list-view.ts'
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
const references = { cves: { starts, ordinals }, products }
const bytes = encodeList(vendors, positions, references)
const header = locateTable(bytes) as TableHeader
const inFile = (file: Uint8Array) => (at: number, length: number) => file.subarray(at, at + length)
const table = decodeListTable('vendors', bytes)
const list = listOf(table, inFile(bytes))

test('every key has its ordinal, its CVEs and its products', () => {
  assert.ok(blockRows(header, 'hashHigh').length > 3, 'several blocks')
  vendors.ids.forEach((id, ordinal) => {
    for (const spelling of [id, id.replace('_', ' '), id.replace('_', '-')]) {
      const key = list.keyOf(spelling)
      assert.is(key?.ordinal, ordinal, spelling)
      assert.is(list.ordinalOf(spelling), ordinal)
      const { start, count } = key!.cves!
      const own = ordinals.slice(start, start + count)
      assert.equal([...own], cvesOf(ordinal))
      assert.equal([...ordinalsIn(new Uint8Array(own.buffer), key!.cves!)], cvesOf(ordinal))
      const { at, length } = valuesSpan(header, 'products', key!.products!.start, key!.products!.count)
      const names = [...ordinalsIn(bytes.subarray(at, at + length), key!.products!)].map((one) => products.ids[one]!)
      const expected = products.ids.filter((product) => product.startsWith(`${id}/`))
      assert.equal(names, expected)
    }
  })
  for (const id of ['vendor_', 'vendor_700', 'nobody', '']) assert.is(list.keyOf(id), undefined, id)
})

const isDamage = (error: unknown) => error instanceof SnapshotError && error.code === 'digest'

test('a changed bit in a block, or a block in the place of another, is refused', () => {
  const id = vendors.ids[3]!
  const spanOf = (one: string) => blockSpan(header, 'hashHigh', hashBlock(header, listKeyHash('vendors', one)))
  const span = spanOf(id)
  for (let byte = 0; byte < span.length; byte += 97) {
    // Each block begins with its CRC and four zero bytes.
    if (byte >> 2 === 1) continue
    const changed = Buffer.from(bytes)
    changed[span.at + byte]! ^= 1 << (byte % 8)
    assert.throws(() => listOf(table, inFile(changed)).keyOf(id), isDamage)
  }
  const elsewhere = spanOf(vendors.ids.find((one) => spanOf(one).at !== span.at)!)
  const moved = (at: number, length: number) => inFile(bytes)(at === span.at ? elsewhere.at : at, length)
  assert.throws(() => listOf(table, moved).keyOf(id), isDamage)
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

test('a list without rows has no key', () => {
  const none = sortList('exploits', [])
  const empty = encodeList(none, { pagesAt: { published: pages(0) }, entries: null }, { cves: null, products: null })
  assert.is(decodeList('exploits', empty).keyOf('exploit_archive/1'), undefined)
})

test('keys without the CVEs or products that their list has, or of another number, are refused', () => {
  const isMalformed = (error: unknown) => error instanceof SnapshotError && error.code === 'malformed'
  for (const wrong of [
    { ...references, cves: null },
    { ...references, products: null },
  ]) {
    const vendor = decodeList('vendors', encodeList(vendors, positions, wrong))
    assert.throws(() => vendor.keyOf(vendors.ids[0]!), isMalformed)
  }
  const { about, columns, cuts } = decodeTable(bytes)
  const fewer = encodeTable({ about: { ...about, count: VENDORS - 1 }, columns, cuts })
  assert.throws(() => decodeListTable('vendors', fewer), isMalformed)
})

test.run()
