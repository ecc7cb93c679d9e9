/** Rule 18 of RULES.md, and what 29 says of scores, from feeds to answers. */

import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { ingest } from '../../../builder/ingest/ingest.ts'
import { quietEffects } from '../../support/dist.ts'
import { contractSuite } from '../support/contract.ts'
import { openWorld } from '../support/service.ts'
import {
  container,
  cveList,
  cveMetric,
  ghsaZip,
  lines,
  nvdPage,
  nvdRecord,
  osvEntry,
  type UpstreamRecord,
  VECTORS,
} from '../support/upstream.ts'

interface Metric {
  source_type: string
  source_short_name: string
  cvss_version: string
  base_score: number
  vector_string: string
  is_primary: boolean
  captured_at: string
}

const contract = contractSuite('rules, scores')
const { rule } = contract

type Version = keyof typeof VECTORS
const cna = (...metrics: object[]) => ({ metrics })
const adp = (...metrics: object[]) => [container('CISA-ADP', { metrics })]
const V31 = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'
/** Later than its containers. */
const RECORD_UPDATED = '2024-05-30T08:00:00.000Z'
const VECTOR_40 = VECTORS['4.0'].vector

/** A metric of NVD's page; `source` is who scored. */
const nvdMetric = (version: Version, baseScore: number, vectorString: string, source = 'nvd@nist.gov') => {
  const cvssData = { version, baseScore, vectorString, baseSeverity: 'HIGH' }
  return {
    [`cvssMetricV${version === '2.0' ? '2' : version.replace('.', '')}`]: [{ source, type: 'Secondary', cvssData }],
  }
}
const severity = (vector: string) => ({
  severity: [{ type: vector.startsWith('CVSS:4') ? 'CVSS_V4' : 'CVSS_V3', score: vector }],
})

/** Scores at the borders of bands, by the version that they were scored in. */
const BANDS: [version: Version, score: number, band: string][] = [
  ['3.1', 0, 'none'],
  ['3.1', 0.1, 'low'],
  ['3.1', 3.9, 'low'],
  ['3.0', 4, 'medium'],
  ['4.0', 6.9, 'medium'],
  ['3.1', 7, 'high'],
  ['3.1', 8.9, 'high'],
  ['4.0', 9, 'critical'],
  ['2.0', 0, 'none'],
  ['2.0', 0.1, 'low'],
  ['2.0', 3.9, 'low'],
  ['2.0', 4, 'medium'],
  ['2.0', 6.9, 'medium'],
  ['2.0', 7, 'high'],
  ['2.0', 10, 'high'],
]
const banded = BANDS.map(
  ([version, score], i): UpstreamRecord => ({
    id: `CVE-2023-${1000 + i}`,
    cna: { metrics: [cveMetric(version, score)] },
  }),
)

