/**
 * gateway/API.md, section 24: rows of vendors and products, against the names in the claims. Filters and orders of the
 * lists: lists.test.ts.
 */
import * as assert from 'uvu/assert'
import { joinedName, keyOfName } from '../../support/plain.ts'
import { refuses } from '../support/checks.ts'
import { contractSuite } from '../support/contract.ts'
import { integer, listOf, object, string } from '../support/field-types.ts'
import { recordsOf } from '../support/rows.ts'
import { openWorld, sharedService } from '../support/service.ts'
import { expectSpellings } from '../support/spellings.ts'
import { cveList } from '../support/upstream.ts'

const { states, after, run } = contractSuite('GET /vendors/{vendorSlug}, /vendors/{vendorSlug}/products, /products')
const service = await sharedService()

interface Vendor {
  slug: string
  display: string
  product_count: number
  spellings: string[]
}
interface Product {
  slug: string
  display: string
  vendor: string
  cve_count: number
}
type FoundProduct = Product & { vendor_display: string; spellings: string[] }
interface Answer {
  data: FoundProduct[]
  pagination: { limit: number; next_cursor: string | null }
}
interface Failure {
  error: string
  message: string
}
interface Found {
  results: Partial<Record<string, { id: string; href: string; label: string }[]>>
  counts: Partial<Record<string, number>>
}

/** Every spelling of each vendor, and of each `vendor/product`, by their joined names (rule 27). */
const spellingsOf = { vendor: new Map<string, Set<string>>(), product: new Map<string, Set<string>>() }
const note = (spellings: Map<string, Set<string>>, key: string, name: string) =>
  spellings.set(key, (spellings.get(key) ?? new Set()).add(name.trim()))
for (const { affected } of recordsOf(service.corpus).values()) {
  for (const { source, vendor, product } of affected) {
    const [vendorKey, key] = [keyOfName(vendor), keyOfName(product)]
    if (!['cna', 'adp', 'nvd'].includes(source) || vendorKey === null) continue
    note(spellingsOf.vendor, joinedName(vendorKey), vendor!)
    if (key !== null) note(spellingsOf.product, `${joinedName(vendorKey)}/${joinedName(key)}`, product!)
  }
}
const vendors = await service.all<Vendor>('/vendors')
const productsOf = (vendor: string) => `/vendors/${encodeURIComponent(vendor)}/products`
/** Each product as the list of its vendor has it, and its own answer. */
const products: { row: Product; found: FoundProduct }[] = []
for (const { slug } of vendors) {
  for (const row of await service.all<Product>(productsOf(slug))) {
    const found = await service.json<FoundProduct>(`${productsOf(slug)}/${encodeURIComponent(row.slug)}`)
    products.push({ row, found })
  }
}
const [largest] = vendors.toSorted((a, b) => b.product_count - a.product_count).map(({ slug }) => slug)

states('24.8, 24.16', 'the rows of a product, with its vendor and its spellings', async () => {
  const fields = { slug: string, display: string, vendor: string, cve_count: integer }
  const isFound = object({ ...fields, vendor_display: string, spellings: listOf(string) })
  const displayOf = new Map(vendors.map(({ slug, display }) => [slug, display]))
  for (const { row, found } of products) {
    const { vendor_display: vendorDisplay, spellings, ...others } = found
    assert.ok(object(fields)(row) && isFound(found), JSON.stringify(found))
    assert.equal(others, row)
    assert.is(vendorDisplay, displayOf.get(row.vendor))
    assert.is(row.slug, keyOfName(row.display))
    assert.ok(spellings.includes(row.display))
    expectSpellings(spellings, spellingsOf.product.get(`${joinedName(row.vendor)}/${joinedName(row.slug)}`)!)
  }
  assert.is(products.length, spellingsOf.product.size)
})

