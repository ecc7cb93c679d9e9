/** Large lists by parts of their keys: entries, products of a vendor, filters and cursors, never by their tables. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { ProductRow, VendorRow } from '../../../corpus/model/directory.ts'
import type { PackageRow } from '../../../corpus/model/packages/package-entry.ts'
import type { ExploitModule } from '../../../corpus/model/record.ts'
import { type CvePage, type ListEntry, openReader } from '../../../corpus/reader/reader.ts'
import { locateTable, partSpan, type TableHeader } from '../../../corpus/snapshot/codec/table.ts'
import { LIST_NAMES } from '../../../corpus/snapshot/cursor/lists.ts'
import { readCurrent, readObject } from '../../../corpus/snapshot/files/layout.ts'
import { askDirectly } from '../../support/ask.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { failed } from '../../support/refusal.ts'
import { sharedSample } from '../../support/samples.ts'
import { serveFolder } from '../../support/web-folder.ts'
import { gatewayAnswers } from './gateway-answers.ts'

const folder = temporaryFolder('reader-list-keys')
const { dist } = await sharedSample('usual')
const { manifest } = readCurrent(dist)
const asked = askDirectly(dist)
const web = await serveFolder(dist)
const fileOf = (role: string, name: string) => manifest.files.find((file) => file.role === role && file.name === name)!
/** One request reads a shorter table. An answer about a CNA needs the statistics in its table. */
const LONG = 24 * 1024
const tables = manifest.files
  .filter(({ role, name, size }) => role === 'list' && name !== 'cnas' && size > LONG)
  .map(({ sha256 }) => sha256)
assert.ok(tables.length > 2)
const part = encodeURIComponent
const { answeredOrNull, compare, compareWalks } = gatewayAnswers(asked)
const reader = await openReader(dist)

const vendors = await asked.all<VendorRow>('/vendors')
const packages = await asked.all<PackageRow>('/packages')
const exploits = await asked.all<ExploitModule>('/exploits')
const cwes = await asked.all<{ numeric_id: number }>('/cwes')
const capecs = await asked.all<{ capec_id: number }>('/capecs')
const cnas = await asked.all<{ slug: string }>('/cnas')
const kev = await asked.all<{ cve_id: string }>('/kev')
const advisories = await asked.all<{ advisory_id: string }>('/advisories')

/** Runs `work` with a new reader, which may not read a whole table of a list. */
async function withoutTables(work: (reader: Awaited<ReturnType<typeof openReader>>) => Promise<void>): Promise<void> {
  const reader = await openReader(web.url)
  const before = web.asked.length
  await work(reader)
  const whole = web.asked.slice(before).filter(({ range }) => range === null)
  const read = whole.filter(({ path }) => tables.some((digest) => path.endsWith(digest)))
  assert.is(read.length, 0, 'requests for whole tables of lists')
  await reader.close()
}

test('products of a vendor in each spelling, and rows that a text finds, are those of the gateway, without tables', async () => {
  const some = [...vendors.slice(0, 30), ...vendors.slice(-10)]
  const names = some.flatMap(({ slug, spellings = [] }) => [slug, slug.toUpperCase(), ...spellings])
  await withoutTables(async (fresh) => {
    for (const name of [...names, 'Nobody Inc']) {
      const path = `/vendors/${part(name)}/products`
      await compareWalks(fresh, `${path}?limit=3`)
      await compareWalks(reader, `${path}?q=E&limit=3`)
      assert.equal(await fresh.entries('products', { vendor: name, limit: 3 }), await compare(fresh, `${path}?limit=3`))
    }
    for (const list of ['vendors', 'packages'] as const) {
      for (const q of ['e', 'er', 'no such']) {
        await compareWalks(fresh, `/${list}?q=${part(q)}&limit=20`)
      }
    }
  })
})

