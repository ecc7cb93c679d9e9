/** Posting lists of large lists stay in their file: each name gets the same rows as from memory, and damage shows. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { locateTable, type TableHeader, valuesSpan } from '../../../../corpus/snapshot/codec/table.ts'
import { LIST_NAMES, LISTS, type ListName, listPagesName } from '../../../../corpus/snapshot/cursor/lists.ts'
import { encodeListPostings } from '../../../../corpus/snapshot/derive/list-postings.ts'
import { listOf } from '../../../../corpus/snapshot/derive/list-view.ts'
import { decodeListTable, encodeList, type ListTable } from '../../../../corpus/snapshot/derive/lists.ts'
import { inMainOrder, sortList } from '../../../../corpus/snapshot/derive/sorted-list.ts'
import type { OpenObject } from '../../../../corpus/snapshot/files/layout.ts'
import type { FileEntry, Manifest } from '../../../../corpus/snapshot/files/manifest.ts'
import {
  type ListTables,
  namedPostings,
  type OpenLists,
  openLists,
} from '../../../../corpus/snapshot/memory/open-lists.ts'

const VENDORS = 300
const CVES = 1000
const rows = Array.from({ length: VENDORS }, (_, i) => ({
  slug: `vendor_${i}`,
  display: `Vendor ${i}`,
  product_count: 1,
  cve_count: 1 + (i % 7),
  spellings: [],
}))
const sorted = sortList('vendors', inMainOrder(LISTS.vendors, rows))
const cvesOf = (ordinal: number) => Uint32Array.from({ length: ordinal % 4 }, (_, i) => ordinal + i)
const starts = new Uint32Array(VENDORS + 1)
for (let at = 0; at < VENDORS; at++) starts[at + 1] = starts[at]! + cvesOf(at).length
const own = { starts, ordinals: Uint32Array.from(Array.from({ length: VENDORS }, (_, at) => [...cvesOf(at)]).flat()) }
const none = { starts: new Uint32Array(1), ordinals: new Uint32Array() }

/** The vendor `vendor_<i>` has `i % 3` products. */
const productRows = rows.flatMap(({ slug: vendor }, i) =>
  Array.from({ length: i % 3 }, (_, n) => {
    return { slug: `product_${n}`, display: '', vendor, vendor_display: '', cve_count: n, spellings: [] }
  }),
)
const products = sortList('products', inMainOrder(LISTS.products, productRows))
const nothing = { starts: new Uint32Array(productRows.length + 1), ordinals: new Uint32Array() }
const productTable = encodeList(
  products,
  { pagesAt: { cves: new Uint32Array(3) }, entries: null },
  { cves: nothing, products: null },
)

const positions = { pagesAt: { cves: new Uint32Array(3), name: new Uint32Array(3) }, entries: null }
const table = encodeList(sorted, positions, { cves: own, products })
const file = encodeListPostings({ vendor: own, product: none, package: none })
const header = locateTable(file) as TableHeader

const readerOf = (bytes: Uint8Array) => (at: number, length: number) => Buffer.from(bytes.subarray(at, at + length))
const objectOf = (bytes: Buffer): OpenObject => ({ size: bytes.length, fd: -1, read: readerOf(bytes), close() {} })
const decoded = decodeListTable('vendors', table)
const vendors = listOf(decoded, readerOf(table))
const empty = { keyOf: () => undefined }
const lists = { vendors, products: empty, packages: empty } as unknown as OpenLists
const open = (bytes: Buffer, cves = CVES) => namedPostings(header, lists, objectOf(bytes), cves)

test('each name has its CVEs, also by another spelling; unknown names have none', () => {
  const { vendor, product } = open(file)
  sorted.ids.forEach((id, ordinal) => {
    assert.equal(vendor.of(id), cvesOf(ordinal), id)
    assert.equal(vendor.of(id.replace('_', '-')), cvesOf(ordinal), id)
  })
  assert.is(vendor.of('nobody').length, 0)
  assert.is(product.of('vendor_1/product').length, 0)
})

test('damaged ordinals, and those of more CVEs than there are, are refused', () => {
  const damaged = Buffer.from(file)
  damaged[valuesSpan(header, 'vendor.ordinals', 0, 1).at]! ^= 1
  const first = sorted.ids.findIndex((_, ordinal) => cvesOf(ordinal).length > 0)
  assert.throws(() => open(damaged).vendor.of(sorted.ids[first]!), /a posting list is damaged/)
  assert.throws(() => open(file, 100).vendor.of(sorted.ids[299]!), new RegExp(`of ${sorted.ids[299]} is damaged`))
  const short = locateTable(encodeListPostings({ vendor: none, product: none, package: none })) as TableHeader
  const { vendor } = namedPostings(short, lists, objectOf(file), CVES)
  assert.throws(() => vendor.of(sorted.ids[299]!), /column vendor\.ordinals has no \d values at/)
})

function emptyTable(name: ListName): ListTable {
  const list = sortList(name, [])
  const pagesAt = Object.fromEntries(Object.keys(list.orders).map((sort) => [sort, new Uint32Array()]))
  return decodeListTable(name, encodeList(list, { pagesAt, entries: null }, { cves: null, products: null }))
}

/** Opens the lists of a snapshot that has only vendors and products. */
function openedWith(vendorTable: Buffer): OpenLists {
  const named = LIST_NAMES.flatMap((name) => [
    `list ${name}`,
    ...Object.keys(LISTS[name].sorts).map((sort) => `pages ${listPagesName(name, sort)}`),
  ])
  const files: Record<string, Buffer> = {
    ...Object.fromEntries(named.map((name) => [name, Buffer.alloc(0)])),
    'list vendors': vendorTable,
    'list products': productTable,
  }
  const manifest = {
    files: Object.keys(files).map((key) => ({ role: key.split(' ')[0], name: key.split(' ')[1] })),
  } as unknown as Manifest
  const none = Object.fromEntries(LIST_NAMES.map((name) => [name, emptyTable(name)])) as ListTables
  const tables: ListTables = {
    ...none,
    vendors: decoded,
    products: decodeListTable('products', productTable),
  }
  return openLists(manifest, tables, ({ role, name }: FileEntry) => objectOf(files[`${role} ${name}`]!))
}

test('each vendor has its products, by the keys of vendors, also by another spelling', () => {
  const { vendor } = openedWith(table).products.filters
  for (const [i, { slug }] of rows.entries()) {
    const slugs = Array.from({ length: i % 3 }, (_, n) => `${slug}/product_${n}`)
    for (const spelling of [slug, slug.replace('_', '-')]) {
      assert.equal([...vendor!.of(spelling)].map((ordinal) => products.ids[ordinal]!).sort(), slugs, spelling)
    }
  }
  assert.is(vendor!.of('nobody').length, 0)
  const damaged = Buffer.from(table)
  damaged[valuesSpan(decoded.header, 'products', 0, 1).at]! ^= 1
  const { vendor: of } = openedWith(damaged).products.filters
  assert.throws(() => rows.map(({ slug }) => of!.of(slug)), /a posting list is damaged/)
})

test.run()