states('24.17', 'a name that two vendors use', async () => {
  const shared = [...Map.groupBy(products, ({ row }) => row.display)].filter(([, same]) => same.length > 1)
  assert.ok(shared.length > 5)
  for (const [name, same] of shared.slice(0, 30)) {
    const { data } = await service.json<Answer>(`/products?limit=100&q=${encodeURIComponent(name)}`)
    const makers = data.filter(({ display }) => display === name).map(({ vendor }) => vendor)
    assert.equal(makers.toSorted(), same.map(({ row }) => row.vendor).sort(), name)
  }
})

states('24.13', 'a cursor is refused', async () => {
  const { pagination } = await service.json<Answer>(`${productsOf(largest!)}?limit=1`)
  for (const cursor of ['abc', pagination.next_cursor])
    await refuses(service, `/products?q=er&cursor=${cursor}`, 'cursor')
})

states('24.18', 'spellings of one vendor', () => {
  assert.equal(vendors.map(({ slug }) => joinedName(slug)).sort(), [...spellingsOf.vendor.keys()].sort())
  for (const { slug, display, spellings } of vendors) {
    expectSpellings(spellings, spellingsOf.vendor.get(joinedName(slug))!)
    assert.is(slug, keyOfName(display))
    assert.ok(spellings.includes(display))
  }
  assert.ok(vendors.some(({ spellings }) => spellings.length > 1))
})

states('24.19', 'a vendor by each of its spellings', async () => {
  for (const vendor of vendors.filter((_, i) => i % 7 === 0)) {
    for (const name of [vendor.slug, ...vendor.spellings]) {
      const answer = await service.json<Vendor>(`/vendors/${encodeURIComponent(name)}`)
      assert.equal(answer, vendor, name)
    }
  }
  for (const unknown of ['nobody', `${largest}x`, 'n%2Fa', '%F0%9F%98%80']) {
    const { status, body } = await service.ask(`/vendors/${unknown}`)
    assert.equal([status, (body as Failure).error], [404, 'not_found'], unknown)
    assert.match((body as Failure).message, /^no record names the vendor .+; search .+ \/vendors\?q=/)
  }
  await refuses(service, '/vendors/%zz', 'vendorSlug')
})

/** Expects that each spelling finds its row in a list, and in `/search` among at most 25 matches. */
async function expectFound(
  asked: Pick<typeof service, 'all' | 'json'>,
  row: Vendor | FoundProduct,
  { list, type, id }: { list: string; type: 'vendor' | 'product'; id: string },
): Promise<void> {
  for (const text of row.spellings) {
    const q = encodeURIComponent(text)
    const listed = await asked.all<Product>(`${list}?q=${q}`)
    assert.ok(
      listed.some(({ slug }) => slug === row.slug),
      `${list}: ${text}`,
    )
    if (text.length < 2) continue
    const { results, counts } = await asked.json<Found>(`/search?q=${q}&types=${type}&limit=25`)
    const item = results[type]!.find((one) => one.id === id)
    assert.ok(item || counts[type]! > 25, `${id}: ${text}`)
    if (item) assert.is(item.label, row.display)
  }
}

const findings = {
  vendor: ({ slug }: Vendor) => ({ list: '/vendors', type: 'vendor', id: slug }) as const,
  product: ({ vendor, slug }: FoundProduct) =>
    ({ list: productsOf(vendor), type: 'product', id: `${vendor.replaceAll('/', '%2F')}/${slug}` }) as const,
}

