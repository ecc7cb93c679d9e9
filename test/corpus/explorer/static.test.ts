/** The explorer in mode `static`: each path has the answer of a gateway of the same snapshot. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type ApiFailure, type Params, queryOf } from '../../../corpus/explorer/app/data/api.ts'
import { readerApi } from '../../../corpus/explorer/app/data/static.ts'
import { openReader } from '../../../corpus/reader/reader.ts'
import { askDirectly } from '../../support/ask.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { byFrequency } from '../../support/plain.ts'
import { sharedSample } from '../../support/samples.ts'

const folder = temporaryFolder('explorer-static')
const { dist } = await sharedSample('usual')
const asked = askDirectly(dist)
const reader = await openReader(dist)
const api = readerApi(reader)

interface Summary {
  cve_id: string
  assigner: string
  primary_cwe_id: string
}

const cves = await asked.all<Summary>('/cves')
const first = async <Row>(path: string) => (await asked.all<Row>(path))[0]!
const { slug: vendor } = await first<{ slug: string }>('/vendors')
const { slug: product } = await first<{ slug: string }>(`/vendors/${encodeURIComponent(vendor)}/products`)
const { ecosystem, name, purl } = await first<{ ecosystem: string; name: string; purl: string }>('/packages')
const module = await first<{ source: string; source_id: string }>('/exploits')
const [cwe] = byFrequency(cves.flatMap(({ primary_cwe_id: id }) => id ?? []))
const [cna] = byFrequency(cves.map(({ assigner }) => assigner))
const withAdvisory = await found('advisory')
const withReports = await found('reports', (answer) => (JSON.parse(answer) as { count: number }).count > 0)
const report = (JSON.parse(await answered(`/cves/${withReports}/reports`)) as { reports: { id: string }[] }).reports[0]!
const { data: affecting } = JSON.parse(await answered('/affected', queryOf({ ecosystem, name }))) as {
  data: { advisory_id: string }[]
}
const [, older] = await asked.all<{ id: string }>('/snapshots')

async function answered(path: string, query = ''): Promise<string> {
  return (await asked.ask(path, query)).text
}

/** Returns the first CVE with an answer that passes. */
async function found(part: string, passes: (answer: string) => boolean = () => true): Promise<string> {
  for (const { cve_id: id } of cves) {
    const answer = await answered(`/cves/${id}/${part}`).catch(() => null)
    if (answer !== null && passes(answer)) return id
  }
  throw new Error(`no CVE has ${part}`)
}

