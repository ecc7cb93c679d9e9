/** Whole answers of entries, batches, snapshots and changes on a few hand-written records. */
import * as assert from 'uvu/assert'
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
  cweXmlEntry,
  frameworkJson,
  ghsaZip,
  lines,
  osvEntry,
  type UpstreamRecord,
} from '../support/upstream.ts'

type Json = Record<string, unknown>
interface Page {
  data: Json[]
  pagination: { limit: number; next_cursor: string | null }
}

const contract = contractSuite('endpoints on a small corpus')
const { states } = contract

const of = (vendor: string, ...products: string[]) =>
  products.map((product) => ({ vendor, product, versions: [{ version: '1', status: 'affected' }] }))
const record = (n: number, cna: Json = {}, more: Json = {}): UpstreamRecord => ({
  id: `CVE-2024-${String(n).padStart(4, '0')}`,
  cna,
  metadata: { datePublished: `2024-03-0${n}T00:00:00.000Z`, dateUpdated: `2024-03-0${n}T00:00:00.000Z`, ...more },
})
const RECORDS = [
  record(1, { affected: of('Acme', 'Widget', 'Gadget') }),
  record(2, { affected: of('Acme', 'Widget'), metrics: [cveMetric('3.1', 9.8)] }),
  record(3, { affected: of('Zeta', 'Thing') }, { assignerShortName: 'zeta' }),
  record(4, {}, { state: 'REJECTED', dateRejected: '2024-04-20T10:00:00.000Z' }),
]
const KEV = 'kev/known_exploited_vulnerabilities.json'
const report = {
  id: '7b6c1f0e-5a53-4c1e-9c1b-3d2f8a4e6b90',
  cve_id: 'CVE-2024-0001',
  report_type: 'overview',
  model: 'm-1',
  created_at: '2024-05-20T08:00:00Z',
  status: 'final',
  report_text: 'A text.',
}
const world = await openWorld({
  ...cveList(RECORDS),
  [KEV]: kevJson(['CVE-2024-0002']),
  'epss/epss_scores-2024-06-01.csv.gz': epssCsv([['CVE-2024-0001', 0.25, 0.5]], '2024-06-01'),
  'cna/CNAsList.json': cnaJson(['acme', 'zeta', 'silent']),
  'cwe/cwec_v4.15.xml': cweXml(cweXmlEntry(79)),
  'capec/stix-capec.json': capecBundle([capecPattern(66)]),
  'exploitdb/files_exploits.csv': archiveCsv([
    { id: 42, description: 'x', published: '2024-01-01', verified: true, cves: ['CVE-2024-0002', 'CVE-2024-0001'] },
  ]),
  'metasploit/modules_metadata_base.json': frameworkJson({ 'exploit/windows/x y': {} }),
  'first-party/reports.ndjson': lines([report]),
  ...ghsaZip([osvEntry('GHSA-2222-2222-2222', ['CVE-2024-0001'], { summary: 'x' })]),
})
const ids = async (query: string) =>
  (await world.json<Page>(`/cves?${query}`)).data.map((one) => Number(String(one.cve_id).slice(-1)))
const notFound = async (path: string) => {
  const { status, body } = await world.ask(path)
  assert.equal([status, (body as { error: string }).error], [404, 'not_found'], path)
}
const snapshotId = async () => (await world.json<{ id: string }>('/snapshot')).id

states('23.2', 'one CNA with its directory entry', async () => {
  const { data } = await world.json<Page>('/cnas')
  const more = {
    country: 'Iceland',
    organization_type: ['Vendor', 'Open Source'],
    scope: 'Its own products.',
    advisories_url: 'https://acme.example/advisories',
  }
  assert.equal(await world.json('/cnas/acme'), { ...data[0], ...more })
  await notFound('/cnas/nobody')
})

states('19.5', 'version and date, in both catalogs', async () => {
  const cwe = await world.json<{ catalog_version: string; updated_at: string }>('/cwes/79')
  assert.equal([cwe.catalog_version, cwe.updated_at], ['4.15', '2024-07-16T00:00:00.000Z'])
  const capec = await world.json<{ catalog_version: string; updated_at: string }>('/capecs/66')
  assert.equal([capec.catalog_version, capec.updated_at], ['3.9', '2023-01-24T00:00:00.000Z'])
})

