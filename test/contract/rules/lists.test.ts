/** Rules 6, 8, 9 and 10 of RULES.md: orders of lists, full pages, what is unknown, and which records there are. */

import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { formatIngestReport } from '../../../builder/ingest/format-report.ts'
import { ingest } from '../../../builder/ingest/ingest.ts'
import { quietEffects } from '../../support/dist.ts'
import { cnaJson, epssCsv, kevJson } from '../../support/feeds.ts'
import { contractSuite } from '../support/contract.ts'
import { openWorld } from '../support/service.ts'
import {
  archiveCsv,
  capecBundle,
  capecPattern,
  cveList,
  cveMetric,
  cweXml,
  frameworkJson,
  ghsaZip,
  osvEntry,
  type UpstreamRecord,
} from '../support/upstream.ts'

interface Page<Row> {
  data: Row[]
  pagination: { limit: number; next_cursor: string | null }
}

const contract = contractSuite('rules, lists')
const { rule, states } = contract

const affected = (...products: [vendor: string, product: string][]) =>
  products.map(([vendor, product]) => ({ vendor, product, versions: [{ version: '1', status: 'affected' }] }))
const at = (datePublished: string | undefined) => ({ datePublished, dateUpdated: '2024-05-02T08:00:00.000Z' })
const day1 = '2024-03-01T08:00:00.000Z'

/** Of one moment but for two; ids whose numbers and texts are in different orders; two without score, three without EPSS. */
const RECORDS: UpstreamRecord[] = [
  { id: 'CVE-2024-9999', cna: { metrics: [cveMetric('3.1', 5)] }, metadata: at(day1) },
  { id: 'CVE-2024-10000', cna: { metrics: [cveMetric('3.1', 5)] }, metadata: at(day1) },
  { id: 'CVE-2023-20000', cna: { metrics: [cveMetric('3.1', 9.8)] }, metadata: at(day1) },
  { id: 'CVE-2024-1000', cna: {}, metadata: at('2024-04-01T08:00:00.000Z') },
  { id: 'CVE-2025-0001', cna: {}, metadata: at(undefined) },
]
const products = affected(['Beta', 'B'], ['alpha', 'b'], ['Ａ', 'c'], ['😀', 'd'], ['alpha', 'a'], ['_x', 'e'])

const cwe = (id: number, name: string) =>
  `<Weakness ID="${id}" Name="${name}" Structure="Simple" Abstraction="Base" Status="Draft"><Description>x</Description></Weakness>`
const capec = (id: number, severity: string | null) =>
  capecPattern(id, severity === null ? {} : { x_capec_typical_severity: severity })

const REJECTION = {
  rejectedReasons: [{ lang: 'en', value: 'A duplicate.' }],
  replacedBy: ['CVE-2024-0001'],
}

const world = await openWorld({
  ...cveList([
    ...RECORDS,
    { id: 'CVE-2020-0001', cna: { affected: products }, metadata: at('2020-01-01T00:00:00.000Z') },
    { id: 'CVE-2024-3000', metadata: { state: 'RESERVED', dateReserved: day1, ...at(undefined) } },
    {
      id: 'CVE-2024-4000',
      metadata: { state: 'REJECTED', dateRejected: '2024-04-20T10:00:00.000Z', ...at(day1) },
      cna: REJECTION,
    },
  ]),
  'epss/epss_scores-2024-06-01.csv.gz': epssCsv(
    [
      ['CVE-2024-9999', 0.5, 0.9],
      ['CVE-2024-10000', 0.1, 0.2],
      ['CVE-2019-7777', 0.3, 0.4],
    ],
    '2024-06-01',
  ),
  'kev/known_exploited_vulnerabilities.json': kevJson(['CVE-2024-9999', 'CVE-2019-5555']),
  'cna/CNAsList.json': cnaJson(['acme', 'zeta', 'Beta']),
  'cwe/cwec_v4.15.xml': cweXml([cwe(100, 'beta'), cwe(9, 'Alpha'), cwe(20, 'alpha'), cwe(3, '_first')].join('')),
  'capec/stix-capec.json': capecBundle([
    capec(10, 'High'),
    capec(9, 'Very High'),
    capec(8, null),
    capec(7, 'Very Low'),
    capec(6, 'Low'),
    capec(5, 'Medium'),
    capec(11, 'High'),
  ]),
  'exploitdb/files_exploits.csv': archiveCsv([
    { id: 9, description: 'x', published: '2024-01-01', verified: true, cves: [] },
    { id: 10, description: 'x', published: '2024-01-01', verified: true, cves: [] },
  ]),
  'metasploit/modules_metadata_base.json': frameworkJson({
    'exploit/a': { disclosure_date: '2024-01-01' },
    'exploit/undated': {},
  }),
  ...ghsaZip([osvEntry('GHSA-2222-3333-4444', ['CVE-2019-6666'], { summary: 'x' })]),
})

