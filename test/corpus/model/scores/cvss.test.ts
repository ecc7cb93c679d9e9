/** The headline score and its list of metrics (rules 18, 29). */
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CveClaim, CvssClaim } from '../../../../corpus/model/claim.ts'
import type { CvssMetric, Severity } from '../../../../corpus/model/record.ts'
import { severityOf } from '../../../../corpus/model/scores/cvss.ts'
import { claim, cvss, merged, UPDATED } from '../fixture.ts'
import { claimOf, timestamp } from '../properties/arbitrary.ts'
import { anyVersion, cvssClaim } from '../properties/cvss-arbitrary.ts'
import { property, shape } from '../properties/property.ts'

type Source = CvssMetric['source_type']
const PRECEDENCE: readonly Source[] = ['svc', 'cna', 'adp', 'nvd', 'advisory']

const scored = (source: Source, sourceName: string) =>
  shape({ updatedAt: timestamp, metrics: fc.array(cvssClaim(source, timestamp), { maxLength: 4 }) }).map((given) =>
    claim({ source, sourceName, ...given }),
  )
/** At most one claim of each of these; the record's own come first. */
const CLAIMS: fc.Arbitrary<CveClaim[]> = fc
  .tuple(
    ...[scored('cna', 'acme'), scored('adp', 'CISA-ADP'), scored('adp', 'other-ADP')].map((one) => fc.option(one)),
    ...[scored('nvd', 'nvd'), scored('advisory', 'GHSA-a'), scored('advisory', 'GHSA-b'), scored('svc', 'svc')].map(
      (one) => fc.option(one),
    ),
  )
  .map((claims) => claims.filter((one) => one !== null))

const headline = (claims: CveClaim[]) => {
  const { severity, cvss_score, cvss_score_source } = merged(claims).core
  return { severity, cvss_score, cvss_score_source }
}
const eligible = (claims: CveClaim[]) =>
  claims.flatMap(({ source, metrics }) =>
    metrics.filter(({ scoredBy }) => scoredBy === null).map((one) => ({ ...one, source })),
  )

property(
  'rule 18: the headline and the metrics do not depend on the order of other feeds’ claims',
  [CLAIMS.chain((claims) => fc.tuple(fc.constant(claims), fc.shuffledSubarray(claims, { minLength: claims.length })))],
  ([claims, shuffled]) => {
    // The order of the record's own containers is significant, so it stays.
    const own = claims.filter(({ source }) => source === 'cna' || source === 'adp')
    const others = shuffled.filter((one) => !own.includes(one))
    assert.equal(merged([...own, ...others]).cvss, merged(claims).cvss)
    assert.equal(headline([...own, ...others]), headline(claims))
  },
)

property('rule 18: one metric is primary where one may back the headline, else none', [CLAIMS], (claims) => {
  const { metrics } = merged(claims).cvss
  const primaries = metrics.filter((one) => one.is_primary)
  assert.is(primaries.length, eligible(claims).length > 0 ? 1 : 0)
})

property('rule 18: the primary metric comes first', [CLAIMS], (claims) => {
  const { metrics } = merged(claims).cvss
  if (metrics.some((one) => one.is_primary)) assert.ok(metrics[0]!.is_primary)
})

property('rule 18: score, band and source of the headline are those of the primary metric', [CLAIMS], (claims) => {
  const primary = merged(claims).cvss.metrics.find((one) => one.is_primary)
  const { severity, cvss_score, cvss_score_source } = headline(claims)
  if (!primary) return assert.equal([severity, cvss_score, cvss_score_source], [null, null, null])
  assert.is(cvss_score, primary.base_score)
  assert.is(severity, severityOf(primary.base_score, primary.cvss_version as '3.1'))
  const name = { svc: 'svc_metrics', cna: 'cna', nvd: 'nvd', advisory: 'advisory', adp: primary.source_short_name }
  assert.is(cvss_score_source, name[primary.source_type])
})

property('rule 18: the headline is of the first source that scores, and of its newest version', [CLAIMS], (claims) => {
  const candidates = eligible(claims)
  const primary = merged(claims).cvss.metrics.find((one) => one.is_primary)
  const source = PRECEDENCE.find((name) => candidates.some((one) => one.source === name))
  assert.is(primary?.source_type, source)
  const versions = candidates.filter((one) => one.source === source).map(({ version }) => version)
  assert.is(primary?.cvss_version, versions.sort().at(-1))
})