const part = encodeURIComponent
const id = cves[3]!.cve_id
const SAME: (readonly [path: string, params?: Params])[] = [
  ['/cves'],
  ['/cves', { severity: ['critical', 'high'], kev: null, limit: 5 }],
  ['/cves', { severity: 'critical,high', has_exploit: 'true', limit: '7', sort: '-epss' }],
  ['/cves', { vendor, limit: 3 }],
  ['/cves', { product: `${vendor}/${product}`, has_patch: false }],
  ['/cves', { package: `${ecosystem}/${name}` }],
  ['/cves', { cwe, epss_min: '0.001', published_since: '2001-01-01', published_until: '2030-01-01T00:00:00Z' }],
  ['/cves', { ids: cves.slice(0, 3).map(({ cve_id }) => cve_id) }],
  ['/cves', { q: 'er', updated_since: '2001-01-01', assigner: cna, sort: 'cvss' }],
  [`/cves/${id}`],
  [`/cves/${id.toLowerCase()}`, { include: 'cvss,affected,references,evidence,timeline,exploits,analysis,epss' }],
  [`/cves/${id}`, { include: ['timeline'], fields: 'title,epss' }],
  ...[
    'cvss',
    'epss',
    'affected',
    'references',
    'exploits',
    'evidence',
    'timeline',
    'analysis',
    'guidance',
    'kev',
    'epss/history',
    'reports',
  ].map((section) => [`/cves/${id}/${section}`] as const),
  [`/cves/${id}/affected`, { source: 'cna' }],
  [`/cves/${id}/references`, { tag: 'patch', source: 'nvd' }],
  [`/cves/${id}/evidence`, { type: 'exploitation' }],
  [`/cves/${id}/timeline`, { messages: false, since: '2020-01-01' }],
  [`/cves/${withAdvisory}/advisory`],
  [`/cves/${withReports}/reports`],
  [`/cves/${withReports}/reports`, { full: true }],
  [`/cves/${withReports}/reports/${report.id}`],
  ['/reports/types'],
  ['/reports/types', { include_schema: 'true' }],
  ['/cwes'],
  ['/cwes', { abstraction: 'base', sort: 'name', limit: 3 }],
  [`/cwes/${cwe}`],
  [`/cwes/${cwe}`, { fields: 'name,description' }],
  ['/capecs', { severity: 'high', q: 'a' }],
  ['/capecs/66', {}],
  ['/cnas', { grade: 'A', sort: '-completeness' }],
  ['/cnas/stats'],
  [`/cnas/${part(cna!)}`],
  ['/vendors', { q: 'a', limit: 4 }],
  [`/vendors/${part(vendor)}`],
  [`/vendors/${part(vendor.toUpperCase())}/products`, { limit: 2 }],
  [`/vendors/${part(vendor)}/products/${part(product)}`],
  ['/products', { q: 'er', limit: 4 }],
  ['/products', { q: 'er', vendor }],
  ['/kev', { sort: 'due_date', due_before: '2030-01-01' }],
  ['/advisories', { prefix: 'ghsa', withdrawn: false }],
  ['/rejected', { replaced: true }],
  ['/exploits', { source: 'exploit_archive', published_since: '2001-01-01' }],
  [`/exploits/${module.source}/${part(module.source_id)}`],
  ['/packages', { ecosystem: ecosystem.toUpperCase(), limit: 3 }],
  [`/packages/${part(ecosystem)}/${part(name)}`],
  ['/affected', { ecosystem, name }],
  ['/affected', { purl: `${purl}@1.0.0` }],
  ['/affected', { purl: 'pkg:docker/library/none@1' }],
  ['/affected', { cpe: `cpe:2.3:a:${vendor}:${product}:1.0:*:*:*:*:*:*:*`, limit: 5 }],
  [`/advisories/${affecting[0]!.advisory_id}`],
  ['/search', { q: 'er', limit: 2 }],
  ['/search', { q: vendor.slice(0, 3), types: 'vendor,product' }],
  ['/search/suggest', { q: 'er' }],
  ['/changes', { since: older!.id, limit: 5 }],
  ['/changes', { since: older!.id, until: older!.id }],
  ['/snapshot'],
  ['/stats'],
]

for (const [path, params = {}] of SAME) {
  test(`${path}?${queryOf(params)}`, async () => {
    assert.is(JSON.stringify(await api.get(path, params)), await answered(path, queryOf(params)))
  })
}

test('lists of CVEs below a weakness or a CNA are those of the gateway, and its cursors continue here', async () => {
  for (const path of [`/cwes/${cwe}/cves`, `/cnas/${part(cna!)}/cves`]) {
    assert.ok((await asked.all<Summary>(path)).length > 3, path)
    const { text } = await asked.ask(path, 'limit=2')
    assert.is(JSON.stringify(await api.get(path, { limit: 2 })), text)
    const { next_cursor: cursor } = (JSON.parse(text) as { pagination: { next_cursor: string } }).pagination
    assert.is(
      JSON.stringify(await api.get(path, { limit: 2, cursor })),
      await answered(path, queryOf({ limit: 2, cursor })),
    )
  }
})

test('/snapshots has the snapshots of the gateway; cursors continue in the current one alone', async () => {
  const { data, pagination } = await api.get<{ data: { retained: boolean }[]; pagination: object }>('/snapshots')
  const expected = JSON.parse(await answered('/snapshots')) as { data: typeof data }
  const current = expected.data.map((row, i) => ({ ...row, retained: i === 0 }))
  assert.equal({ data, pagination }, { ...expected, data: current })
})