const ids = async (query: string) => (await world.all<{ cve_id: string }>(`/cves?${query}`)).map((row) => row.cve_id)
const columnOf = async (path: string, key: string) =>
  (await world.all<Record<string, unknown>>(path)).map((row) => row[key])
const short = (all: readonly string[]) => all.map((id) => id.slice(6)).join(' ')

rule(
  6,
  'ties are sorted by year and number in the direction of the sort; nulls come last in both directions',
  async () => {
    const old = '20-0001'
    assert.is(short(await ids('sort=-published')), `24-1000 24-10000 24-9999 23-20000 ${old} 25-0001 24-3000`)
    assert.is(short(await ids('sort=published')), `${old} 23-20000 24-9999 24-10000 24-1000 24-3000 25-0001`)
    assert.is(short(await ids('sort=-cvss')), `23-20000 24-10000 24-9999 25-0001 24-3000 24-1000 ${old}`)
    assert.is(short(await ids('sort=cvss')), `24-9999 24-10000 23-20000 ${old} 24-1000 24-3000 25-0001`)
    assert.is(short(await ids('sort=-epss')), `24-9999 24-10000 25-0001 24-3000 24-1000 23-20000 ${old}`)
    assert.is(short(await ids('sort=epss')), `24-10000 24-9999 ${old} 23-20000 24-1000 24-3000 25-0001`)
  },
)

rule(6, 'names compare lower-cased, by code points', async () => {
  assert.equal(await columnOf('/cwes?sort=name', 'cwe_id'), ['CWE-3', 'CWE-9', 'CWE-20', 'CWE-100'])
  assert.equal(await columnOf('/cwes?sort=-name', 'cwe_id'), ['CWE-100', 'CWE-20', 'CWE-9', 'CWE-3'])
  const names = ['_x', 'Acme', 'alpha', 'Beta', 'Ａ', '😀']
  assert.equal(await columnOf('/vendors?sort=name', 'display'), names)
  assert.equal(await columnOf('/vendors?sort=-name', 'display'), names.toReversed())
})

rule(6, 'ids of other lists are compared as numbers or as text, in the direction of the sort', async () => {
  assert.equal(await columnOf('/cwes?sort=id', 'numeric_id'), [3, 9, 20, 100])
  assert.equal(await columnOf('/cwes?sort=-cves', 'numeric_id'), [100, 20, 9, 3])
  assert.equal(await columnOf('/cwes?sort=cves', 'numeric_id'), [3, 9, 20, 100])
  const slugs = ['_x', 'alpha', 'beta', 'ａ', '😀']
  assert.equal(await columnOf('/vendors?sort=cves', 'slug'), [...slugs, 'acme'])
  assert.equal(await columnOf('/vendors?sort=-cves', 'slug'), ['acme', ...slugs.toReversed()])
  const modules = ['9', '10', 'exploit/a']
  assert.equal(await columnOf('/exploits?sort=published', 'source_id'), [...modules, 'exploit/undated'])
  assert.equal(await columnOf('/exploits?sort=-published', 'source_id'), [...modules.toReversed(), 'exploit/undated'])
})

rule(6, 'ties ascend in lists without a sort', async () => {
  assert.equal(await columnOf('/vendors/alpha/products', 'slug'), ['a', 'b'])
  const { data } = await world.json<Page<{ slug: string }>>('/products?q=acme&vendor=none')
  assert.equal(data, [])
  const widgets = await world.json<Page<{ slug: string; cve_count: number }>>('/products?q=widget')
  assert.equal(
    widgets.data.map((row) => row.cve_count),
    [6],
  )
})

rule(6, 'CAPEC severities are sorted by rank', async () => {
  assert.equal(await columnOf('/capecs?sort=severity', 'capec_id'), [7, 6, 5, 10, 11, 9, 8])
  assert.equal(await columnOf('/capecs?sort=-severity', 'capec_id'), [9, 11, 10, 5, 6, 7, 8])
})

