/** gateway/API.md, section 10: the sections of `include`, and the metrics of `cvss`. */
import * as assert from 'uvu/assert'
import { contractSuite } from '../support/contract.ts'
import {
  boolean,
  day,
  expectField,
  expectSeen,
  expectValues,
  fraction,
  listOf,
  matching,
  nullable,
  number,
  object,
  string,
  timestamp,
} from '../support/field-types.ts'
import { allDetails, byKey, type Detail, SECTIONS } from '../support/rows.ts'
import { sampleFeeds } from '../support/sample-feeds.ts'
import { sharedService } from '../support/service.ts'

const { states, after, run } = contractSuite('detail additions')
const service = await sharedService()
const feeds = sampleFeeds(service.made)
const details = await allDetails(service)
const upstream = byKey(feeds.records, ({ cveMetadata }) => cveMetadata.cveId)
const metrics = details.flatMap(({ cvss }) => cvss.metrics)

states('10.9', 'metrics and assessment', () => {
  const isObject = (value: unknown) => typeof value === 'object' && value !== null
  expectField(details, 'cvss', object({ metrics: listOf(isObject), svc_assessment: nullable(isObject) }))
  const assessed = details.filter(({ cvss }) => cvss.svc_assessment !== null)
  assert.equal(
    assessed.map(({ cve_id }) => cve_id).sort(),
    [...new Set(feeds.serviceScores.map(({ cve_id }) => String(cve_id)))].sort(),
  )
  assert.ok(details.some(({ cvss }) => cvss.metrics.length > 1))
})

states('10.10, 10.14', 'the score of the day', () => {
  const current = object({ date: day, epss_score: fraction, percentile: fraction, model_version: string })
  expectField(details, 'epss_detail', object({ current: nullable(current) }))
  const { date, modelVersion: model_version, scores } = feeds.epss
  for (const { cve_id: id, epss_detail: detail } of details) {
    const found = scores.get(id)
    const expected = found && { date, epss_score: found.score, percentile: found.percentile, model_version }
    assert.equal(detail.current, expected ?? null, id)
  }
  expectSeen(
    details.map(({ epss_detail: detail }) => detail.current === null),
    [true, false],
  )
})

/** What the endpoint of a section carries of it, where it is not the field of the same name. */
const CARRIED: Record<string, (body: Record<string, unknown>) => unknown> = {
  cvss: ({ metrics, svc_assessment }) => ({ metrics, svc_assessment }),
  epss: ({ current }) => ({ current }),
  affected: ({ entries }) => entries,
  guidance: ({ nvd_status, entries }) => ({ nvd_status, entries }),
  kev: ({ cve_id: _, ...detail }) => detail,
}

/** The names of sections, where they differ from that in `include`. */
const NAMES: Record<string, string> = { epss: 'epss_detail', kev: 'kev_detail' }

states('10.11, 10.12, 10.24', 'a section is what its endpoint carries', async () => {
  for (const detail of details) {
    for (const section of SECTIONS.split(',')) {
      const body = await service.json<Record<string, unknown>>(`/cves/${detail.cve_id}/${section}`)
      const value = detail[(NAMES[section] ?? section) as keyof Detail]
      assert.equal(value, CARRIED[section] ? CARRIED[section](body) : body[section], `${section} of ${detail.cve_id}`)
    }
  }
})

states('10.15', 'the kind of source', () => {
  expectField(metrics, 'source_type', string)
  expectValues(
    metrics.map(({ source_type }) => source_type),
    ['svc', 'cna', 'adp', 'nvd', 'advisory'],
  )
})

states('10.16', 'the name of the source', () => {
  expectField(metrics, 'source_short_name', matching(/./))
  for (const { cve_id: id, cvss } of details) {
    for (const { source_type: type, source_short_name: name } of cvss.metrics) {
      if (type === 'cna') assert.is(name, upstream.get(id)!.containers.cna!.providerMetadata.shortName)
      if (type === 'adp') {
        const adps = upstream.get(id)!.containers.adp!.map(({ providerMetadata }) => providerMetadata.shortName)
        assert.ok(adps.includes(name), name)
      }
      if (type === 'advisory') assert.ok(feeds.advisories.some((one) => one.id === name && one.aliases?.includes(id)))
    }
  }
})

