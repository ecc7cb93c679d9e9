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

const { compare, compareWalks } = gatewayAnswers(asked)

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
      const sort = order.sort === null ? [] : [`sort=${order.sort}`]
      const parameters = [...values.map(([name, { text }]) => `${name}=${text}`), ...sort]
      const limits = values.length === 0 ? [7, 25, 100] : [40]
      for (const limit of limits) {
        const target = `/${list}?${[...parameters, `limit=${limit}`].join('&')}`
        for (const one of values.length === 0 ? [await openReader(sample.dist), fresh] : [fresh]) {
          pages += (await compareWalks(one, target)).pages
          if (one !== fresh) await one.close()
        }
      }
    }
    await fresh.close()
    assert.ok(pages > 10, `${pages} pages`)
  })
}

test('without options, a page is that of the list without parameters', async () => {
  for (const list of LISTS) assert.equal(await reader.entries(list), await compare(reader, `/${list}`))
})

test('options are the parameters of the list', async () => {
  const options = { abstraction: 'Base', sort: 'name', limit: 3 } as const
  assert.equal(await reader.entries('cwes', options), await compare(reader, '/cwes?abstraction=Base&sort=name&limit=3'))
  const since = { published_since: new Date('2001-01-01T00:00:00Z'), limit: 3 }
  assert.equal(
    await reader.entries('exploits', since),
    await compare(reader, '/exploits?published_since=2001-01-01T00:00:00Z&limit=3'),
  )
})

test('products with a text are those of /products', async () => {
  for (const q of ['er', 'LAN', '__', 'no such product']) {
    for (const more of ['', `&vendor=${encodeURIComponent(rows.vendors[0]!.slug)}`]) {
      const expected = await compare(reader, `/products?q=${encodeURIComponent(q)}&limit=100${more}`)
      if (more === '') assert.equal(await reader.entries('products', { q, limit: 100 }), expected)
    }
  }
})

test('hostile options are errors that name the option', async () => {
  const cases: [list: string, options: unknown, message: RegExp][] = [
    [
      'cwes',
      { sort: 'severity' },
      /^unknown value 'severity' of parameter 'sort'.*cves, -cves, id, -id, name, -name$/i,
    ],
    [
      'products',
      { q: 'er', sort: 'cves' },
      /^unknown parameter 'sort'; allowed: q, vendor, include, limit, count, fields, snapshot$/,
    ],
    [
      'products',
      { vendor: 'a', sort: 'cves' },
      /^unknown parameter 'sort'; allowed: q, limit, cursor, count, fields, snapshot$/,
    ],
    ['products', { vendor: '' }, /^option 'vendor' must be a string that is not empty, not ""$/],
    ['products', {}, /^parameter 'q' is required$/],
    ['packages', { sort: 'advisories' }, /^unknown parameter 'sort'/],
    ['cwes', { abstraction: 'base or so' }, /^unknown value 'base or so' of parameter 'abstraction'.*Pillar, /],
    ['cwes', { status: '' }, /^parameter 'status' is empty/],
    ['cwes', { q: '' }, /^parameter 'q' is empty/],
    ['cwes', { q: 'x'.repeat(201) }, /^parameter 'q' must have 1 to 200 characters, not 201/],
    ['exploits', { q: 'a' }, /^unknown parameter 'q'/],
    ['cwes', { limit: 0 }, /^parameter 'limit' must be a whole number from 1 to 100/],
    ['cwes', { limit: 101 }, /^parameter 'limit'/],
    ['cwes', { limit: null }, /^option 'limit' must be a text, a number, true or false, a Date or an array, not null$/],
    ['cwes', { q: { text: 'a' } }, /^option 'q' must be a text/],
    ['cwes', { vendor: 'a' }, /^unknown parameter 'vendor'/],
    ['cwes', null, /^options must be an object, not null$/],
    ['exploits', { published_since: '2024-02-30' }, /^parameter 'published_since' must be a date/],
    ['exploits', { published_since: new Date(Number.NaN) }, /^option 'published_since' is an invalid date$/],
    ['packages', { ecosystem: 'nmp' }, /^unknown value 'nmp' of parameter 'ecosystem'; did you mean 'npm'\?/],
    ['packages', { ecosystem: 'Debian:12' }, /^.*'Debian:12'.*'ecosystem'|'ecosystem'.*'Debian:12'/],
    ['cve', {}, /^unknown list "cve"; known lists are cwes, /],
    ['toString', {}, /^unknown list "toString"/],
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
    const target = `/${list}?limit=5&cursor=${cursor}`
    assert.equal(await newer.entries(list, { limit: 5, cursor }), await gatewayAnswers(gateway).compare(newer, target))
  }
  await Promise.all([newer.close(), gateway.close()])
})

test('advisories, reports, report types and the figures of CNAs are the answers of the gateway', async () => {
  const cves = await asked.all<{ cve_id: string }>('/cves')
  let [advisories, reports] = [0, 0]
  for (const { cve_id: id } of cves) {
    if (await compare(reader, `/cves/${id.toLowerCase()}/advisory`)) advisories++
    for (const full of [false, true]) {
      const target = `/cves/${id}/reports?full=${full}`
      const all = (await compare<{ reports: { id: string; report_type: string }[] }>(reader, target))!.reports
      for (const { id: report, report_type: prompt } of all) {
        await compare(reader, `${target}&prompt=${encodeURIComponent(prompt)}`)
        assert.ok(await compare(reader, `/cves/${id}/reports/${report}`))
      }
      reports += all.length
    }
  }
  assert.ok(advisories > 3 && reports > 3, `${advisories} advisories, ${reports} reports`)
  const { cve_id: id } = cves[0]!
  for (const target of ['/reports/types', '/reports/types?include_schema=true', '/cnas/stats']) {
    assert.ok(await compare(reader, target), target)
  }
  for (const target of [
    `/cves/${id}/reports?prompt=no%20such%20type`,
    `/cves/${id}/reports?prompt=`,
    `/cves/${id}/reports?full=1`,
    `/cves/${id}/reports/none`,
    '/cves/cve/advisory',
    '/cves/cve/reports',
    '/cves/CVE-1999-9999/advisory',
    '/cves/CVE-1999-9999/reports',
    '/reports/types?schema=true',
  ]) {
    await compare(reader, target)
  }
  const none = JSON.parse((await reader.request(`/cves/${id}/reports?prompt=no%20such%20type`)).body)
  assert.equal(none.reports, [])
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
  for (const list of ['capecs', 'cnas', 'vendors', 'exploits', 'packages'] as const) {
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
  assert.is(
    await requests(() => Promise.all(['advisory', 'reports'].map((part) => fresh.request(`/cves/${cve_id}/${part}`)))),
    0,
  )
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
    ['catalog', 'report-types', (size) => size / 2, (one) => one.request('/reports/types')],
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