property(
  'rule 18: a claim of a lower source never changes the headline',
  [CLAIMS, fc.constantFrom<Source>('adp', 'nvd', 'advisory').chain((source) => scored(source, 'late'))],
  (claims, late) => {
    const ranks = eligible(claims).map(({ source }) => PRECEDENCE.indexOf(source as Source))
    const isLower = ranks.some((rank) => rank < PRECEDENCE.indexOf(late.source as Source))
    if (isLower) assert.equal(headline([...claims, late]), headline(claims))
  },
)

property('rule 18: whatever sources say of each other, each one’s own scores stay in metrics', [CLAIMS], (claims) => {
  const shown = merged(claims).cvss.metrics.map((one) =>
    JSON.stringify([one.source_type, one.source_short_name, one.base_score, one.base_severity, one.vector_string]),
  )
  assert.is(new Set(shown).size, shown.length)
  for (const { source, sourceName, metrics } of claims) {
    for (const { baseScore, baseSeverity, vector, scoredBy } of metrics) {
      const stated = JSON.stringify([source, sourceName, baseScore, baseSeverity, vector])
      if (scoredBy === null) assert.ok(shown.includes(stated))
    }
  }
})

property(
  'rule 29: what NVD only carries is shown under its own name, once, unless the record gave it',
  [CLAIMS],
  (claims) => {
    const own = new Set(
      claims.flatMap((one) => (/cna|adp/.test(one.source) ? one.metrics.map(({ vector }) => vector) : [])),
    )
    const { metrics } = merged(claims).cvss
    for (const { vector, baseScore, scoredBy } of claims.find(({ source }) => source === 'nvd')?.metrics ?? []) {
      if (scoredBy === null) continue
      const found = metrics.filter(
        (one) =>
          one.source_type === 'nvd' &&
          one.source_short_name === scoredBy &&
          one.vector_string === vector &&
          one.base_score === baseScore,
      )
      assert.is(found.length, own.has(vector) ? 0 : 1)
      for (const one of found) assert.is(one.is_primary, false)
    }
  },
)

property('rule 18: captured_at is the time of the metric, else the update of the record', [CLAIMS], (claims) => {
  for (const { source_type, base_score, vector_string, captured_at } of merged(claims).cvss.metrics) {
    const times = claims
      .filter(({ source }) => source === source_type)
      .flatMap(({ source, updatedAt, metrics }) =>
        metrics
          .filter(({ vector, baseScore }) => vector === vector_string && baseScore === base_score)
          .map(({ statedAt }) => statedAt ?? (source === 'cna' || source === 'adp' ? UPDATED : updatedAt)),
      )
    assert.ok(times.includes(captured_at))
  }
})

const BANDS: readonly Severity[] = ['none', 'low', 'medium', 'high', 'critical']

test('rule 18: severity never falls as the score rises, and none is 0.0 alone, in every version', () => {
  for (const version of ['2.0', '3.0', '3.1', '4.0'] as const) {
    let last = 0
    for (let tenths = 0; tenths <= 100; tenths++) {
      const severity = severityOf(tenths / 10, version)
      assert.is(severity === 'none', tenths === 0, `${version} ${tenths}`)
      assert.ok(BANDS.indexOf(severity) >= last, `${version} ${tenths}`)
      const band = tenths === 0 ? 0 : tenths < 40 ? 1 : tenths < 70 ? 2 : tenths < 90 || version === '2.0' ? 3 : 4
      assert.is(severity, BANDS[band], `${version} ${tenths}`)
      last = BANDS.indexOf(severity)
    }
  }
})

property(
  'rule 18: a 2.0 score is never above the band of the same score in 3.x, and never critical',
  [fc.integer({ min: 0, max: 100 }), anyVersion],
  (tenths, version) => {
    const [of2, other] = [severityOf(tenths / 10, '2.0'), severityOf(tenths / 10, version)]
    assert.ok(BANDS.indexOf(of2) <= BANDS.indexOf(other))
    assert.is.not(of2, 'critical')
  },
)

property(
  'rule 18: claims without scores, OSV’s among them, change nothing',
  [CLAIMS, claimOf('osv')],
  (claims, osv) => {
    assert.equal(merged([...claims, osv]).cvss, merged(claims).cvss)
  },
)

const of =
  (source: Source) =>
  (...metrics: CvssClaim[]) =>
    claim({ source, metrics })
const [svc, cna, nvd, advisory] = [of('svc'), of('cna'), of('nvd'), of('advisory')]

test('rule 18: then the newest, then the higher score', () => {
  const old = cvss('3.1', 9, { statedAt: '2023-01-01T00:00:00.000Z' })
  const young = cvss('3.1', 5, { statedAt: '2024-01-01T00:00:00.000Z' })
  assert.is(headline([nvd(old, young)]).cvss_score, 5)
  assert.is(headline([cna(cvss('3.1', 5), cvss('3.1', 6))]).cvss_score, 6)
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
