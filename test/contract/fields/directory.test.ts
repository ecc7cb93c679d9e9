/** gateway/API.md, sections 23 and 24: references and rows of the directory, counted from the claims. */
import * as assert from 'uvu/assert'
import { joinedName } from '../../support/plain.ts'
import { contractSuite } from '../support/contract.ts'
import { expectField, expectSeen, integer, listOf, object, string } from '../support/field-types.ts'
import { aboutEach, allDetails } from '../support/rows.ts'
import { sampleFeeds } from '../support/sample-feeds.ts'
import { sharedService } from '../support/service.ts'
import { expectSpellings } from '../support/spellings.ts'

interface Product {
  slug: string
  display: string
  vendor: string
  cve_count: number
}
type FoundProduct = Product & { vendor_display: string; spellings: string[] }
interface Page<Row> {
  data: Row[]
  pagination: { next_cursor: string | null }
}

const { states, after, run } = contractSuite('directory rows')
const service = await sharedService()
const feeds = sampleFeeds(service.made)
const vendors = await service.all<{ slug: string; display: string }>('/vendors')
const productsPath = (slug: string) => `/vendors/${encodeURIComponent(slug)}/products`

/** As in CPE: lower case, `_` for blanks. */
const keyOf = (name: string) => name.trim().toLowerCase().replace(/\s+/g, '_')

const joinedOf = (name: string) => joinedName(keyOf(name))

/** The CVEs of each product by its joined names, and how claims write the two, from the affected entries. */
const counted = new Map<string, { cves: Set<string>; vendors: Set<string>; products: Set<string> }>()
const displays = new Map<string, Set<string>>()
for (const { cve_id: id, affected } of await allDetails(service)) {
  for (const { source, vendor, product } of affected) {
    if (!['cna', 'adp', 'nvd'].includes(source) || vendor === null) continue
    displays.set(joinedOf(vendor), (displays.get(joinedOf(vendor)) ?? new Set()).add(vendor.trim()))
    if (product === null) continue
    const key = `${joinedOf(vendor)}/${joinedOf(product)}`
    const one = counted.get(key) ?? { cves: new Set(), vendors: new Set(), products: new Set() }
    counted.set(key, one)
    one.cves.add(id)
    one.vendors.add(vendor.trim())
    one.products.add(product.trim())
  }
}

states('23.11', 'key and name of the CNA', async () => {
  const assigning = new Set(feeds.records.map(({ cveMetadata }) => cveMetadata.assignerShortName))
  const cnas = feeds.cnas.filter(({ shortName }) => assigning.has(shortName))
  assert.ok(cnas.length > 30)
  for (const { shortName, organizationName } of cnas) {
    const slug = keyOf(shortName)
    const { cna } = await service.json<{ cna: object }>(`/cnas/${encodeURIComponent(slug)}/cves?limit=1`)
    assert.equal(cna, { slug, cna_name: organizationName })
  }
})

states('24.7', 'key and name of the vendor', async () => {
  assert.equal(vendors.map(({ slug }) => joinedName(slug)).sort(), [...displays.keys()].sort())
  for (const { slug, display } of vendors) {
    const { vendor } = await service.json<{ vendor: object }>(`${productsPath(slug)}?limit=1`)
    assert.equal(vendor, { slug, display })
    assert.is(slug, keyOf(display))
    assert.ok(displays.get(joinedName(slug))!.has(display), `${display} of ${slug}`)
  }
})

/** All products, vendor by vendor. */
const products = (await aboutEach(vendors, ({ slug }) => service.all<Product>(productsPath(slug)))).flat()

const idOf = ({ vendor, slug }: Product) => `${joinedName(vendor)}/${joinedName(slug)}`

states('24.8', 'the row of a product', () => {
  const shape = object({ slug: string, display: string, vendor: string, cve_count: integer })
  for (const product of products) assert.ok(shape(product), JSON.stringify(product))
  assert.equal(products.map(idOf).sort(), [...counted.keys()].sort())
  for (const product of products) {
    const { vendor, slug, display, cve_count: count } = product
    const one = counted.get(idOf(product))!
    assert.is(count, one.cves.size, `${vendor}/${slug}`)
    assert.is(slug, keyOf(display))
    assert.ok(one.products.has(display), display)
  }
  assert.ok(products.some(({ cve_count: count }) => count > 2))
})

const found = async (q: string) =>
  (await service.json<Page<FoundProduct>>(`/products?limit=100&q=${encodeURIComponent(q)}`)).data

states('24.16', 'the row names the vendor too', async () => {
  const names = { slug: string, display: string, vendor: string, vendor_display: string }
  const shape = { ...names, cve_count: integer, spellings: listOf(string) }
  const displayOf = new Map(vendors.map(({ slug, display }) => [slug, display]))
  for (const { display } of products.filter((_, i) => i % 40 === 0)) {
    const rows = await found(display)
    assert.ok(rows.length > 0, display)
    for (const row of rows) {
      assert.ok(object(shape)(row), JSON.stringify(row))
      const { vendor_display: vendorDisplay, spellings, ...product } = row
      assert.is(vendorDisplay, displayOf.get(row.vendor))
      expectSpellings(spellings, counted.get(idOf(row))!.products)
      const own = products.find(({ slug, vendor }) => slug === row.slug && vendor === row.vendor)
      assert.equal(product, own)
    }
  }
  expectField(await found('er'), 'vendor_display', string)
})

states('24.17', 'one row for each vendor', async () => {
  const shared = [...Map.groupBy(products, ({ display }) => display)].filter(([, same]) => same.length > 1)
  assert.ok(shared.length > 5)
  for (const [name, same] of shared.slice(0, 30)) {
    const rows = (await found(name)).filter(({ display }) => display === name)
    expectSeen(
      rows.map(({ vendor }) => vendor),
      same.map(({ vendor }) => vendor),
    )
    assert.is(new Set(rows.map(({ vendor }) => vendor)).size, rows.length, name)
  }
})

after(() => service.remove())
run()