rule(8, 'every page but the last is full, and only the last has no cursor', async () => {
  for (const path of [
    '/cves',
    '/cwes',
    '/capecs',
    '/vendors',
    '/cnas',
    '/exploits',
    '/kev',
    '/rejected',
    '/cves?kev=false',
    '/cves?q=cve',
  ]) {
    const total = (await world.all(path)).length
    for (let limit = 1; limit <= total + 1; limit++) {
      const lengths: number[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const query = `${path.includes('?') ? '&' : '?'}limit=${limit}${cursor && `&cursor=${cursor}`}`
        const page: Page<unknown> = await world.json(path + query)
        lengths.push(page.data.length)
        cursor = page.pagination.next_cursor
      }
      const full = Math.ceil(total / limit) - 1
      assert.equal(lengths, [...Array(full).fill(limit), total - full * limit], `${path} by ${limit}`)
    }
  }
})

rule(9, 'a list for an unknown but well-formed key is empty and repeats the key', async () => {
  const pagination = { limit: 25, next_cursor: null }
  assert.equal(await world.json('/cwes/4242/cves'), { cwe_id: 'CWE-4242', scope: 'primary', data: [], pagination })
  assert.equal(await world.json('/cnas/nobody/cves'), { cna: { slug: 'nobody', cna_name: null }, data: [], pagination })
  assert.equal(await world.json('/vendors/nobody/products'), {
    vendor: { slug: 'nobody', display: null },
    data: [],
    pagination,
  })
})

rule(9, 'an unknown weakness or pattern gives 404', async () => {
  for (const [path, name] of [
    ['/cwes/4242', 'CWE-4242'],
    ['/capecs/4242', 'CAPEC-4242'],
  ]) {
    const { status, body } = await world.ask(path!)
    const { error, message } = body as { error: string; message: string }
    assert.equal([status, error], [404, 'not_found'])
    assert.match(message, name!)
  }
})

rule(10, 'a reserved record is served with its state', async () => {
  const { state } = await world.json<{ state: string }>('/cves/CVE-2024-3000?include=')
  assert.is(state, 'RESERVED')
  assert.ok((await ids('')).includes('CVE-2024-3000'))
})

rule(10, 'an id that only KEV, EPSS or an advisory has is no record, and the ingest report names it', async () => {
  const listed = await ids('')
  for (const id of ['CVE-2019-5555', 'CVE-2019-6666', 'CVE-2019-7777']) {
    assert.not.ok(listed.includes(id))
    assert.is((await world.ask(`/cves/${id}`)).status, 404)
  }
  const corpus = join(world.made.corpus, '..', 'other.db')
  const report = await ingest({ feeds: world.made.feeds, corpus }, quietEffects())
  const unknown = Object.fromEntries(report.withoutRecord.map(({ feed, cveIds }) => [feed, cveIds]))
  assert.equal([unknown.kev, unknown.epss, unknown.ghsa], [['CVE-2019-5555'], ['CVE-2019-7777'], ['CVE-2019-6666']])
  const text = formatIngestReport(report)
  for (const id of ['CVE-2019-5555', 'CVE-2019-6666', 'CVE-2019-7777']) {
    assert.match(text, new RegExp(`1 \\w+ id without a record in the CVE list: ${id}`))
  }
})

rule(
  10,
  'a rejected record is in no list, and the 404 of its endpoints states time, reason and replacement',
  async () => {
    assert.not.ok((await ids('')).includes('CVE-2024-4000'))
    assert.equal(await ids('ids=CVE-2024-4000'), [])
    assert.equal(await ids('q=2024-4000'), [])
    assert.is((await world.json<{ counts: { cve: number } }>('/search?q=2024-4000')).counts.cve, 0)
    for (const part of ['', '/cvss', '/affected', '/timeline', '/advisory', '/reports']) {
      const { status, body } = await world.ask(`/cves/CVE-2024-4000${part}`)
      const { message, ...rest } = body as { message: string }
      const [reason, replaced_by] = ['A duplicate.', ['CVE-2024-0001']]
      assert.equal([status, rest], [404, { error: 'not_found', reason, replaced_by }])
      assert.match(
        message,
        /CVE-2024-4000 was rejected on 2024-04-20T10:00:00.*Z\. Reason: A duplicate\. .*CVE-2024-0001$/,
      )
    }
    assert.is(world.corpus.rejected().length, 1)
  },
)

states('34.4, 34.5', 'the list of rejected CVEs has what the 404 states', async () => {
  const row = {
    cve_id: 'CVE-2024-4000',
    date_rejected: '2024-04-20T10:00:00.000Z',
    reason: 'A duplicate.',
    replaced_by: ['CVE-2024-0001'],
  }
  assert.equal(await world.all('/rejected'), [row])
  assert.equal(await world.all('/rejected?replaced=true'), [row])
  assert.equal(await world.all('/rejected?replaced=false'), [])
})

contract.after(world.remove)
contract.run()