states('25.8', 'one module with its CVEs', async () => {
  const { data } = await world.json<Page>('/exploits?source=exploit_archive')
  assert.equal(await world.json('/exploits/exploit_archive/42'), {
    ...data[0],
    cve_ids: ['CVE-2024-0001', 'CVE-2024-0002'],
  })
  const module = await world.json<Json>('/exploits/exploit_framework/exploit%2Fwindows%2Fx%20y')
  assert.equal([module.source_id, module.cve_ids], ['exploit/windows/x y', []])
  for (const path of ['exploit_archive/43', 'exploit_framework/42', 'exploit_framework/exploit/windows/x%20y']) {
    await notFound(`/exploits/${path}`)
  }
})

states('9.16', 'a batch of ids in list order', async () => {
  assert.equal(await ids('ids=CVE-2024-0001,CVE-2024-0003,CVE-2024-0004,CVE-1999-0001,cve-2024-0002'), [3, 2, 1])
  assert.equal(await ids('ids=CVE-2024-0001,CVE-2024-0003&sort=published'), [1, 3])
  assert.equal(await ids('ids=CVE-2024-0001,CVE-2024-0002&kev=true'), [2])
  assert.equal(await ids('ids=CVE-1999-0001'), [])
})

states('9.10', 'at most 100; their number is the default limit', async () => {
  const many = (count: number) => Array.from({ length: count }, (_, i) => `CVE-2024-${1000 + i}`)
  const limitOf = async (query: string) => (await world.json<Page>(`/cves?${query}`)).pagination.limit
  assert.is(await limitOf(`ids=${many(100)}`), 100)
  assert.is(await limitOf('ids=CVE-2024-0001,CVE-2024-0002'), 2)
  assert.is(await limitOf('ids=CVE-2024-0001,CVE-2024-0002&limit=7'), 7)
  const { status, body } = await world.ask(`/cves?ids=${many(101)}`)
  assert.equal([status, (body as { parameter: string }).parameter], [400, 'ids'])
  const { pagination } = await world.json<Page>('/cves?ids=CVE-2024-0001,CVE-2024-0002&limit=1')
  assert.equal(await ids(`ids=CVE-2024-0002,CVE-2024-0001&limit=1&cursor=${pagination.next_cursor}`), [1])
})

states('27.1', 'id, counts and feeds of the snapshot', async () => {
  const snapshot = await world.json<Json & { feeds: Record<string, Json> }>('/snapshot')
  assert.equal(Object.keys(snapshot), ['id', 'created_at', 'parent', 'counts', 'feeds', 'epss_date'])
  const counts = {
    cves: 3,
    cwes: 1,
    capecs: 1,
    cnas: 3,
    vendors: 2,
    products: 3,
    exploits: 2,
    advisories: 1,
    packages: 0,
    reports: 1,
  }
  assert.equal([snapshot.counts, snapshot.epss_date, snapshot.parent], [counts, '2024-06-01', null])
  const feeds = ['capec', 'cna', 'cvelist', 'cwe', 'epss', 'exploitdb', 'ghsa', 'kev', 'metasploit', 'reports']
  assert.equal(Object.keys(snapshot.feeds).sort(), feeds)
  const { epss } = snapshot.feeds
  assert.equal(Object.keys(epss!), ['version', 'updated_at', 'records', 'licence', 'attribution'])
  assert.equal([epss!.version, epss!.records], ['v2024.01.01', 1])
  for (const { licence, attribution } of Object.values(snapshot.feeds)) assert.ok(licence && attribution)
  // Some feeds state a day, some a time; the corpus keeps what they state.
  const stated = new Map(world.corpus.state().feeds.map(({ name, date, published }) => [name, date ?? published]))
  assert.ok([...stated.values()].some((date) => date?.length === 10))
  for (const [name, { updated_at: at }] of Object.entries(snapshot.feeds)) {
    const date = stated.get(name) ?? null
    assert.is(at, date?.length === 10 ? `${date}T00:00:00.000Z` : date, name)
  }
  assert.is((await world.get('/cves')).headers.get('snapshot-id'), snapshot.id)
})

