import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CveClaim } from '../../../../corpus/model/claim.ts'
import { severityOf } from '../../../../corpus/model/scores/cvss.ts'
import { claim, cvss, merged, UPDATED } from '../fixture.ts'

function headline(...claims: CveClaim[]) {
  const { severity, cvss_score, cvss_score_source } = merged(claims).core
  return [severity, cvss_score, cvss_score_source]
}

const cna = (...metrics: CveClaim['metrics']) => claim({ source: 'cna', metrics })
const adp = (...metrics: CveClaim['metrics']) => claim({ source: 'adp', metrics })
const nvd = (...metrics: CveClaim['metrics']) => claim({ source: 'nvd', metrics })
const advisory = (...metrics: CveClaim['metrics']) => claim({ source: 'advisory', sourceName: 'GHSA-x', metrics })
const svc = (...metrics: CveClaim['metrics']) => claim({ source: 'svc', metrics })

test('rule 18: the source order is svc_metrics, cna, adp, nvd, advisory, whatever the score and version', () => {
  const all = [
    advisory(cvss('4.0', 10)),
    nvd(cvss('4.0', 9)),
    adp(cvss('3.1', 8)),
    cna(cvss('3.0', 7)),
    svc(cvss('2.0', 3)),
  ]
  assert.equal(headline(...all), ['low', 3, 'svc_metrics'])
  assert.equal(headline(...all.slice(0, 4)), ['high', 7, 'cna'])
  assert.equal(headline(...all.slice(0, 3)), ['high', 8, 'CISA-ADP'])
  assert.equal(headline(...all.slice(0, 2)), ['critical', 9, 'nvd'])
  assert.equal(headline(...all.slice(0, 1)), ['critical', 10, 'advisory'])
  assert.equal(headline(), [null, null, null])
})

test('rule 18: within a source 4.0 goes before 3.1, 3.0, 2.0', () => {
  const metrics = [cvss('2.0', 10), cvss('3.0', 9), cvss('3.1', 8), cvss('4.0', 1)]
  assert.equal(headline(cna(...metrics)), ['low', 1, 'cna'])
  assert.equal(headline(cna(...metrics.slice(0, 3))), ['high', 8, 'cna'])
  assert.equal(headline(cna(...metrics.slice(0, 2))), ['critical', 9, 'cna'])
})

test('rule 18: then the newest, then the higher score', () => {
  const old = cvss('3.1', 9, { statedAt: '2023-01-01T00:00:00.000Z' })
  const young = cvss('3.1', 5, { statedAt: '2024-01-01T00:00:00.000Z' })
  assert.equal(headline(nvd(old, young)), ['medium', 5, 'nvd'])
  assert.equal(headline(cna(cvss('3.1', 5), cvss('3.1', 6))), ['medium', 6, 'cna'])
})

test('rule 18: a record with only 2.0 scores has its headline from 2.0, from any source', () => {
  assert.equal(headline(cna(cvss('2.0', 9.3))), ['high', 9.3, 'cna'])
  assert.equal(headline(cna(), nvd(cvss('2.0', 7.5))), ['high', 7.5, 'nvd'])
  assert.equal(headline(nvd(cvss('2.0', 0))), ['none', 0, 'nvd'])
})

test('rule 18: a score that contradicts its vector is kept as stated, and so is its band', () => {
  const vector = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'
  const stated = cvss('3.1', 5.5, { vector, baseSeverity: 'CRITICAL' })
  assert.equal(headline(cna(stated)), ['medium', 5.5, 'cna'])
  const [metric] = merged([cna(stated)]).cvss.metrics
  assert.equal([metric?.base_score, metric?.base_severity, metric?.vector_string], [5.5, 'CRITICAL', vector])
})

test('rule 18: sources that disagree on one vector are all listed', () => {
  const vector = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'
  const { metrics } = merged([cna(cvss('3.1', 5.5, { vector })), nvd(cvss('3.1', 9.8, { vector }))]).cvss
  assert.equal(
    metrics.map((one) => [one.source_type, one.base_score]),
    [
      ['cna', 5.5],
      ['nvd', 9.8],
    ],
  )
})

