/** Catalog shards and list tables: encoding and decoding, and damaged tables are rejected. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { shortHash } from '../../../../corpus/runtime/digest.ts'
import { decodeTable, encodeTable, tableContent } from '../../../../corpus/snapshot/codec/table.ts'
import { LISTS } from '../../../../corpus/snapshot/cursor/lists.ts'
import { noAdvisories, noPackages } from '../../../../corpus/snapshot/derive/advisory-rows.ts'
import { aliasSets } from '../../../../corpus/snapshot/derive/aliases.ts'
import { packageRows } from '../../../../corpus/snapshot/derive/list-rows.ts'
import { decodeList } from '../../../../corpus/snapshot/derive/list-view.ts'
import { encodeList } from '../../../../corpus/snapshot/derive/lists.ts'
import { decodePostings, postingsOf } from '../../../../corpus/snapshot/derive/postings.ts'
import { inMainOrder, sortList } from '../../../../corpus/snapshot/derive/sorted-list.ts'
import { SnapshotError } from '../../../../corpus/snapshot/error.ts'
import { catalogKey, decodeCatalog, ENTRY_KIND, encodeCatalog } from '../../../../corpus/snapshot/record/catalog.ts'
import { encodeEntries } from '../../../../corpus/snapshot/record/entry-shard.ts'

const vendor = (slug: string, cves: number, display = slug) => {
  return { slug, display, product_count: 1, cve_count: cves, spellings: [display] }
}

const entries = ['a/1', 'b', 'c'].map((key) => ({ key, text: JSON.stringify({ key, text: 'é' }) }))

test('entries of a catalog come back as they were, where they were said to lie', () => {
  const { bytes, entries: located } = encodeCatalog(entries)
  const decoded = decodeCatalog('cwes', Buffer.from(bytes))
  assert.equal(decoded, located)
  assert.equal(
    decoded.map(({ key, text }) => ({ key, text })),
    entries,
  )
})

test('members of an older shard are copied where the entry is the same, whatever the others are', () => {
  const old = Buffer.from(encodeCatalog(entries).bytes)
  const changed = [entries[0]!, { key: 'b', text: '{"new":1}' }, entries[2]!]
  const again = encodeCatalog(changed, old)
  assert.equal(again, encodeCatalog(changed))
  const stated = changed.map(({ key, text }) => ({ key, source: shortHash(text), text: () => text }))
  assert.is(encodeEntries(ENTRY_KIND, stated, old).encoded, 1)
  assert.is(encodeEntries(ENTRY_KIND, stated).encoded, 3)
})

test('keys are ASCII, whatever the id is', () => {
  assert.is(catalogKey('exploit_framework/exploit/windows/x'), 'exploit_framework/exploit/windows/x')
  assert.is(catalogKey('größe\ud800'), 'gr%C3%B6%C3%9Fe%EF%BF%BD')
})

test('a catalog whose keys do not ascend, or with another kind of member, is refused', () => {
  const [a, b] = entries.map((entry) => encodeCatalog([entry]).bytes)
  assert.throws(() => decodeCatalog('cwes', Buffer.concat([b!, a!])), /out of order/)
  assert.throws(() => decodeCatalog('cwes', Buffer.concat([a!, a!])), /out of order/)
  const bytes = Buffer.from(a!)
  bytes[bytes.length - 20]! ^= 1
  assert.throws(() => decodeCatalog('cwes', bytes), /./)
})

const rows = [vendor('b', 5), vendor('a', 5), vendor('z', 9, 'Ärger'), vendor('m', 1, 'alpha')]
const sorted = sortList('vendors', inMainOrder(LISTS.vendors, rows))
const positions = { pagesAt: { cves: Uint32Array.of(0), name: Uint32Array.of(0) }, entries: null }
const noneOf = (count: number) => ({ starts: new Uint32Array(count + 1), ordinals: new Uint32Array() })
const references = { cves: noneOf(rows.length), products: sortList('products', []) }

test('rule 6: the main order numbers the rows, ties by id in its direction; names are folded', () => {
  assert.equal(sorted.ids, ['z', 'b', 'a', 'm'])
  assert.equal(
    [...sorted.orders.name!.ordinals].map((ordinal) => sorted.ids[ordinal]),
    ['a', 'm', 'b', 'z'],
  )
})

test('a list comes back as it was, and its content digest leaves out where things lie', () => {
  const bytes = encodeList(sorted, positions, references)
  const list = decodeList('vendors', bytes)
  assert.equal(
    sorted.ids.map((_, ordinal) => list.id(ordinal)),
    sorted.ids,
  )
  const { keys } = list.orders.cves!
  assert.equal(
    [0, 1, 2, 3].map((ordinal) => keys.at(ordinal)),
    [9, 5, 5, 1],
  )
  const pagesAt = { ...positions.pagesAt, name: Uint32Array.of(7) }
  const contentOf = (of: Buffer) => tableContent(decodeTable(of))
  assert.is(contentOf(encodeList(sorted, { ...positions, pagesAt }, references)), contentOf(bytes))
  const fewer = { ...sorted, ids: sorted.ids.with(0, 'other') }
  assert.is.not(contentOf(encodeList(fewer, positions, references)), contentOf(bytes))
})

test('postings find the rows of a value', () => {
  const product = (vendorKey: string, slug: string) => ({
    slug,
    display: slug,
    vendor: vendorKey,
    vendor_display: vendorKey,
    cve_count: 1,
    spellings: [slug],
  })
  const list = sortList(
    'products',
    inMainOrder(LISTS.products, [product('v', 'b'), product('w', 'a'), product('v', 'a')]),
  )
  assert.equal(list.ids, ['v/a', 'v/b', 'w/a'])
  const { vendor: of } = list.filters
  assert.equal(
    [of!.keys, [...of!.starts], [...of!.ordinals]],
    [
      ['v', 'w'],
      [0, 2, 3],
      [0, 1, 2],
    ],
  )
  const slashed = inMainOrder(LISTS.products, [product('a', 'b/c'), product('a/b', 'c')])
  assert.equal(sortList('products', slashed).ids, ['a%2Fb/c', 'a/b/c'], 'no two products have one id')
})

test('packages are ordered by advisories, then by key; advisories that alias each other count once', () => {
  const advisories = { ...noAdvisories(), keys: ['GHSA-1', 'PYSEC-1', 'GHSA-2'], aliases: [['PYSEC-1'], ['CVE-1'], []] }
  const packages = [
    ['npm', 'One', ['GHSA-1', 'PYSEC-1', 'CVE-1']],
    ['PyPI', 'Two_x', ['GHSA-1', 'PYSEC-1', 'GHSA-2']],
    ['npm', '@a/b', ['GHSA-2']],
  ] as const
  const stated = {
    ...noPackages(),
    packages: packages.map(([ecosystem, name]) => ({ ecosystem, name, purl: null })),
    advisories: packages.map(([, , ids]) => [...ids]),
  }
  const rows = inMainOrder(LISTS.packages, packageRows(stated, aliasSets(advisories)))
  assert.equal(rows, [
    { ecosystem: 'PyPI', name: 'Two_x', purl: null, advisory_count: 2 },
    { ecosystem: 'npm', name: '@a/b', purl: null, advisory_count: 1 },
    { ecosystem: 'npm', name: 'One', purl: null, advisory_count: 1 },
  ])
  const list = sortList('packages', rows)
  assert.equal(list.ids, ['PyPI/two-x', 'npm/@a/b', 'npm/one'])
  const { filters } = decodeList(
    'packages',
    encodeList(
      list,
      { pagesAt: { advisories: Uint32Array.of(0) }, entries: null },
      { cves: noneOf(3), products: null },
    ),
  )
  assert.equal([...filters.ecosystem!.of('npm')], [1, 2])
  assert.equal([...filters.ecosystem!.of('pypi')], [0])
})

test('postings that do not ascend, or not from the first to the last, are refused', () => {
  const one = (starts: number[], ordinals: number[]) => {
    const columns = { 'p.starts': Uint32Array.from(starts), 'p.ordinals': Uint32Array.from(ordinals) }
    return decodePostings({ about: {}, columns }, ['a', 'b'], 'p.', 4)
  }
  assert.equal([...postingsOf(one([0, 2, 3], [0, 3, 1]), 'b')], [1])
  assert.equal([...postingsOf(one([0, 0, 0], []), 'a')], [])
  for (const damaged of [
    '1 2 3 / 0 3 1',
    '0 2 2 / 0 3 1',
    '0 4 3 / 0 3 1',
    '0 2 3 / 3 0 1',
    '0 2 3 / 1 1 1',
    '0 2 3 / 0 4 1',
    '0 3 / 0 1 2',
  ]) {
    const [starts, ordinals] = damaged.split(' / ').map((numbers) => numbers.split(' ').map(Number))
    assert.throws(() => one(starts!, ordinals!), /the postings p\. are damaged/, damaged)
  }
})

const isMalformed = (error: unknown) => error instanceof SnapshotError && error.code === 'malformed'

test('a list whose columns contradict one another is refused', () => {
  const { about, columns, cuts } = decodeTable(encodeList(sorted, positions, references))
  const broken: [string, object][] = [
    ['an ordinal outside', { columns: { ...columns, 'sort.cves.ordinals': Uint32Array.of(0, 1, 2, 4) } }],
    ['too few ordinals', { columns: { ...columns, 'sort.cves.ordinals': Uint32Array.of(0, 1) } }],
    ['too few keys', { columns: { ...columns, 'sort.cves.keys': Float64Array.of(1) } }],
    ['more keyed than rows', { about: { ...about, sorts: { cves: 5, name: 4 } } }],
    ['fewer keyed than keys', { about: { ...about, sorts: { cves: 3, name: 4 } } }],
    ['an ordinal twice', { columns: { ...columns, 'sort.cves.ordinals': Uint32Array.of(0, 1, 1, 3) } }],
    ['another number of texts', { columns: { ...columns, 'sort.name.keys.starts': Uint32Array.of(0, 1, 2) } }],
    ['too many pages', { columns: { ...columns, 'sort.cves.pagesAt': Uint32Array.of(0, 100) } }],
    ['no ids', { columns: { ...columns, 'ids.texts': new Uint8Array() } }],
    ['another number of rows', { about: { ...about, count: 3 } }],
    ['no number of rows', { about: { ...about, count: '4' } }],
  ]
  for (const [what, changed] of broken) {
    const bytes = encodeTable({ about, columns, cuts, ...changed })
    assert.throws(() => decodeList('vendors', bytes), isMalformed, what)
  }
})

test.run()