states('10.17', 'the CVSS version of the vector', () => {
  expectField(metrics, 'cvss_version', string)
  for (const { cvss_version: version, vector_string: vector } of metrics) {
    assert.is(version, /^CVSS:(\d\.\d)\//.exec(vector)?.[1] ?? '2.0', vector)
  }
  expectValues(
    metrics.map(({ cvss_version: version }) => version),
    ['4.0', '3.1', '3.0', '2.0'],
  )
})

states('10.18', 'the base score as stated', () => {
  expectField(metrics, 'base_score', number)
  // What CNA and ADP state is given as they state it, every figure of it.
  for (const { cve_id: id, cvss } of details) {
    const record = upstream.get(id)!
    const stated = [record.containers.cna, ...(record.containers.adp ?? [])].flatMap((container) => {
      const metrics = (container?.metrics ?? []).flatMap((metric) =>
        Object.entries(metric).filter(([key]) => /^cvssV\d_\d$/.test(key)),
      )
      return [...new Set(metrics.map(([, { baseScore, vectorString }]) => `${baseScore} ${vectorString}`))]
    })
    const given = cvss.metrics.filter(({ source_type: type }) => type === 'cna' || type === 'adp')
    assert.equal(given.map((one) => `${one.base_score} ${one.vector_string}`).sort(), stated.sort(), id)
  }
})

states('10.19', 'the band in upper case', () => {
  expectField(metrics, 'base_severity', matching(/^(NONE|LOW|MEDIUM|HIGH|CRITICAL)$/))
  expectSeen(
    metrics.map(({ base_severity: severity }) => severity),
    ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'],
  )
})

states('10.20', 'the CVSS vector', () => {
  expectField(metrics, 'vector_string', matching(/^(CVSS:(4\.0|3\.[01])\/)?AV:[A-Z]\/.*[A-Z]:[A-Z]/))
})

states('10.21', 'the metric of the headline', () => {
  expectField(metrics, 'is_primary', boolean)
  for (const { cve_id: id, cvss, cvss_score: score } of details) {
    const primary = cvss.metrics.filter(({ is_primary }) => is_primary)
    assert.equal(
      primary.map(({ base_score }) => base_score),
      score === null ? [] : [score],
      id,
    )
  }
})

states('10.22', 'the time of the metric', () => {
  expectField(metrics, 'captured_at', timestamp)
  for (const { cve_id: id, cvss, date_updated: updated } of details) {
    for (const { source_type: type, captured_at: at, source_short_name: name, cvss_version: version } of cvss.metrics) {
      if (type === 'cna' || type === 'adp') assert.is(at, updated, id)
      if (type === 'svc') {
        const score = feeds.serviceScores.find((one) => one.cve_id === id && one.cvss_version === version)!
        assert.is(Date.parse(at), Date.parse(String(score.scored_at)), id)
      }
      if (type === 'advisory') {
        const advisory = feeds.advisories.find((one) => one.id === name)!
        assert.is(Date.parse(at), Date.parse(advisory.modified), id)
      }
    }
  }
})

states('10.23', 'the assessment of the service', () => {
  const shape = { base_score: number, base_severity: string, vector_string: string, rescore_timestamp: timestamp }
  const sections = details.map(({ cvss }) => cvss)
  expectField(sections, 'svc_assessment', nullable(object(shape)))
  for (const { cve_id: id, cvss } of details) {
    const { svc_assessment: assessment } = cvss
    if (!assessment) continue
    const line = feeds.serviceScores.find((one) => one.cve_id === id && one.vector_string === assessment.vector_string)!
    assert.is(Number(line.base_score ?? assessment.base_score), assessment.base_score)
    assert.is(Date.parse(assessment.rescore_timestamp), Date.parse(String(line.scored_at)))
    const first = cvss.metrics.find(({ source_type: type }) => type === 'svc')!
    assert.equal([first.base_score, first.base_severity], [assessment.base_score, assessment.base_severity])
  }
})

after(() => service.remove())
run()
