/** The lists other than CVEs, their entries, and documents of CVEs: the answers of the gateway, byte for byte. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { CursorError, type ListName, openReader } from '../../../corpus/reader/reader.ts'
import { readCurrent } from '../../../corpus/snapshot/files/layout.ts'
import { askDirectly } from '../../support/ask.ts'
import { combinationsOf, type ListCase } from '../../support/combinations.ts'
import { ingestAndBuild, temporaryFolder } from '../../support/dist.ts'
import { capecsCase, cnasCase, cwesCase, exploitsCase, packagesCase, vendorsCase } from '../../support/list-cases.ts'
import { failed } from '../../support/refusal.ts'
import { ownSample } from '../../support/samples.ts'
import { serveFolder } from '../../support/web-folder.ts'
import { gatewayAnswers } from './gateway-answers.ts'

const folder = temporaryFolder('reader-lists')
const sample = await ownSample('small', folder.path)
const asked = askDirectly(sample.dist)
const reader = await openReader(sample.dist)
const web = await serveFolder(sample.dist)

const { manifest } = readCurrent(sample.dist)
const fileOf = (role: string, name: string) => manifest.files.find((one) => one.role === role && one.name === name)!

const { answered, answeredOrNull, compareWalks } = gatewayAnswers(asked)

const LISTS = ['cwes', 'capecs', 'cnas', 'vendors', 'exploits', 'packages'] as const
const rowsOf = <Row>(list: (typeof LISTS)[number]) => asked.all<Row>(`/${list}`)
const rows = {
  cwes: await rowsOf<Parameters<typeof cwesCase>[0][number]>('cwes'),
  capecs: await rowsOf<Parameters<typeof capecsCase>[0][number]>('capecs'),
  cnas: await rowsOf<Parameters<typeof cnasCase>[0][number]>('cnas'),
  vendors: await rowsOf<Parameters<typeof vendorsCase>[0][number]>('vendors'),
  exploits: await rowsOf<Parameters<typeof exploitsCase>[0][number]>('exploits'),
  packages: await rowsOf<Parameters<typeof packagesCase>[0][number]>('packages'),
}
const CASES = {
  cwes: cwesCase(rows.cwes),
  capecs: capecsCase(rows.capecs),
  cnas: cnasCase(rows.cnas),
  vendors: vendorsCase(rows.vendors),
  exploits: exploitsCase(rows.exploits),
  packages: packagesCase(rows.packages),
} as Record<(typeof LISTS)[number], ListCase<unknown>>

for (const list of LISTS) {
  test(`every page of /${list} in every order, with every filter and pair of filters, is the answer of the gateway`, async () => {
    // A new reader has no table: unfiltered pages come from page shards.
    const fresh = await openReader(sample.dist)
    let pages = 0
    for (const { values, order } of combinationsOf(CASES[list])) {
      const chosen = values.map(([name, { text }]) => [name, new URLSearchParams(`value=${text}`).get('value')!])
      const sort = order.sort === null ? [] : [['sort', order.sort]]
      const options = Object.fromEntries([...chosen, ...sort])
      const parameters = [...values.map(([name, { text }]) => `${name}=${text}`), ...sort.map((one) => one.join('='))]
      const limits = values.length === 0 ? [7, 25, 100] : [40]
      for (const limit of limits) {
        const query = [...parameters, `limit=${limit}`].join('&')
        for (const one of values.length === 0 ? [await openReader(sample.dist), fresh] : [fresh]) {
          pages += await compareWalks(one, list, `/${list}`, { ...options, limit }, query)
          if (one !== fresh) await one.close()
        }
      }
    }
    await fresh.close()
    assert.ok(pages > 10, `${pages} pages`)
  })
}

test('without options, a page is that of the list without parameters', async () => {
  for (const list of LISTS) assert.is(JSON.stringify(await reader.entries(list)), await answered(`/${list}`))
})

test('products with a text are those of /products', async () => {
  for (const q of ['er', 'LAN', '__', 'no such product']) {
    const { data } = await reader.entries('products', { q, limit: 100 })
    const { data: expected } = JSON.parse(await answered('/products', `q=${q}&limit=100`)) as { data: unknown[] }
    assert.is(JSON.stringify(data), JSON.stringify(expected), q)
  }
})

test('products without a vendor are all of them, those with the most CVEs first', async () => {
  const all = []
  for (const fresh of [await openReader(sample.dist), reader]) {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await fresh.entries('products', { limit: 60, cursor: cursor ?? undefined })
      all.push(...page.data)
      cursor = page.pagination.next_cursor
    }
    if (fresh !== reader) await fresh.close()
  }
  const once = all.slice(0, all.length / 2)
  assert.equal(all, [...once, ...once])
  assert.equal(
    once.map(({ cve_count }) => cve_count),
    once.map(({ cve_count }) => cve_count).sort((a, b) => b - a),
  )
  const found = await Promise.all(
    rows.vendors.map(async ({ slug }) =>
      asked.all<{ slug: string; vendor: string }>(`/vendors/${encodeURIComponent(slug)}/products`),
    ),
  )
  const ids = (some: { slug: string; vendor: string }[]) => some.map(({ slug, vendor }) => `${vendor} ${slug}`).sort()
  assert.equal(ids(once), ids(found.flat()))
})

test('hostile options are errors that name the option', async () => {
  const cases: [list: string, options: unknown, message: RegExp][] = [
    ['cwes', { sort: 'severity' }, /^option 'sort' must be one of cves, -cves, id, -id, name, -name, not "severity"$/],
    ['products', { sort: 'cves' }, /^unknown option 'sort'; known options are q, vendor, limit, cursor$/],
    ['packages', { sort: 'advisories' }, /^unknown option 'sort'/],
    ['cwes', { abstraction: 'base or so' }, /^option 'abstraction' must be one of Pillar, /],
    ['cwes', { status: '' }, /^option 'status' must be a string that is not empty/],
    ['cwes', { q: '' }, /^option 'q' must be a text of 1 to 200 characters/],
    ['exploits', { q: 'a' }, /^unknown option 'q'/],
    ['cwes', { limit: 0 }, /^option 'limit' must be a whole number from 1 to 100/],
    ['cwes', { limit: 101 }, /^option 'limit'/],
    ['cwes', { limit: '5' }, /^option 'limit'/],
    ['cwes', { cursor: 7 }, /^option 'cursor'/],
    ['cwes', { vendor: 'a' }, /^unknown option 'vendor'/],
    ['cwes', null, /^options must be an object/],
    ['exploits', { published_since: '2024-02-30' }, /^option 'published_since' must be a date/],
    ['packages', { ecosystem: 'nmp' }, /^option 'ecosystem' has an unknown ecosystem 'nmp'/],
    ['packages', { ecosystem: 'Debian:12' }, /^option 'ecosystem' has an unknown ecosystem 'Debian:12'/],
    ['cve', {}, /^unknown list "cve"/],
  ]
  for (const [list, options, message] of cases) {
    const error = await failed(reader.entries(list as 'cwes', options as object))
    assert.instance(error, TypeError, `${list} ${JSON.stringify(options)}`)
    assert.match(error!.message, message)
  }
})

test('cursors of another list, sort or filter are refused, as are broken ones', async () => {
  const { pagination } = await reader.entries('cwes', { limit: 1 })
  const cursor = pagination.next_cursor!
  const refused = async (list: ListName, options: object) => {
    const error = await failed(reader.entries(list, options))
    assert.instance(error, CursorError)
    return error!.message
  }
  assert.match(await refused('capecs', { cursor }), /belongs to another list, 'cwes'/)
  assert.match(await refused('cwes', { cursor, sort: 'name' }), /belongs to sort=-cves/)
  assert.match(await refused('cwes', { cursor, status: 'Draft' }), /belongs to other filters/)
  assert.match(await refused('cwes', { cursor: `${cursor}A` }), /is invalid/)
})

test('a cursor of the night before goes on as in the gateway', async () => {
  const at = join(folder.path, 'nights')
  cpSync(sample.dist, at, { recursive: true })
  const cursors = await Promise.all(
    LISTS.map(async (list) => [list, (await reader.entries(list, { limit: 5 })).pagination.next_cursor] as const),
  )
  await ingestAndBuild({ feeds: sample.feeds, corpus: sample.corpus, dist: at, asOf: sample.nights[1]! })
  const [newer, gateway] = [await openReader(at), askDirectly(at)]
  for (const [list, cursor] of cursors) {
    if (cursor === null) continue
    const { text } = await gateway.ask(`/${list}`, `limit=5&cursor=${cursor}`)
    assert.is(JSON.stringify(await newer.entries(list, { limit: 5, cursor })), text)
  }
  await Promise.all([newer.close(), gateway.close()])
})

test('advisories, reports and report types are the answers of the gateway', async () => {
  const cves = await asked.all<{ cve_id: string }>('/cves')
  let [advisories, reports] = [0, 0]
  for (const { cve_id: id } of cves) {
    const advisory = await reader.advisoryOf(id.toLowerCase())
    assert.is(advisory && JSON.stringify(advisory), await answeredOrNull(`/cves/${id}/advisory`))
    if (advisory) advisories++
    for (const full of [false, true]) {
      const given = await reader.reports(id, { full })
      const expected = JSON.parse(await answered(`/cves/${id}/reports`, `full=${full}`)) as { reports: unknown[] }
      assert.is(JSON.stringify(given), JSON.stringify(expected.reports))
      for (const { report_type: prompt } of given!) {
        const one = JSON.stringify(await reader.reports(id, { prompt, full }))
        const { reports } = JSON.parse(await answered(`/cves/${id}/reports`, `full=${full}&prompt=${prompt}`))
        assert.is(one, JSON.stringify(reports))
      }
      reports += given!.length
    }
  }
  assert.ok(advisories > 3 && reports > 3, `${advisories} advisories, ${reports} reports`)
  assert.equal(await reader.reports(cves[0]!.cve_id, { prompt: 'no such type' }), [])
  assert.equal([await reader.advisoryOf('CVE-1999-9999'), await reader.reports('CVE-1999-9999')], [null, null])
  assert.is(JSON.stringify(await reader.reportTypes()), await answered('/reports/types'))
  const schemas = await reader.reportTypes({ include_schema: true })
  assert.is(JSON.stringify(schemas), await answered('/reports/types', 'include_schema=true'))
  assert.is(JSON.stringify(await reader.cnaStats()), await answered('/cnas/stats'))
  for (const work of [reader.advisoryOf('cve'), reader.reports('cve')]) assert.instance(await failed(work), TypeError)
  assert.match((await failed(reader.reports(cves[0]!.cve_id, { full: 1 } as never)))!.message, /^option 'full'/)
  assert.match((await failed(reader.reports(cves[0]!.cve_id, { prompt: '' })))!.message, /^option 'prompt'/)
  assert.match((await failed(reader.reportTypes({ schema: true } as never)))!.message, /^unknown option 'schema'/)
})

test('a page in a stored order takes one request, and so does the next; a record and its documents take one', async () => {
  const fresh = await openReader(web.url)
  const requests = async (work: () => Promise<unknown>) => {
    const before = web.asked.length
    await work()
    return web.asked.length - before
  }
  // The first part of all: one more, whether the server supports ranges.
  await fresh.entries('cwes')
  for (const list of ['capecs', 'cnas', 'vendors', 'products', 'exploits', 'packages'] as const) {
    let cursor: string | undefined
    const next = async () => {
      cursor = (await fresh.entries(list, { limit: 100, cursor })).pagination.next_cursor ?? undefined
    }
    assert.is(await requests(next), 1, list)
    if (cursor !== undefined) assert.is(await requests(next), 1, list)
  }
  const id = rows.cwes[0]!.numeric_id
  assert.is(await requests(() => fresh.entry('cwes', id)), 2, 'the table and the entry')
  assert.is(await requests(() => fresh.entry('cwes', rows.cwes[3]!.numeric_id)), 1)
  const { cve_id } = (await asked.all<{ cve_id: string }>('/cves'))[0]!
  await fresh.get(cve_id)
  assert.is(await requests(() => Promise.all([fresh.advisoryOf(cve_id), fresh.reports(cve_id)])), 0)
  await fresh.close()
})

test('damaged tables, pages and entries are refused', async () => {
  const cases: [
    role: string,
    name: string,
    at: (size: number) => number,
    work: (one: typeof reader) => Promise<unknown>,
  ][] = [
    ['list', 'vendors', (size) => size - 5, (one) => one.entry('vendors', rows.vendors[0]!.slug)],
    ['pages', 'vendors.cves', () => 300, (one) => one.entries('vendors')],
    ['pages', 'vendors.name', () => 30, (one) => one.entries('vendors', { sort: 'name' })],
    ['catalog', 'report-types', (size) => size / 2, (one) => one.reportTypes()],
  ]
  for (const [role, name, at, work] of cases) {
    const { sha256: digest, size } = fileOf(role, name)
    const fresh = await openReader(web.url)
    web.fault = ({ path }) => (path.endsWith(digest) ? { kind: 'corrupt', at: Math.floor(at(size)) } : null)
    assert.match((await failed(work(fresh)))!.code!, /^(digest|malformed)$/, `${role} ${name}`)
    web.fault = () => null
    await fresh.close()
  }
})

test.after(async () => {
  await Promise.all([reader.close(), asked.close(), web.close()])
  folder.remove()
})

test.run()