const BANDS: [score: number, of3: string, of2: string][] = [
  [0, 'none', 'none'],
  [0.1, 'low', 'low'],
  [3.9, 'low', 'low'],
  [4, 'medium', 'medium'],
  [6.9, 'medium', 'medium'],
  [7, 'high', 'high'],
  [8.9, 'high', 'high'],
  [9, 'critical', 'high'],
  [10, 'critical', 'high'],
]
for (const [score, of3, of2] of BANDS) {
  test(`rule 18: ${score} is ${of3} in 3.x and 4.0, ${of2} in 2.0`, () => {
    for (const version of ['3.0', '3.1', '4.0'] as const) assert.is(severityOf(score, version), of3)
    assert.is(severityOf(score, '2.0'), of2)
  })
}

test('rule 18: is_primary is true for exactly the one that backs the headline, which comes first', () => {
  const { cvss: section } = merged([cna(cvss('3.1', 5), cvss('4.0', 6)), adp(cvss('3.1', 9))])
  const shown = section.metrics.map((one) => [one.source_type, one.cvss_version, one.base_score, one.is_primary])
  assert.equal(shown, [
    ['cna', '4.0', 6, true],
    ['cna', '3.1', 5, false],
    ['adp', '3.1', 9, false],
  ])
})

test('rule 18: captured_at is the time stated for the metric, else the update of the record', () => {
  const { cvss: section } = merged([
    cna(cvss('3.1', 5)),
    nvd(cvss('3.1', 6, { statedAt: '2023-01-01T00:00:00.000Z' })),
    claim({ source: 'advisory', updatedAt: '2022-02-02T00:00:00.000Z', metrics: [cvss('3.1', 7)] }),
  ])
  const times = section.metrics.map((one) => one.captured_at)
  assert.equal(times, [UPDATED, '2023-01-01T00:00:00.000Z', '2022-02-02T00:00:00.000Z'])
})

test('rule 29: scores that NVD only carries never back the headline', () => {
  const carried = cvss('3.1', 9, { scoredBy: 'someone@example.org' })
  assert.equal(headline(nvd(carried)), [null, null, null])
  assert.equal(headline(nvd(carried, cvss('3.0', 4))), ['medium', 4, 'nvd'])
  const [metric] = merged([nvd(carried)]).cvss.metrics
  assert.is(metric?.source_type, 'nvd')
  assert.is(metric?.source_short_name, 'someone@example.org')
  assert.is(metric?.is_primary, false)
})

test('rule 29: scores that NVD only copies come after all others, advisories included', () => {
  const carried = cvss('3.1', 9, { scoredBy: 'someone@example.org' })
  const { metrics } = merged([nvd(carried), advisory(cvss('3.0', 4))]).cvss
  assert.equal(
    metrics.map((one) => [one.source_type, one.is_primary]),
    [
      ['advisory', true],
      ['nvd', false],
    ],
  )
})

test('rule 29: they are left out where CNA or ADP already gave the same vector', () => {
  const same = cvss('3.1', 9, { vector: 'V' })
  const { metrics } = merged([cna(same), nvd({ ...same, scoredBy: 'acme' }, cvss('3.1', 8))]).cvss
  assert.equal(
    metrics.map((one) => [one.source_type, one.base_score]),
    [
      ['cna', 9],
      ['nvd', 8],
    ],
  )
})

test('the service assessment is the metric of the operator', () => {
  const section = merged([cna(cvss('3.1', 5)), svc(cvss('4.0', 8.1, { vector: 'V' }))]).cvss
  assert.equal(section.svc_assessment, {
    base_score: 8.1,
    base_severity: 'HIGH',
    vector_string: 'V',
    rescore_timestamp: '2024-05-01T00:00:00.000Z',
  })
  assert.is(merged([cna(cvss('3.1', 5))]).cvss.svc_assessment, null)
})

test.run()
