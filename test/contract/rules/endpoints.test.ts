/** gateway/API.md, section 11: the endpoints for parts of a CVE, and the sections that embed them. */
import * as assert from 'uvu/assert'
import { epssCsv, kevJson } from '../../support/feeds.ts'
import { contractSuite } from '../support/contract.ts'
import { openWorld } from '../support/service.ts'
import {
  archiveCsv,
  container,
  cveList,
  cveMetric,
  lines,
  nvdPage,
  nvdRecord,
  UPDATED,
  VECTORS,
} from '../support/upstream.ts'

type Json = Record<string, unknown>

const contract = contractSuite('rules, endpoints of a CVE')
const { states } = contract

const [FULL, BARE, OTHER] = ['CVE-2024-0001', 'CVE-2024-0002', 'CVE-2024-0003'] as const
const V31 = VECTORS['3.1']
const report = (id: string, type: string, createdAt: string, more: Json = {}) => ({
  id,
  cve_id: FULL,
  report_type: type,
  model: 'm-1',
  created_at: createdAt,
  status: 'final',
  report_text: `# ${type}\n\nThe whole text of it: 😀.\n`,
  ...more,
})
const REPORT = '7b6c1f0e-5a53-4c1e-9c1b-3d2f8a4e6b90'
const OLDER = '7b6c1f0e-5a53-4c1e-9c1b-3d2f8a4e6b91'
const DRAFT = '7b6c1f0e-5a53-4c1e-9c1b-3d2f8a4e6b92'
const references = [
  { url: 'https://acme.example/a', name: 'A', tags: ['patch'] },
  { url: 'https://acme.example/b', tags: ['exploit', 'patch'] },
]

const world = await openWorld({
  ...cveList([
    {
      id: FULL,
      cna: { metrics: [cveMetric('3.1')], references },
      adp: [container('CISA-ADP', { references: [{ url: 'https://acme.example/b' }] })],
    },
    { id: BARE, cna: { references: undefined, affected: undefined } },
    { id: OTHER },
  ]),
  'epss/epss_scores-2024-06-01.csv.gz': epssCsv([[FULL, 0.25, 0.5]], '2024-06-01'),
  'kev/known_exploited_vulnerabilities.json': kevJson([FULL]),
  'nvd/page.json': nvdPage([nvdRecord(FULL, { references: [{ url: 'https://acme.example/c', tags: ['Exploit'] }] })]),
  'exploitdb/files_exploits.csv': archiveCsv([
    { id: 42, description: 'A text', published: '2024-01-01', verified: true, cves: [FULL, OTHER] },
  ]),
  'first-party/reports.ndjson': lines([
    report(REPORT, 'overview', '2024-05-20T08:00:00Z'),
    report(OLDER, 'overview', '2024-05-19T08:00:00Z'),
    report(DRAFT, 'details', '2024-05-21T08:00:00Z', { status: 'draft' }),
  ]),
  'first-party/report-types.ndjson': lines([
    { prompt_name: 'overview', enabled: true, output_schema: { type: 'object' } },
    { prompt_name: 'details', enabled: false },
  ]),
  'first-party/analyses.ndjson': lines([
    { cve_id: FULL, summary: 'It overflows.', weaknesses: ['CWE-787', '79'], generated_at: '2024-05-22T08:00:00Z' },
  ]),
  'first-party/service-scores.ndjson': lines([
    { cve_id: OTHER, cvss_version: '3.1', vector_string: V31.vector, scored_at: '2024-05-23T08:00:00Z' },
  ]),
})

const metric = {
  source_type: 'cna',
  source_short_name: 'acme',
  cvss_version: '3.1',
  base_score: 7.5,
  base_severity: 'MEDIUM',
  vector_string: V31.vector,
  is_primary: true,
  captured_at: UPDATED,
}
const SVC = { base_score: 7.5, base_severity: 'HIGH', vector_string: V31.vector }

states('11.1', 'metrics and assessment alone', async () => {
  assert.equal(await world.json(`/cves/${FULL}/cvss`), { cve_id: FULL, metrics: [metric], svc_assessment: null })
  assert.equal(await world.json(`/cves/${BARE}/cvss`), { cve_id: BARE, metrics: [], svc_assessment: null })
  const { svc_assessment, metrics } = await world.json<{ svc_assessment: Json; metrics: Json[] }>(`/cves/${OTHER}/cvss`)
  assert.equal(svc_assessment, { ...SVC, rescore_timestamp: '2024-05-23T08:00:00.000Z' })
  assert.is(metrics.length, 1)
})

states('11.2', 'the current score or null', async () => {
  const current = { date: '2024-06-01', epss_score: 0.25, percentile: 0.5, model_version: 'v2024.01.01' }
  assert.equal(await world.json(`/cves/${FULL}/epss`), { cve_id: FULL, current })
  assert.equal(await world.json(`/cves/${BARE}/epss`), { cve_id: BARE, current: null })
})

const [a, b, c] = [
  { url: 'https://acme.example/a', name: 'A', tags: ['patch'], sources: ['cna'] },
  { url: 'https://acme.example/b', name: null, tags: ['exploit', 'patch'], sources: ['cna', 'adp'] },
  { url: 'https://acme.example/c', name: null, tags: ['Exploit'], sources: ['nvd'] },
]

