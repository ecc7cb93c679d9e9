/** gateway/API.md, section 24: the endpoints, against the names in the claims. */
import * as assert from 'uvu/assert'
import { keyOfName, lower } from '../../support/plain.ts'
import { expectLimit, expectPaging, refuses, refusesValues } from '../support/checks.ts'
import { contractSuite } from '../support/contract.ts'
import { recordsOf } from '../support/rows.ts'
import { sharedService } from '../support/service.ts'

const { states, after, run } = contractSuite('GET /vendors/{vendorSlug}/products, /products')
const service = await sharedService()

interface Product {
  slug: string
  display: string
  vendor: string
  vendor_display?: string
  cve_count: number
}

/** The CVEs of each `vendor/product`, and every spelling of its two names. */
const named = new Map<
  string,
  { vendor: string; slug: string; ids: Set<string>; names: Set<string>; makers: Set<string> }
>()
for (const [id, { affected }] of recordsOf(service.corpus)) {
  for (const entry of affected.filter(({ source }) => ['cna', 'adp', 'nvd'].includes(source))) {
    const [vendor, slug] = [keyOfName(entry.vendor), keyOfName(entry.product)]
    if (vendor === null || slug === null) continue
    const known = named.get(`${vendor}/${slug}`) ?? {
      vendor,
      slug,
      ids: new Set(),
      names: new Set(),
      makers: new Set(),
    }
    named.set(`${vendor}/${slug}`, known)
    known.ids.add(id)
    known.names.add(entry.product!.trim())
    known.makers.add(entry.vendor!.trim())
  }
}
const vendors = await service.all<{ slug: string; display: string }>('/vendors')
const displayOf = new Map(vendors.map(({ slug, display }) => [slug, display]))
const vendorSlugs = [...new Set([...named.values()].map(({ vendor }) => vendor))]
const sizeOf = (slug: string) => [...named.values()].filter(({ vendor }) => vendor === slug).length
const [largest] = vendorSlugs.toSorted((a, b) => sizeOf(b) - sizeOf(a))
const path = `/vendors/${largest}/products`

/** `vendor/product` with its count, most first, ties by code points. */
const ranked = [...named.values()]
  .map(({ vendor, slug, ids }): [id: string, count: number] => [`${vendor}/${slug}`, ids.size])
  .toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
const pairs = (rows: Product[]) =>
  rows.map(({ vendor, slug, cve_count }): [string, number] => [`${vendor}/${slug}`, cve_count])
const every = new Map<string, Product>()
for (const vendor of vendorSlugs) {
  for (const row of await service.all<Product>(`/vendors/${encodeURIComponent(vendor)}/products`)) {
    every.set(`${row.vendor}/${row.slug}`, row)
  }
}
/** Matched on slug and display: either is the product's name. */
const holds = (id: string, q: string) => {
  const { slug, display } = every.get(id)!
  return [slug, display].some((text) => lower(text).includes(lower(q)))
}
const ofVendor = (vendor: string) => ranked.filter(([id]) => named.get(id)!.vendor === vendor)

states('24.2', 'products of one vendor by its key', async () => {
  assert.ok(vendorSlugs.length > 100)
  assert.equal(new Set(every.keys()), new Set(named.keys()))
  for (const slug of vendorSlugs) {
    const rows = await service.all<Product>(`/vendors/${encodeURIComponent(slug)}/products`)
    assert.equal(pairs(rows), ofVendor(slug), slug)
  }
  for (const unknown of ['nobody', largest!.slice(0, -1), `${largest}x`, '%25', 'n%2Fa']) {
    assert.equal(await service.all(`/vendors/${unknown}/products`), [], unknown)
  }
  await refuses(service, '/vendors/%zz/products', 'vendorSlug')
})

states('24.3', 'text in the name', async () => {
  const name = every.get(ofVendor(largest!)[3]![0])!.display
  const queries = [
    'a',
    'e',
    'A',
    '_',
    '%',
    ' ',
    '-',
    '0',
    'server',
    'no such',
    name,
    name.toUpperCase(),
    name.slice(2, 8),
  ]
  let found = 0
  for (const q of [...queries, largest!]) {
    const rows = await service.all<Product>(`${path}?q=${encodeURIComponent(q)}`)
    const expected = ofVendor(largest!).filter(([id]) => holds(id, q))
    assert.equal(pairs(rows), expected, q)
    if (rows.length > 0) found++
  }
  assert.ok(found > 6, String(found))
  await refusesValues(service, path, 'q', ['', 'x'.repeat(201)])
})