test('every entry is the answer of the gateway, by its id in each form, with and without the tables', async () => {
  const paths: [list: keyof ListEntry, id: string | number, path: string][] = [
    ...cwes.flatMap(({ numeric_id: n }): typeof paths => [
      ['cwes', n, `/cwes/${n}`],
      ['cwes', `CWE-${n}`, `/cwes/CWE-${n}`],
      ['cwes', `cwe-${n}`, `/cwes/cwe-${n}`],
    ]),
    ...capecs.flatMap(({ capec_id: n }): typeof paths => [
      ['capecs', `${n}`, `/capecs/${n}`],
      ['capecs', `CAPEC-${n}`, `/capecs/CAPEC-${n}`],
    ]),
    ...cnas.flatMap(({ slug }): typeof paths => [
      ['cnas', slug, `/cnas/${encodeURIComponent(slug)}`],
      ['cnas', slug.toUpperCase(), `/cnas/${encodeURIComponent(slug.toUpperCase())}`],
    ]),
    ...vendors.flatMap(({ slug, spellings = [] }): typeof paths =>
      [slug, ...spellings].map((name) => ['vendors', name, `/vendors/${encodeURIComponent(name)}`]),
    ),
    ...exploits.map(({ source, source_id }): (typeof paths)[number] => [
      'exploits',
      `${source}/${source_id}`,
      `/exploits/${source}/${encodeURIComponent(source_id)}`,
    ]),
    ...advisories
      .slice(0, 100)
      .map(({ advisory_id: id }): (typeof paths)[number] => ['advisories', id, `/advisories/${id}`]),
    ...kev.map(({ cve_id: id }): (typeof paths)[number] => ['kev', id, `/cves/${id}/kev`]),
    ...packages.flatMap(({ ecosystem, name }): typeof paths =>
      [name, name.toUpperCase()].map((one) => [
        'packages',
        `${ecosystem}/${one}`,
        `/packages/${encodeURIComponent(ecosystem)}/${encodeURIComponent(one)}`,
      ]),
    ),
  ]
  const rows = await Promise.all(
    vendors.map(async ({ slug }) => asked.all<ProductRow>(`/vendors/${part(slug)}/products`)),
  )
  const products = rows.flat().slice(0, 100)
  for (const { vendor, slug } of products) {
    const row = await reader.entry('products', `${vendor.replaceAll('/', '%2F')}/${slug.replaceAll('/', '%2F')}`)
    const { spellings } = row!
    for (const name of [slug, ...spellings]) {
      const id = `${vendor.replaceAll('/', '%2F')}/${name}`
      paths.push(['products', id, `/vendors/${encodeURIComponent(vendor)}/products/${encodeURIComponent(name)}`])
    }
  }
  const found = new Set<string>()
  await withoutTables(async (fresh) => {
    await reader.entries('vendors', { sort: '-name' })
    for (const [list, id, path] of paths) {
      const expected = await answeredOrNull(path)
      for (const one of [reader, fresh]) {
        const entry = await one.entry(list, id)
        assert.is(entry === null ? null : JSON.stringify(entry), expected, `${list} ${id}`)
        if (entry) found.add(list)
      }
    }
  })
  const withEntries = LIST_NAMES.filter((list) => list !== 'rejected')
  assert.equal([...found].sort(), withEntries.sort(), 'some of each list')
})

test('unknown entries are null, and ids of another form are errors', async () => {
  const unknown: [keyof ListEntry, string][] = [
    ['cwes', '999999'],
    ['capecs', 'CAPEC-999999'],
    ['cnas', 'nobody'],
    ['cnas', 'Stats'],
    ['vendors', 'nobody'],
    ['vendors', '__proto__'],
    ['products', 'nobody/nothing'],
    ['products', `${vendors[0]!.slug}/nothing`],
    ['exploits', 'exploit_archive/none'],
    ['packages', 'npm/no-such'],
  ]
  await withoutTables(async (fresh) => {
    for (const [list, id] of unknown) {
      for (const one of [reader, fresh]) assert.is(await one.entry(list, id), null, `${list} ${id}`)
    }
  })
  const malformed: [unknown, unknown, RegExp][] = [
    ['cwes', 'CWE-', /^parameter 'cweId' must be of the form 79, CWE-79 or cwe-79, not 'CWE-'$/],
    ['capecs', 'cwe-66', /'capecId' must be of the form 79, CAPEC-79 or capec-79/],
    ['products', 'microsoft', /^the id 'microsoft' must have two parts, separated by '\/'$/],
    ['products', 'microsoft/', /must have two parts/],
    ['exploits', 'elsewhere/1', /unknown value 'elsewhere' of parameter 'source'/],
    ['packages', 'npm', /must have two parts/],
    ['packages', 'nmp/a', /unknown value 'nmp' of parameter 'ecosystem'; did you mean 'npm'\?/],
    ['vendors', '', /must be a string that is not empty/],
    ['vendors', null, /must be a string that is not empty, not null/],
    ['rejected', 'CVE-2024-0001', /^rejected CVEs have no entries/],
    ['vendor', 'a', /^unknown list "vendor"; known lists are cwes, /],
    ['toString', 'a', /^unknown list "toString"/],
  ]
  for (const [list, id, message] of malformed) {
    const error = await failed(reader.entry(list as 'cwes', id as string))
    assert.instance(error, TypeError)
    assert.match(error!.message, message)
  }
})