states('11.3', 'one item for each URL; tag and source', async () => {
  const path = `/cves/${FULL}/references`
  assert.equal(await world.json(path), { cve_id: FULL, count: 3, references: [a, b, c] })
  assert.equal(await world.json(`/cves/${BARE}/references`), { cve_id: BARE, count: 0, references: [] })
  const chosen = async (query: string) => (await world.json<{ references: Json[] }>(`${path}?${query}`)).references
  assert.equal(await chosen('tag=patch'), [a, b])
  assert.equal(await chosen('source=adp'), [b])
  assert.equal(await chosen('source=nvd'), [c])
  assert.equal(await chosen('tag=patch&source=adp'), [b])
  assert.equal(await chosen('tag=patch&source=nvd'), [])
})

states('11.4', 'modules as in the catalog', async () => {
  const { data } = await world.json<{ data: Json[] }>('/exploits')
  assert.is(data.length, 1)
  for (const id of [FULL, OTHER]) {
    assert.equal(await world.json(`/cves/${id}/exploits`), { cve_id: id, count: 1, exploits: data })
  }
  assert.equal(await world.json(`/cves/${BARE}/exploits`), { cve_id: BARE, count: 0, exploits: [] })
})

states('11.5', 'the analysis or null', async () => {
  const analysis = {
    summary: 'It overflows.',
    root_cause: null,
    impact: null,
    attack_vector: null,
    remediation: null,
    weaknesses: ['cwe-787', 'cwe-79'],
    model: null,
    generated_at: '2024-05-22T08:00:00.000Z',
  }
  assert.equal(await world.json(`/cves/${FULL}/analysis`), { cve_id: FULL, analysis })
  assert.equal(await world.json(`/cves/${BARE}/analysis`), { cve_id: BARE, analysis: null })
})

states('16.17', 'one report with its text', async () => {
  const text = '# overview\n\nThe whole text of it: 😀.\n'
  const expected = {
    id: REPORT,
    report_type: 'overview',
    model: 'm-1',
    created_at: '2024-05-20T08:00:00.000Z',
    char_count: [...text].length,
    report_text: text,
  }
  assert.equal(await world.json(`/cves/${FULL}/reports/${REPORT}`), expected)
  for (const path of [
    `/cves/${OTHER}/reports/${REPORT}`,
    `/cves/${FULL}/reports/${DRAFT}`,
    `/cves/${FULL}/reports/x`,
  ]) {
    const { status, body } = await world.ask(path)
    assert.equal([status, (body as { error: string }).error], [404, 'not_found'], path)
  }
})

states('17.4', 'the schema of each type on request', async () => {
  const types = async (query: string) =>
    (await world.json<{ report_types: Json[] }>(`/reports/types${query}`)).report_types
  const [details, overview] = [
    { prompt_name: 'details', enabled: false },
    { prompt_name: 'overview', enabled: true },
  ]
  const byName = (one: Json, other: Json) => (String(one.prompt_name) < String(other.prompt_name) ? -1 : 1)
  assert.equal((await types('')).sort(byName), [details, overview])
  assert.equal((await types('?include_schema=true')).sort(byName), [
    { ...details, output_schema: null },
    { ...overview, output_schema: { type: 'object' } },
  ])
})

/** What `include` names, by the key it has, and what the endpoint of that name holds of it. */
const SECTIONS: [include: string, key: string, of: (body: Json) => unknown][] = [
  ['cvss', 'cvss', ({ metrics, svc_assessment }) => ({ metrics, svc_assessment })],
  ['epss', 'epss_detail', ({ current }) => ({ current })],
  ['affected', 'affected', ({ entries }) => entries],
  ['references', 'references', ({ references }) => references],
  ['exploits', 'exploits', ({ exploits }) => exploits],
  ['evidence', 'evidence', ({ evidence }) => evidence],
  ['timeline', 'timeline', ({ timeline }) => timeline],
  ['analysis', 'analysis', ({ analysis }) => analysis],
]

states('10.12', 'a section is what its endpoint carries', async () => {
  const all = SECTIONS.map(([include]) => include).join(',')
  for (const id of [FULL, BARE, OTHER]) {
    const detail = await world.json<Json>(`/cves/${id}?include=${all}`)
    for (const [include, key, of] of SECTIONS) {
      const own = of(await world.json<Json>(`/cves/${id}/${include}`))
      assert.equal(detail[key], own, `${include} of ${id}`)
      const alone = await world.json<Json>(`/cves/${id}?include=${include}&fields=cve_id`)
      assert.equal(alone, { cve_id: id, [key]: own })
    }
  }
})

states('10.13', 'empty sections are present', async () => {
  const all = SECTIONS.map(([include]) => include).join(',')
  const { timeline, ...empty } = await world.json<Json>(`/cves/${BARE}?include=${all}&fields=cve_id`)
  assert.equal(empty, {
    cve_id: BARE,
    cvss: { metrics: [], svc_assessment: null },
    epss_detail: { current: null },
    affected: [],
    references: [],
    exploits: [],
    evidence: [],
    analysis: null,
  })
  assert.is((timeline as Json[]).length, 1)
})

contract.after(world.remove)
contract.run()