states('24.4', 'pages, and no sort', async () => {
  for (const more of ['', '?q=e']) await expectPaging(service, path + more)
  await refuses(service, `${path}?sort=cves`, 'sort')
})

states('24.5', 'most CVEs first', async () => {
  let falling = 0
  for (const slug of vendorSlugs) {
    const counts = (await service.all<Product>(`/vendors/${encodeURIComponent(slug)}/products`)).map(
      (row) => row.cve_count,
    )
    assert.equal(
      counts,
      counts.toSorted((a, b) => b - a),
      slug,
    )
    if (counts[0] !== counts.at(-1)) falling++
  }
  assert.ok(falling > 0, 'no vendor has products of different counts')
})

states('24.6', 'the vendor and the page', async () => {
  for (const slug of [...vendorSlugs, 'nobody']) {
    const page = await service.json<Answer>(`/vendors/${encodeURIComponent(slug)}/products`)
    assert.equal(Object.keys(page).sort(), ['data', 'pagination', 'vendor'])
    assert.equal(page.vendor, { slug, display: displayOf.get(slug) ?? null })
    for (const row of page.data) {
      assert.equal(Object.keys(row).sort(), ['cve_count', 'display', 'slug', 'vendor'])
      const known = named.get(`${slug}/${row.slug}`)!
      assert.ok(known.names.has(row.display), `${row.display} is what a claim says`)
    }
  }
})

interface Answer {
  vendor: object
  data: Product[]
  pagination: { limit: number; next_cursor: string | null }
}

states('24.12', 'most CVEs first, across vendors', async () => {
  const { data } = await service.json<Answer>('/products?q=er&limit=100')
  assert.equal(pairs(data), ranked.filter(([id]) => holds(id, 'er')).slice(0, 100))
  assert.ok(new Set(data.map(({ vendor }) => vendor)).size > 10, 'of many vendors')
  assert.ok(data[0]!.cve_count > data.at(-1)!.cve_count)
})

states('24.9', 'required text in the name', async () => {
  const { display } = every.get(ranked[5]![0])!
  const queries = ['se', 'SE', 'server', 'er', '_s', '%%', '__', '  ', '00', 'no such', '😀x', 'é_', '"a', display]
  let found = 0
  for (const q of [...queries, display.toUpperCase(), display.slice(1, 5), largest!]) {
    const { data } = await service.json<Answer>(`/products?limit=100&q=${encodeURIComponent(q)}`)
    assert.equal(pairs(data), ranked.filter(([id]) => holds(id, q)).slice(0, 100), q)
    if (data.length > 0) found++
  }
  assert.ok(found > 6, String(found))
  await refuses(service, '/products', 'q')
  await refuses(service, '/products?limit=5', 'q')
  await refusesValues(service, '/products', 'q', ['', 'a', '😀', 'x'.repeat(201)])
})

states('24.10', 'products of one vendor', async () => {
  for (const vendor of [...vendorSlugs.slice(0, 60), largest!, 'nobody', largest!.slice(1)]) {
    const { data } = await service.json<Answer>(`/products?limit=100&q=er&vendor=${encodeURIComponent(vendor)}`)
    assert.equal(
      pairs(data),
      ofVendor(vendor)
        .filter(([id]) => holds(id, 'er'))
        .slice(0, 100),
      vendor,
    )
  }
  await refusesValues(service, '/products?q=er', 'vendor', [''])
})

states('24.11', 'the number of rows', async () => {
  await expectLimit(service, '/products?q=er')
})

states('24.13', 'a cursor is refused', async () => {
  await refuses(service, '/products?q=er&cursor=abc', 'cursor')
  const { pagination } = await service.json<Answer>(`${path}?limit=1`)
  await refuses(service, `/products?q=er&cursor=${pagination.next_cursor}`, 'cursor')
})

states('24.14', 'the next cursor stays null', async () => {
  for (const query of ['q=er&limit=1', 'q=er', 'q=er&limit=100', 'q=no+such', `q=er&vendor=${largest}&limit=1`]) {
    assert.is((await service.json<Answer>(`/products?${query}`)).pagination.next_cursor, null, query)
  }
})

states('24.15', 'rows in the list envelope', async () => {
  const page = await service.json<Answer>('/products?q=er&limit=100')
  assert.equal(Object.keys(page).sort(), ['data', 'pagination'])
  assert.equal(page.pagination, { limit: 100, next_cursor: null })
  for (const row of page.data) {
    const { slug, display, vendor, cve_count } = every.get(`${row.vendor}/${row.slug}`)!
    assert.equal(row, { slug, display, vendor, vendor_display: displayOf.get(vendor), cve_count })
  }
})

after(() => service.remove())
run()