states('24.22, 24.23', 'the row of each spelling, in lists and in searches', async () => {
  for (const row of vendors) await expectFound(service, row, findings.vendor(row))
  for (const { found } of products) await expectFound(service, found, findings.product(found))
  const names = [
    ['Red Hat', 'Open/Shift 4.1'],
    ['Red Hat', 'Open/Shift 4.1'],
    ['redhat', 'open-shift_4-1'],
    ['RED-HAT', 'OpenShift 4/1'],
  ]
  const world = await openWorld(
    cveList(
      names.map(([vendor, product], i) => ({
        id: `CVE-2024-000${i + 1}`,
        cna: { affected: [{ vendor, product, versions: [{ version: '1', status: 'affected' }] }] },
      })),
    ),
  )
  try {
    const vendor = await world.json<Vendor>('/vendors/red_hat')
    assert.equal([vendor.display, vendor.spellings], ['Red Hat', ['RED-HAT', 'Red Hat', 'redhat']])
    await expectFound(world, vendor, findings.vendor(vendor))
    const product = await world.json<FoundProduct>('/vendors/red_hat/products/open%2Fshift_4.1')
    assert.equal(product.spellings, ['Open/Shift 4.1', 'OpenShift 4/1', 'open-shift_4-1'])
    await expectFound(world, product, findings.product(product))
    assert.equal((await world.json<Answer>('/products?q=openshift&include=spellings')).data, [product])
    const { spellings: _, ...row } = product
    assert.equal((await world.json<Answer>('/products?q=openshift')).data, [row])
    const { results } = await world.json<Found>('/search?q=edhat&types=vendor')
    assert.equal(
      results.vendor!.map(({ label }) => label),
      ['Red Hat'],
    )
  } finally {
    await world.remove()
  }
})

states('24.20', 'a product by each of its spellings', async () => {
  const makers = new Map(vendors.map((vendor) => [vendor.slug, vendor.spellings.at(-1)!]))
  for (const { found } of products.filter((_, i) => i % 7 === 0)) {
    const path = `${productsOf(makers.get(found.vendor)!)}/${encodeURIComponent(found.spellings.at(-1)!)}`
    assert.equal(await service.json<FoundProduct>(path), found, path)
  }
  const { slug } = products[0]!.row
  for (const unknown of [`${productsOf(largest!)}/nothing`, `${productsOf('nobody')}/${encodeURIComponent(slug)}`]) {
    const { status, body } = await service.ask(unknown)
    assert.equal([status, (body as Failure).error], [404, 'not_found'], unknown)
    assert.match((body as Failure).message, /^no record names the product .+; search .+\/products\?q=/)
  }
})

states('24.21', 'slashes, blanks and Unicode in keys, and each result of a search', async () => {
  const world = await openWorld(
    cveList([
      {
        id: 'CVE-2024-0001',
        cna: {
          affected: ['net/http', 'http', 'Ünï 100%2F', 'a b', 'c++', 'c', 'v1.1', 'v11'].map((product) => ({
            vendor: 'Größe/Co.',
            product,
            versions: [{ version: '1', status: 'affected' }],
          })),
        },
      },
    ]),
  )
  try {
    const rows = await world.all<Product>('/vendors/gr%C3%B6%C3%9Feco/products')
    assert.is(rows.length, 8, 'none is joined')
    for (const { slug, display } of rows) {
      for (const type of ['product', 'vendor'] as const) {
        const q = type === 'product' ? display : 'größe'
        if (q.length < 2) continue
        const { results } = await world.json<Found>(`/search?q=${encodeURIComponent(q)}&types=${type}&limit=25`)
        assert.ok(results[type]!.length > 0, q)
        for (const { id, href, label } of results[type]!) {
          assert.is((await world.json<Product>(href)).display, label, href)
          const named = await world.all<{ cve_id: string }>(`/cves?${type}=${encodeURIComponent(id)}`)
          assert.equal(
            named.map(({ cve_id }) => cve_id),
            ['CVE-2024-0001'],
            id,
          )
        }
      }
      const encoded = encodeURIComponent(slug)
      assert.is((await world.json<Product>(`/vendors/gr%C3%B6%C3%9Fe%2Fco./products/${encoded}`)).display, display)
    }
    assert.is((await world.json<Product>('/vendors/gr%C3%B6%C3%9Feco/products/net/http')).display, 'net/http')
    assert.is((await world.ask('/vendors/gr%C3%B6%C3%9Feco/products/ne/thttp/x')).status, 404)
  } finally {
    await world.remove()
  }
})

after(() => service.remove())
run()