states('27.3', 'changes of any feed but EPSS', async () => {
  const since = await snapshotId()
  await world.night({
    ...cveList(
      [record(1), record(2, { affected: of('Acme', 'Widget'), metrics: [cveMetric('3.1', 9.8)] }), record(5)],
      '2024-06-02',
    ),
    [KEV]: kevJson(['CVE-2024-0002']),
    'epss/epss_scores-2024-06-02.csv.gz': epssCsv([['CVE-2024-0002', 0.9, 0.95]], '2024-06-02'),
  })
  const body = await world.json<Json & Page>(`/changes?since=${since}`)
  assert.equal(
    [body.since, body.snapshot, body.pagination],
    [since, await snapshotId(), { limit: 25, next_cursor: null }],
  )
  assert.equal(
    body.data.map(({ cve_id, change }) => [cve_id, change]),
    [
      ['CVE-2024-0001', 'changed'],
      ['CVE-2024-0003', 'removed'],
      ['CVE-2024-0005', 'added'],
    ],
  )
  const { sections } = body.data[0]! as { sections: string[] }
  assert.ok(sections.includes('affected') && !sections.includes('exploits'), String(sections))
  const first = await world.json<Page>(`/changes?since=${since}&limit=2`)
  assert.is(first.data.length, 2)
  const rest = await world.json<Page>(`/changes?since=${since}&limit=2&cursor=${first.pagination.next_cursor}`)
  assert.equal([...first.data, ...rest.data], body.data)
  // Another feed alone.
  const second = await snapshotId()
  await world.night({ [KEV]: kevJson(['CVE-2024-0002', 'CVE-2024-0005'], '2024-06-03T10:00:00.0000Z') })
  const { data } = await world.json<Page>(`/changes?since=${second}`)
  assert.equal(
    data.map(({ cve_id, change }) => [cve_id, change]),
    [['CVE-2024-0005', 'changed']],
  )
  assert.equal((await world.json<Page>(`/changes?since=${await snapshotId()}`)).data, [])
})

interface Kept {
  id: string
  created_at: string
  parent: string | null
  cves: number
  retained: boolean
}

states('27.2', 'the snapshots that changes can be compared with', async () => {
  const { data, pagination } = await world.json<{ data: Kept[]; pagination: object }>('/snapshots')
  assert.equal(pagination, { limit: 25, next_cursor: null })
  assert.equal(
    data.map(({ cves, retained }) => [cves, retained]),
    [
      [3, true],
      [3, true],
      [3, true],
    ],
  )
  assert.is(data[0]!.id, await snapshotId())
  for (const [i, { id, parent, created_at: at }] of data.entries()) {
    const before = data[i + 1]
    assert.is(parent, before?.id ?? null)
    if (before) assert.ok(Date.parse(before.created_at) < Date.parse(at))
    assert.is((await world.ask(`/changes?since=${id}`)).status, 200)
  }
})

states('27.4', 'an id, its beginning, a day or a time', async () => {
  const { data } = await world.json<{ data: Kept[] }>('/snapshots')
  const oldest = data.at(-1)!
  const changes = await world.body(`/changes?since=${oldest.id}`)
  for (const since of [oldest.id.slice(0, 12), oldest.id.toUpperCase(), oldest.created_at]) {
    assert.is(await world.body(`/changes?since=${since}`), changes)
  }
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
  for (const since of [tomorrow, tomorrow.slice(0, 10)]) {
    assert.equal((await world.json<Page>(`/changes?since=${since}`)).data, [])
  }
  assert.is((await world.ask('/changes?since=2020-01-01')).status, 410)
  for (const since of [oldest.id.slice(0, 6), `${oldest.id}0`, '2024-02-30', 'yesterday', null]) {
    const { status, body } = await world.ask(since === null ? '/changes' : `/changes?since=${since}`)
    assert.equal([status, (body as { parameter: string }).parameter], [400, 'since'], String(since))
  }
})

states('27.5', 'an unknown snapshot is gone', async () => {
  const { status, body } = await world.ask(`/changes?since=${'0'.repeat(64)}`)
  assert.equal([status, (body as { error: string }).error], [410, 'gone'])
})

