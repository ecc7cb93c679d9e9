/** gateway/API.md, section 24: the endpoints, against the names in the claims. */
import * as assert from 'uvu/assert'
import { byText, joinedName, keyOfName, lower } from '../../support/plain.ts'
import { expectLimit, expectPaging, refuses, refusesValues } from '../support/checks.ts'
import { contractSuite } from '../support/contract.ts'
import { recordsOf } from '../support/rows.ts'
import { openWorld, sharedService } from '../support/service.ts'
import { expectSpellings } from '../support/spellings.ts'
import { cveList } from '../support/upstream.ts'

const { states, after, run } = contractSuite('GET /vendors/{vendorSlug}, /vendors/{vendorSlug}/products, /products')
const service = await sharedService()

interface Product {
  slug: string
  display: string
  vendor: string
  vendor_display?: string
  cve_count: number
}

/** The CVEs of each `vendor/product`, its vendor, and every spelling of its two names. Names are joined (rule 27). */
const named = new Map<string, { vendor: string; ids: Set<string>; names: Set<string>; makers: Set<string> }>()
const spellingsOfVendor = new Map<string, Set<string>>()
for (const [id, { affected }] of recordsOf(service.corpus)) {
  for (const entry of affected.filter(({ source }) => ['cna', 'adp', 'nvd'].includes(source))) {
    const [vendorKey, key] = [keyOfName(entry.vendor), keyOfName(entry.product)]
    if (vendorKey === null) continue
    const vendor = joinedName(vendorKey)
    spellingsOfVendor.set(vendor, (spellingsOfVendor.get(vendor) ?? new Set()).add(entry.vendor!.trim()))
    if (key === null) continue
    const product = `${vendor}/${joinedName(key)}`
    const known = named.get(product) ?? {
      vendor,
      ids: new Set(),
      names: new Set(),
      makers: new Set(),
    }
    named.set(product, known)
    known.ids.add(id)
    known.names.add(entry.product!.trim())
    known.makers.add(entry.vendor!.trim())
  }
}
const vendors = await service.all<Vendor>('/vendors')
const displayOf = new Map(vendors.map(({ slug, display }) => [slug, display]))
const vendorSlugs = vendors.filter(({ product_count }) => product_count > 0).map(({ slug }) => slug)
const sizeOf = (slug: string) => [...named.values()].filter(({ vendor }) => vendor === joinedName(slug)).length
const [largest] = vendorSlugs.toSorted((a, b) => sizeOf(b) - sizeOf(a))
const path = `/vendors/${largest}/products`

const pairs = (rows: Product[]) =>
  rows.map(({ vendor, slug, cve_count }): [string, number] => [`${vendor}/${slug}`, cve_count])
const every = new Map<string, FoundProduct>()
for (const vendor of vendorSlugs) {
  const products = `/vendors/${encodeURIComponent(vendor)}/products`
  for (const { slug } of await service.all<Product>(products)) {
    every.set(`${vendor}/${slug}`, await service.json<FoundProduct>(`${products}/${encodeURIComponent(slug)}`))
  }
}
/** The joined form of `<vendor slug>/<product slug>`. */
const joinedId = (id: string) => {
  const { vendor, slug } = every.get(id)!
  return `${joinedName(vendor)}/${joinedName(slug)}`
}
/** `vendor/product` with its count, most first, ties by code points. */
const ranked = [...every.keys()]
  .map((id): [id: string, count: number] => [id, named.get(joinedId(id))!.ids.size])
  .toSorted(([a, x], [b, y]) => y - x || byText(a, b))
/** Matched on the slug and every spelling of the product's name. */
const holds = (id: string, q: string) => {
  const { slug, spellings } = every.get(id)!
  return [slug, ...spellings].some((text) => lower(text).includes(lower(q)))
}
const ofVendor = (vendor: string) => ranked.filter(([id]) => every.get(id)!.vendor === vendor)

states('24.2', 'products of one vendor by its key', async () => {
  assert.ok(vendorSlugs.length > 100)
  assert.equal([...every.keys()].map(joinedId).sort(), [...named.keys()].sort())
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
      const known = named.get(joinedId(`${slug}/${row.slug}`))!
      assert.ok(known.names.has(row.display), `${row.display} is what a claim says`)
      assert.is(row.slug, keyOfName(row.display))
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
  const page = await service.json<Answer & { data: FoundProduct[] }>('/products?q=er&limit=100')
  assert.equal(Object.keys(page).sort(), ['data', 'pagination'])
  assert.equal(page.pagination, { limit: 100, next_cursor: null })
  for (const row of page.data) {
    const id = `${row.vendor}/${row.slug}`
    const { slug, display, vendor, cve_count } = every.get(id)!
    const { spellings, ...others } = row
    assert.equal(others, { slug, display, vendor, vendor_display: displayOf.get(vendor), cve_count })
    expectSpellings(spellings, named.get(joinedId(id))!.names)
  }
})

states('24.18', 'spellings of one vendor', () => {
  assert.equal(vendors.map(({ slug }) => joinedName(slug)).sort(), [...spellingsOfVendor.keys()].sort())
  for (const { slug, display, spellings } of vendors) {
    expectSpellings(spellings, spellingsOfVendor.get(joinedName(slug))!)
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
  product: ({ vendor, slug }: FoundProduct) => {
    const list = `/vendors/${encodeURIComponent(vendor)}/products`
    return { list, type: 'product', id: `${vendor.replaceAll('/', '%2F')}/${slug}` } as const
  },
}

states('24.22', 'the row of each spelling, in lists and in searches', async () => {
  for (const row of vendors) await expectFound(service, row, findings.vendor(row))
  for (const row of every.values()) await expectFound(service, row, findings.product(row))
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
    assert.equal((await world.json<Answer>('/products?q=openshift')).data, [product])
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
  const { data } = await service.json<{ data: FoundProduct[] }>('/products?q=er&limit=100')
  for (const row of data) {
    const [vendor] = vendors.filter(({ slug }) => slug === row.vendor)
    for (const [maker, product] of [
      [row.vendor, row.slug],
      [vendor!.spellings.at(-1)!, row.spellings.at(-1)!],
    ] as const) {
      const found = `/vendors/${encodeURIComponent(maker)}/products/${encodeURIComponent(product)}`
      assert.equal(await service.json<FoundProduct>(found), row, found)
    }
  }
  for (const unknown of [`${largest}/products/nothing`, `nobody/products/${encodeURIComponent(data[0]!.slug)}`]) {
    const { status, body } = await service.ask(`/vendors/${unknown}`)
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

interface Vendor {
  slug: string
  display: string
  product_count: number
  spellings: string[]
}
type FoundProduct = Product & { spellings: string[] }
interface Failure {
  error: string
  message: string
}
interface Found {
  results: Partial<Record<string, { id: string; href: string; label: string }[]>>
  counts: Partial<Record<string, number>>
}

after(() => service.remove())
run()