test('a cursor that another reader issued goes on without the table', async () => {
  for (const list of ['vendors', 'packages'] as const) {
    const { pagination } = await reader.entries(list, { limit: 30 })
    await withoutTables(async (reader) => {
      await compare(reader, `/${list}?limit=30&cursor=${pagination.next_cursor}`)
    })
  }
})

test('filters of CVEs by vendor, product and package are those of the gateway', async () => {
  await withoutTables(async (reader) => {
    let rows = 0
    const same = async (options: object, query: string) => {
      const page = await compare<CvePage>(reader, `/cves?${query}&limit=10`)
      assert.equal(await reader.list({ ...options, limit: 10 }), page)
      rows += page!.data.length
    }
    for (const { slug, spellings } of vendors.slice(0, 30)) {
      await same({ vendor: slug }, `vendor=${part(slug)}`)
      await same({ vendor: spellings!.at(-1)!, kev: true }, `vendor=${part(spellings!.at(-1)!)}&kev=true`)
      const [product] = await asked.all<ProductRow>(`/vendors/${part(slug)}/products`)
      if (product) {
        const name = `${slug.replaceAll('/', '%2F')}/${product.slug}`
        await same({ product: name, vendor: slug }, `product=${part(name)}&vendor=${part(slug)}`)
      }
    }
    for (const { ecosystem, name } of packages.slice(0, 30)) {
      await same({ package: `${ecosystem}/${name}` }, `package=${part(`${ecosystem}/${name}`)}`)
    }
    await same({ vendor: 'nobody' }, 'vendor=nobody')
    assert.ok(rows > 200, `${rows}`)
    const lists = fileOf('columns', 'lists')
    const whole = web.asked.filter(({ path, range }) => path.endsWith(lists.sha256) && range === null)
    assert.is(whole.length, 0)
  })
})

test('damaged keys and posting lists are refused', async () => {
  const { at: keysAt } = partSpan(locateTable(readObject(dist, fileOf('list', 'vendors'))) as TableHeader, 'hashHigh')
  const cases: [role: string, name: string, at: (size: number) => number][] = [
    ['list', 'vendors', () => 9],
    ['list', 'vendors', () => keysAt + 9],
    ['columns', 'lists', () => 9],
  ]
  for (const [role, name, at] of cases) {
    const { sha256: digest, size } = fileOf(role, name)
    const reader = await openReader(web.url)
    web.fault = ({ path }) => (path.endsWith(digest) ? { kind: 'corrupt', at: at(size) } : null)
    const found = []
    for (const { slug } of vendors) {
      const error = await reader.list({ vendor: slug, limit: 1 }).then(
        () => null,
        (reason: { code?: string }) => reason.code ?? String(reason),
      )
      if (error) found.push(error)
    }
    web.fault = () => null
    assert.ok(found.length > 0, `${role} ${name}`)
    assert.ok(
      found.every((code) => ['digest', 'malformed'].includes(code)),
      `${role} ${name}: ${found}`,
    )
    await reader.close()
  }
})

test.after(async () => {
  await Promise.all([reader.close(), asked.close(), web.close()])
  folder.remove()
})

test.run()