test('rows of /affected have pages', async () => {
  const rows = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: { data: unknown[]; pagination: { next_cursor: string | null } } = await api.get('/affected', {
      ecosystem,
      name,
      limit: 1,
      cursor,
    })
    rows.push(...page.data)
    cursor = page.pagination.next_cursor
  }
  assert.equal(rows, affecting)
})

test('what the gateway does not find or rejects has the same status here', async () => {
  const failures: (readonly [path: string, params: Params, status: number, code: string])[] = [
    ['/cves/CVE-1999-9999', {}, 404, 'not_found'],
    ['/cves/CVE-1999-9999/cvss', {}, 404, 'not_found'],
    ['/cves/CVE-1999-9999/advisory', {}, 404, 'not_found'],
    ['/cves/CVE-1999-9999/reports', {}, 404, 'not_found'],
    [`/cves/${withReports}/reports/none`, {}, 404, 'not_found'],
    ['/cwes/999999', {}, 404, 'not_found'],
    ['/vendors/nobody', {}, 404, 'not_found'],
    ['/packages/npm/no-such', {}, 404, 'not_found'],
    ['/advisories/GHSA-0000-0000-0000', {}, 404, 'not_found'],
    ['/cves/2024', {}, 400, 'invalid_parameter'],
    ['/cves', { limit: '0' }, 400, 'invalid_parameter'],
    ['/cves', { limit: 'ten' }, 400, 'invalid_parameter'],
    ['/cves', { kev: 'perhaps' }, 400, 'invalid_parameter'],
    ['/cves', { kev: 'constructor' }, 400, 'invalid_parameter'],
    ['/cves', { kev: '__proto__' }, 400, 'invalid_parameter'],
    ['/cves', { severty: 'high' }, 400, 'invalid_parameter'],
    ['/cves', { cursor: 'abc' }, 400, 'invalid_cursor'],
    ['/cwes', { cursor: 'abc' }, 400, 'invalid_cursor'],
    ['/cwes', { sort: 'severity' }, 400, 'invalid_parameter'],
    ['/search', {}, 400, 'invalid_parameter'],
    ['/search', { q: 'a' }, 400, 'invalid_parameter'],
    ['/products', {}, 400, 'invalid_parameter'],
    ['/affected', {}, 400, 'invalid_parameter'],
    ['/affected', { purl: 'pkg:npm' }, 400, 'invalid_parameter'],
    ['/affected', { ecosystem: 'npm' }, 400, 'invalid_parameter'],
    ['/affected', { ecosystem: 'nmp', name: 'a' }, 400, 'invalid_parameter'],
    ['/affected', { purl: 'pkg:npm/a', name: 'a' }, 400, 'invalid_parameter'],
    ['/changes', { since: '0'.repeat(64) }, 410, 'gone'],
  ]
  const of = (work: Promise<unknown>) =>
    work.then(
      () => null,
      ({ status, code }: ApiFailure) => [status, code],
    )
  for (const [path, params, status, code] of failures) {
    const given = await of(api.get(path, params))
    assert.equal(given, [status, code], `${path}?${queryOf(params)}`)
    assert.equal(await of(asked.ask(path, queryOf(params))), given, `${path}?${queryOf(params)} of the gateway`)
  }
  assert.equal(await of(api.get('/cves/%zz')), [400, 'invalid_parameter'])
  for (const path of ['/nothing', '/']) {
    const failure = await api.get(path).then(
      () => null,
      (error: ApiFailure) => error,
    )
    assert.is(failure?.status, 404, path)
  }
})

test('a request that is aborted gives no answer', async () => {
  const stop = new AbortController()
  const answer = api.get('/cves', {}, stop.signal)
  stop.abort()
  const error = await answer.then(
    () => null,
    (reason: Error) => reason,
  )
  assert.is(error?.name, 'AbortError')
})

test.after(async () => {
  await Promise.all([reader.close(), asked.close()])
  folder.remove()
})

test.run()
