/** What rules 18 and 29 of RULES.md say of scores, from feeds to answers. */

import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { ingest } from '../../../builder/ingest/ingest.ts'
import { quietEffects } from '../../support/dist.ts'
import { contractSuite } from '../support/contract.ts'
import { openWorld } from '../support/service.ts'
import { cveList, cveMetric, ghsaZip, nvdPage, nvdRecord, osvEntry, VECTORS } from '../support/upstream.ts'

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
const V31 = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'
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

const FEEDS = {
  ...cveList([
    { id: 'CVE-2024-0005' },
    { id: 'CVE-2024-0006' },
    { id: 'CVE-2024-0012', cna: cna(cveMetric('3.1', 2.5, V31)) },
    { id: 'CVE-2024-0013', cna: cna(cveMetric('3.1', 9.8, V31)) },
    { id: 'CVE-2024-0014' },
    {
      id: 'CVE-2024-0015',
      cna: cna({ other: { type: 'cvssV5_0', content: { baseScore: 9.9, vectorString: V31 } } }),
    },
  ]),
  'nvd/page.json': nvdPage([
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
  ...ghsaZip([osvEntry('GHSA-2222-2222-2222', ['CVE-2024-0005'], { summary: 'x', ...severity(`${VECTOR_40}/E:U`) })]),
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

contract.after(world.remove)
contract.run()
