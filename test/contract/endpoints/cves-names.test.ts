/** gateway/API.md, section 9: the filters by vendor, product and package, against the lists of their names. */
import * as assert from 'uvu/assert'
import { askDirectly, walk } from '../../support/ask.ts'
import { refuses, refusesValues } from '../support/checks.ts'
import { contractSuite } from '../support/contract.ts'
import { openPackageWorld } from '../support/package-world.ts'
import { type CvePage, expectCves, expectSorts, idsOf, inOrder, type Summary, summariesOf } from '../support/rows.ts'
import { openWorld, sharedService } from '../support/service.ts'
import { cveList } from '../support/upstream.ts'

const { states, after, run } = contractSuite('filters of GET /cves by names')
const service = await sharedService()
const all = summariesOf(service.corpus)
const newest = idsOf(inOrder(all, '-published'))
const part = encodeURIComponent
/** Without HTTP, for hundreds of requests. */
const direct = askDirectly(service.made.dist)
const idsFor = async (query: string) =>
  idsOf(await walk<Summary>(async (page) => (await direct.ask('/cves', `${query}&${page}`)).text))

interface Vendor {
  slug: string
  display: string
  cve_count: number
  spellings: string[]
}
interface Product extends Vendor {
  vendor: string
  vendor_display?: string
}
interface Package {
  ecosystem: string
  name: string
}

const vendors = await direct.all<Vendor>('/vendors')
const products: Product[] = []
for (const { slug } of vendors) products.push(...(await direct.all<Product>(`/vendors/${part(slug)}/products`)))
const packages = await direct.all<Package>('/packages')

/** The CVEs with a record that the rows of `/affected` name, without a version. */
async function cvesOf({ ecosystem, name }: Package): Promise<string[]> {
  const query = new URLSearchParams({ ecosystem, name })
  const rows = await walk<{ cve_ids: string[] }>(
    async (page) => (await direct.ask('/affected', `${query}&${page}`)).text,
  )
  const ids = new Set(rows.flatMap(({ cve_ids }) => cve_ids))
  return newest.filter((id) => ids.has(id))
}

/** Names with slashes: two products whose keys differ in the position of the separator alone. */
const affected = (vendor: string, product: string) => ({
  affected: [{ vendor, product, versions: [{ version: '1', status: 'affected' }] }],
})
const slashes = await openWorld(
  cveList([
    { id: 'CVE-2024-0001', cna: affected('A/B Corp', 'TCP/IP Stack') },
    { id: 'CVE-2024-0002', cna: affected('a', 'B Corp/TCP/IP Stack') },
    { id: 'CVE-2024-0003', cna: affected('a', 'b') },
  ]),
)
const named = await openPackageWorld()
const idsAt = async (world: typeof named, query: string) => idsOf(await world.all<Summary>(`/cves?${query}`)).sort()

/** Some rows of a list, from the first to the last. */
const some = <Row>(rows: readonly Row[]) => rows.filter((_, i) => i % Math.ceil(rows.length / 20) === 0)

states('9.19', 'the key or the name of a vendor', async () => {
  for (const { slug, display, spellings } of some(vendors)) {
    const ids = await idsFor(`vendor=${part(slug)}`)
    assert.ok(ids.length > 0, slug)
    for (const text of [display, ...spellings, slug.toUpperCase(), ` ${slug.replaceAll('_', '  ')} `]) {
      assert.equal(await idsFor(`vendor=${part(text)}`), ids, text)
    }
  }
  const { slug } = vendors[0]!
  for (const unknown of ['nobody', slug.slice(0, -1), `${slug}x`, '%', '*', 'n/a', ' ']) {
    await expectCves(service, `/cves?vendor=${part(unknown)}`, [])
  }
})

states('9.20', 'the keys or names of vendor and product', async () => {
  for (const { vendor, slug } of some(products)) {
    const row = await service.json<Product>(`/vendors/${part(vendor)}/products/${part(slug)}`)
    const { vendor_display, display, spellings } = row
    const ids = await idsFor(`product=${part(vendor)}/${part(slug)}`)
    assert.ok(ids.length > 0, `${vendor}/${slug}`)
    const names = [display, ...spellings].map((name) => `${vendor_display}/${name}`)
    for (const text of [`${vendor}/${slug}`, `${vendor}/${slug}`.toUpperCase(), ...names]) {
      assert.equal(await idsFor(`product=${part(text)}`), ids, text)
    }
  }
  const { vendor, slug } = products[0]!
  for (const unknown of [`nobody/${slug}`, `${vendor}/nothing`, `${slug}/${vendor}`, `${vendor}/${slug}/x`]) {
    await expectCves(service, `/cves?product=${part(unknown)}`, [])
  }
})