states('27.6', 'changes up to an earlier snapshot', async () => {
  const { data } = await world.json<{ data: Kept[] }>('/snapshots')
  const [current, middle, oldest] = data.map(({ id }) => id) as [string, string, string]
  const changes = `/changes?since=${oldest}`
  const between = await world.json<Json & Page>(`${changes}&until=${middle}`)
  assert.equal([between.since, between.snapshot], [oldest, middle])
  assert.equal(
    between.data.map(({ cve_id, change }) => [cve_id, change]),
    [
      ['CVE-2024-0001', 'changed'],
      ['CVE-2024-0003', 'removed'],
      ['CVE-2024-0005', 'added'],
    ],
  )
  for (const until of [middle.slice(0, 7), middle.toUpperCase(), data[1]!.created_at]) {
    assert.equal(await world.json(`${changes}&until=${until}`), between, until)
  }
  assert.equal(await world.json(`${changes}&until=${current}`), await world.json(changes))
  assert.equal((await world.json<Page>(`${changes}&until=${oldest}`)).data, [])
  const refused = async (query: string) => {
    const { status, body } = await world.ask(`/changes?${query}`)
    const { error, parameter } = body as { error: string; parameter?: string }
    return [status, error, parameter]
  }
  assert.equal(await refused(`since=${oldest}&until=${'0'.repeat(64)}`), [410, 'gone', undefined])
  assert.equal(await refused(`since=${oldest}&until=2020-01-01`), [410, 'gone', undefined])
  assert.equal(await refused(`since=${middle}&until=${oldest}`), [400, 'invalid_parameter', 'until'])
  assert.equal(await refused(`since=${oldest}&until=yesterday`), [400, 'invalid_parameter', 'until'])

  const pageOf = (until: string, cursor: string | null) =>
    world.json<Page>(`${changes}&until=${until}&limit=2${cursor ? `&cursor=${cursor}` : ''}`)
  const first = await pageOf(middle, null)
  const { next_cursor: cursor } = first.pagination
  for (const other of ['', `&until=${current}`]) {
    const query = `since=${oldest}${other}&limit=2&cursor=${cursor}`
    assert.equal(await refused(query), [400, 'invalid_cursor', 'cursor'])
  }
  // Walks continue after another night, also with the id of the snapshot that was served at their start.
  const whole = await world.json<Page>(changes)
  const start = await pageOf(current, null)
  await world.night({ [KEV]: kevJson(['CVE-2024-0001'], '2024-06-04T10:00:00.0000Z') })
  const rest = await pageOf(middle.slice(0, 9), cursor)
  assert.equal([...first.data, ...rest.data], between.data)
  const last = await pageOf(current, start.pagination.next_cursor)
  assert.equal([...start.data, ...last.data], whole.data)
  // The oldest snapshot is no longer open, only its files remain.
  assert.not((await world.json<{ data: Kept[] }>('/snapshots')).data.at(-1)!.retained)
  assert.equal(await world.json(`${changes}&until=${middle}`), between)
})

contract.after(world.remove)

states('27.11, 27.12', 'what a CVE was and is, and its names, if they are asked for', async () => {
  const since = await snapshotId()
  await world.night({
    ...cveList(
      [
        record(1),
        record(2, { affected: of('Acme', 'Tcp/Ip Stack'), metrics: [cveMetric('3.1', 5.4)] }),
        record(6, { title: 'New in Six', affected: of('Red Hat', 'Six') }),
      ],
      '2024-06-04',
    ),
    [KEV]: kevJson(['CVE-2024-0002'], '2024-06-04T10:00:00.0000Z'),
  })
  interface State {
    title: string | null
    cvss_score: number | null
    kev: { listed: boolean }
  }
  interface Row {
    cve_id: string
    before: State | null
    after: State | null
    vendors: string[]
    products: string[]
    names_complete: boolean
  }
  const path = `/changes?since=${since}`
  const { data } = await world.json<{ data: Row[] }>(`${path}&include=facts`)
  const rows = new Map(data.map((row) => [row.cve_id, row]))
  const plain = await world.json<{ data: object[] }>(path)
  assert.equal(
    plain.data.map((row) => Object.keys(row)),
    data.map(() => ['cve_id', 'change', 'sections']),
  )
  for (const row of data) {
    for (const [id, state] of [
      [since, row.before],
      [await snapshotId(), row.after],
    ] as const) {
      const response = await world.get(`/cves/${row.cve_id}?include=&snapshot=${id}`)
      const record = JSON.parse(await response.text()) as Json
      if (state === null) assert.is(response.status, 404)
      else for (const [name, value] of Object.entries(state)) assert.equal(value, record[name], name)
    }
  }
  const changed = rows.get('CVE-2024-0002')!
  assert.equal([changed.before?.cvss_score, changed.after?.cvss_score], [9.8, 5.4])
  assert.equal([changed.vendors, changed.products], [['acme'], ['acme/tcp/ip_stack']])
  const added = rows.get('CVE-2024-0006')!
  assert.equal([added.before, added.after?.title, added.vendors], [null, 'New in Six', ['red_hat']])
  const removed = rows.get('CVE-2024-0005')!
  assert.equal([removed.after, removed.before === null, removed.names_complete], [null, false, true])
  for (const vendor of ['acme', 'red_hat']) {
    const listed = await world.json<{ data: { cve_id: string }[] }>(`/cves?vendor=${vendor}`)
    assert.equal(
      data.filter((row) => row.after && row.vendors.includes(vendor)).map(({ cve_id }) => cve_id),
      listed.data.flatMap(({ cve_id: id }) => (rows.has(id) ? [id] : [])).sort(),
    )
  }
})

contract.run()