const FEEDS = {
  ...cveList([
    ...banded,
    {
      id: 'CVE-2024-0001',
      cna: cna(cveMetric('3.1')),
      adp: adp(cveMetric('4.0')),
      metadata: { dateUpdated: RECORD_UPDATED },
    },
    { id: 'CVE-2024-0002', cna: cna(cveMetric('2.0', 1)), adp: adp(cveMetric('4.0')) },
    { id: 'CVE-2024-0003', adp: adp(cveMetric('2.0', 2)) },
    { id: 'CVE-2024-0004' },
    { id: 'CVE-2024-0005' },
    { id: 'CVE-2024-0006' },
    {
      id: 'CVE-2024-0007',
      cna: cna(cveMetric('2.0', 9), cveMetric('3.0', 8), cveMetric('3.1', 7), cveMetric('4.0', 1)),
    },
    { id: 'CVE-2024-0008', cna: cna(cveMetric('2.0', 9), cveMetric('3.0', 8), cveMetric('3.1', 1)) },
    { id: 'CVE-2024-0009', cna: cna(cveMetric('2.0', 9), cveMetric('3.0', 1)) },
    { id: 'CVE-2024-0010' },
    {
      id: 'CVE-2024-0011',
      cna: cna(cveMetric('3.1', 5.3, 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:N'), cveMetric('3.1', 9.8, V31)),
    },
    { id: 'CVE-2024-0012', cna: cna(cveMetric('3.1', 2.5, V31)) },
    { id: 'CVE-2024-0013', cna: cna(cveMetric('3.1', 9.8, V31)) },
    { id: 'CVE-2024-0014' },
    {
      id: 'CVE-2024-0015',
      cna: cna({ other: { type: 'cvssV5_0', content: { baseScore: 9.9, vectorString: V31 } } }),
    },
  ]),
  'nvd/page.json': nvdPage([
    nvdRecord('CVE-2024-0001', { metrics: nvdMetric('4.0', 9.3, VECTOR_40) }),
    nvdRecord('CVE-2024-0002', { metrics: nvdMetric('4.0', 9.3, VECTOR_40) }),
    nvdRecord('CVE-2024-0003', { metrics: nvdMetric('4.0', 9.3, VECTOR_40) }),
    nvdRecord('CVE-2024-0004', { metrics: nvdMetric('2.0', 1.5, 'AV:L/AC:H/Au:N/C:N/I:N/A:P') }),
    nvdRecord('CVE-2024-0012', { metrics: nvdMetric('3.1', 9.8, V31, 'psirt@example.com') }),
    nvdRecord('CVE-2024-0013', {
      metrics: {
        cvssMetricV31: [
          {
            source: 'psirt@example.com',
            type: 'Primary',
            cvssData: { version: '3.1', baseScore: 9.8, vectorString: V31 },
          },
          {
            source: 'psirt@example.com',
            type: 'Primary',
            cvssData: { version: '3.1', ...VECTORS['3.1'], baseScore: 7.5, vectorString: VECTORS['3.1'].vector },
          },
        ],
      },
    }),
    nvdRecord('CVE-2024-0006', { metrics: nvdMetric('3.1', 9.8, V31, 'psirt@example.com') }),
    nvdRecord('CVE-2024-0014', { lastModified: '2024-05-20T00:00:00.000', metrics: nvdMetric('3.1', 9.8, V31) }),
  ]),
  // Read later, of a later day, but with the older copy.
  'nvd/zz-page.json': nvdPage(
    [
      nvdRecord('CVE-2024-0014', {
        lastModified: '2024-05-19T00:00:00.000',
        metrics: nvdMetric('4.0', 9.3, VECTOR_40),
      }),
    ],
    '2024-06-02T00:00:00.000',
  ),
  ...ghsaZip([
    ...(['CVE-2024-0001', 'CVE-2024-0004', 'CVE-2024-0005'] as const).map((id, i) =>
      osvEntry(`GHSA-2222-2222-222${i + 2}`, [id], { summary: 'x', ...severity(`${VECTOR_40}/E:U`) }),
    ),
    osvEntry('GHSA-3333-3333-3332', ['CVE-2024-0010'], { modified: '2024-05-06T10:00:00Z', ...severity(V31) }),
    osvEntry('GHSA-3333-3333-3333', ['CVE-2024-0010'], {
      modified: '2024-05-07T10:00:00Z',
      ...severity(VECTORS['3.1'].vector),
    }),
  ]),
  'first-party/service-scores.ndjson': lines([
    { cve_id: 'CVE-2024-0001', cvss_version: '3.1', vector_string: V31, scored_at: '2024-05-09T00:00:00Z' },
    {
      cve_id: 'CVE-2024-0001',
      cvss_version: '2.0',
      vector_string: VECTORS['2.0'].vector,
      scored_at: '2024-05-10T00:00:00Z',
    },
  ]),
}
const world = await openWorld(FEEDS)

const metricsOf = async (n: number) =>
  (await world.json<{ metrics: Metric[] }>(`/cves/CVE-2024-${String(n).padStart(4, '0')}/cvss`)).metrics
const headline = async (n: number) => {
  const id = `CVE-2024-${String(n).padStart(4, '0')}`
  const core = await world.json<Record<string, unknown>>(
    `/cves/${id}?include=&fields=cvss_score,cvss_score_source,severity`,
  )
  return [core.cvss_score_source, core.cvss_score, core.severity]
}
const report = () => {
  const corpus = join(world.made.corpus, '..', 'again.db')
  return ingest({ feeds: world.made.feeds, corpus }, quietEffects())
}
const notes = async () => {
  const { feeds } = await report()
  return Object.fromEntries(
    feeds.flatMap(({ name, notes }) =>
      notes.map(({ reason, items }) => [`${name} ${reason}`, items.map(({ key }) => key)]),
    ),
  )
}

rule(18, 'the order of sources decides the headline, for any version and score', async () => {
  assert.equal(await headline(1), ['svc_metrics', 9.8, 'critical'])
  assert.equal(await headline(2), ['cna', 1, 'low'])
  assert.equal(await headline(3), ['CISA-ADP', 2, 'low'])
  assert.equal(await headline(4), ['nvd', 1.5, 'low'])
  assert.equal(await headline(5), ['advisory', 9.3, 'critical'])
  assert.equal(await headline(6), [null, null, null])
})

rule(18, 'within a source, the order of versions is 4.0, 3.1, 3.0, 2.0', async () => {
  assert.equal(await headline(7), ['cna', 1, 'low'])
  assert.equal(
    (await metricsOf(7)).map(({ cvss_version }) => cvss_version),
    ['4.0', '3.1', '3.0', '2.0'],
  )
  assert.equal(await headline(8), ['cna', 1, 'low'])
  assert.equal(await headline(9), ['cna', 1, 'low'])
})

rule(18, 'within a version, the newest metric counts, then the higher score', async () => {
  assert.equal(await headline(10), ['advisory', 7.5, 'high'])
  assert.equal(await headline(11), ['cna', 9.8, 'critical'])
})

rule(18, 'every source has its type; exactly one metric is primary, and it gives the headline', async () => {
  const metrics = await metricsOf(1)
  assert.equal(
    metrics.map((one) => [one.source_type, one.source_short_name, one.cvss_version, one.is_primary]),
    [
      ['svc', 'svc', '3.1', true],
      ['svc', 'svc', '2.0', false],
      ['cna', 'acme', '3.1', false],
      ['adp', 'CISA-ADP', '4.0', false],
      ['nvd', 'nvd', '4.0', false],
      ['advisory', 'GHSA-2222-2222-2222', '4.0', false],
    ],
  )
  for (const n of [2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14]) {
    const primary = (await metricsOf(n)).filter((one) => one.is_primary)
    assert.is(primary.length, 1, String(n))
    assert.is(primary[0]!.base_score, (await headline(n))[1])
  }
})

rule(18, '`captured_at` is the time that the source states, else the time of the last update', async () => {
  const times = (await metricsOf(1)).map(({ captured_at }) => captured_at)
  const stated = ['2024-05-09T00:00:00.000Z', '2024-05-10T00:00:00.000Z']
  assert.equal(times, [
    ...stated,
    RECORD_UPDATED,
    RECORD_UPDATED,
    '2024-05-04T09:00:00.000Z',
    '2024-05-06T10:00:00.000Z',
  ])
})

rule(18, 'a score that disagrees with its own vector is kept, and counted in the ingest report', async () => {
  assert.equal(await headline(12), ['cna', 2.5, 'low'])
  const { compared, mismatches } = (await report()).scores
  assert.ok(compared > mismatches.length)
  const ids = mismatches.map(({ cveId }) => cveId)
  assert.ok(ids.includes('CVE-2024-0012'))
  assert.not.ok(ids.includes('CVE-2024-0013'))
})

rule(29, 'an advisory with only a vector gets the base score of that vector, without threat metrics', async () => {
  const [metric] = await metricsOf(5)
  assert.equal([metric!.base_score, metric!.vector_string], [9.3, `${VECTOR_40}/E:U`])
  const { cvss_v3, cvss_v4 } = await world.json<Record<string, object>>('/cves/CVE-2024-0005/advisory')
  assert.equal(
    [cvss_v3, cvss_v4],
    [
      { vector: null, score: null },
      { vector: `${VECTOR_40}/E:U`, score: 9.3 },
    ],
  )
})

rule(29, 'the newest of several NVD copies counts', async () => {
  assert.equal(
    (await metricsOf(14)).map((one) => [one.cvss_version, one.captured_at]),
    [['3.1', '2024-05-20T00:00:00.000Z']],
  )
})

rule(
  29,
  'metrics of other sources in NVD never give the headline, and are listed unless CNA or ADP has them',
  async () => {
    assert.equal(
      (await metricsOf(6)).map((one) => [one.source_type, one.source_short_name, one.is_primary]),
      [['nvd', 'example', false]],
    )
    assert.equal(
      (await metricsOf(13)).map((one) => [one.source_type, one.source_short_name, one.base_score, one.is_primary]),
      [
        ['cna', 'acme', 9.8, true],
        ['nvd', 'example', 7.5, false],
      ],
    )
  },
)

rule(29, 'a CVSS hidden in an `other` metric is ignored and counted', async () => {
  assert.equal(await metricsOf(15), [])
  assert.equal((await notes())['cvelist cvss-in-other'], ['CVE-2024-0015'])
})

rule(18, 'severity is the band of the score, by the version it was scored in', async () => {
  for (const [i, [version, score, band]] of BANDS.entries()) {
    const core = await world.json<{ severity: string; cvss_score: number }>(`/cves/CVE-2023-${1000 + i}`)
    assert.equal([core.cvss_score, core.severity], [score, band], `${version} ${score}`)
  }
})

contract.after(world.remove)
contract.run()