states('9.21', 'the ecosystem and the name of a package', async () => {
  assert.equal(await idsAt(named, 'package=npm/@acme/widget'), ['CVE-2024-0001', 'CVE-2024-0002', 'CVE-2024-0003'])
  for (const text of ['NPM/%40Acme%2FWidget', 'npm%2F@acme/WIDGET']) {
    assert.equal(await idsAt(named, `package=${text}`), await idsAt(named, 'package=npm/@acme/widget'), text)
  }
  for (const empty of [
    'npm/plain',
    'npm/no-such',
    'PyPI/zope.interface',
    'Go/example.com/acme/widget/v2',
    'Alpine/x',
  ]) {
    assert.equal(await idsAt(named, `package=${empty}`), [], empty)
  }
  let found = 0
  for (const one of packages) {
    const expected = await cvesOf(one)
    assert.equal(await idsFor(`package=${part(`${one.ecosystem}/${one.name}`)}`), expected, one.name)
    found += expected.length
  }
  assert.ok(found > 50, `${found} CVEs of packages`)
})

states('9.22', 'as many CVEs as the lists of names count, in every order, with every other filter', async () => {
  assert.ok(vendors.length > 100 && products.length > 200)
  for (const { slug, cve_count } of vendors) {
    assert.is((await idsFor(`vendor=${part(slug)}`)).length, cve_count, slug)
  }
  for (const { vendor, slug, cve_count } of products) {
    assert.is((await idsFor(`product=${part(vendor)}/${part(slug)}`)).length, cve_count, slug)
  }
  const [{ slug }] = vendors as [Vendor]
  const own = await service.all<Summary>(`/cves?vendor=${part(slug)}`)
  const rows = all.filter(({ cve_id }) => idsOf(own).includes(cve_id))
  await expectSorts(service, `/cves?vendor=${part(slug)}`, rows, ['published', 'updated', 'cvss', 'epss'])
  const { cve_id, severity, title } = rows.find((row) => row.severity !== null && row.title !== null)!
  const more: [string, (row: Summary) => boolean][] = [
    [`severity=${severity}`, (row) => row.severity === severity],
    ['kev=false', (row) => !row.kev.listed],
    [`ids=${cve_id}`, (row) => row.cve_id === cve_id],
    [`q=${part(title!)}`, (row) => row.title?.toLowerCase().includes(title!.toLowerCase()) ?? false],
  ]
  for (const [query, passes] of more) {
    assert.ok(rows.some(passes), query)
    await expectCves(service, `/cves?vendor=${part(slug)}&${query}`, rows.filter(passes))
    await expectCves(service, `/cves?vendor=nobody&${query}`, [])
  }
  const { pagination } = await service.json<CvePage>(`/cves?limit=1&vendor=${part(slug)}`)
  for (const query of [`vendor=${part(vendors[1]!.slug)}`, `product=${part(slug)}/x`, '']) {
    const { status, body } = await service.ask(`/cves?${query}&cursor=${pagination.next_cursor}`)
    assert.equal([status, (body as { error: string }).error], [400, 'invalid_cursor'], query)
  }
})

states('9.23', 'slashes in keys', async () => {
  const ids = (text: string) => idsAt(slashes, `product=${text}`)
  assert.equal(await ids('a%2Fb_corp/tcp%2Fip_stack'), ['CVE-2024-0001'])
  assert.equal(await ids('A%2fB%20Corp/TCP/IP%20Stack'), ['CVE-2024-0001'])
  for (const text of ['a/b_corp%2Ftcp%2Fip_stack', 'a/b_corp/tcp/ip_stack', 'a%2Fb_corp%2Ftcp%2Fip_stack']) {
    assert.equal(await ids(text), ['CVE-2024-0002'], text)
  }
  assert.equal(await idsAt(slashes, 'vendor=a%2Fb_corp'), ['CVE-2024-0001'])
  assert.equal(await idsAt(slashes, 'vendor=A/B+Corp'), ['CVE-2024-0001'])
  assert.equal(await idsAt(slashes, 'vendor=a'), ['CVE-2024-0002', 'CVE-2024-0003'])
})

states('9.24', 'malformed names', async () => {
  const long = 'x'.repeat(2049)
  await refusesValues(service, '/cves', 'vendor', ['', long])
  await refusesValues(service, '/cves', 'product', [
    '',
    'windows',
    '/windows',
    'microsoft/',
    '/',
    `${long}/x`,
    `x/${long}`,
  ])
  await refusesValues(service, '/cves', 'package', ['', 'lodash', '/lodash', 'npm/', 'nmp/lodash', 'Debian:12/openssl'])
  await refusesValues(service, '/cves', 'package', [`npm/${long}`, 'npm/a b', 'npm:x/a', '%/x'])
  for (const name of ['vendor', 'product', 'package']) await refuses(service, `/cves?${name}=npm/a&${name}=npm/b`, name)
  const { body } = await service.ask('/cves?package=nmp/lodash')
  assert.match((body as { message: string }).message, /'nmp' of parameter 'package'; did you mean 'npm'\?/)
  // Ecosystems of the schema without packages are known.
  await expectCves(service, '/cves?package=Alpaquita/x', [])
})

states('9.25', 'the lists of one weakness and one CNA', async () => {
  for (const path of ['/cwes/79/cves', '/cnas/mirador/cves']) {
    for (const query of ['vendor=acme', 'product=acme/widget', 'package=npm/lodash']) {
      await refuses(service, `${path}?${query}`, query.split('=')[0]!)
    }
  }
})

after(async () => {
  await direct.close()
  await service.remove()
  await slashes.remove()
  await named.remove()
})
run()
