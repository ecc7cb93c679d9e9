/** gateway/API.md, section 8: each field of each record of the sample, against the feeds. */
import * as assert from 'uvu/assert'
import { contractSuite } from '../support/contract.ts'
import { cisaOf, cnaReferences, headlineOf, primaryCweOf, sameTag, ssvcOf } from '../support/expected.ts'
import {
  boolean,
  day,
  expectField,
  expectNullable,
  expectSeen,
  expectValues,
  fraction,
  listOf,
  matching,
  nullable,
  number,
  object,
  oneOf,
  string,
  timestamp,
} from '../support/field-types.ts'
import { REJECTED, RESERVED } from '../support/odd-records.ts'
import { allDetails, byKey, type Detail } from '../support/rows.ts'
import { type CveJson, sampleFeeds } from '../support/sample-feeds.ts'
import { sharedService } from '../support/service.ts'

const { states, after, run } = contractSuite('summary record')
const service = await sharedService()
const feeds = sampleFeeds(service.made)
const details = await allDetails(service)
const upstream = byKey(feeds.records, ({ cveMetadata }) => cveMetadata.cveId)
const weaknesses = byKey(await service.all<{ slug: string; name: string }>('/cwes'), ({ slug }) => slug)

/** Holds a field of every record against what its upstream record, and the other feeds, make it. */
function expectEach(name: keyof Detail, expected: (record: CveJson, detail: Detail) => unknown): void {
  for (const detail of details) {
    const record = upstream.get(detail.cve_id)!
    assert.equal(detail[name], expected(record, detail), `${name} of ${detail.cve_id}`)
  }
}

const moment = (text: string | undefined) => (text === undefined ? null : new Date(text).toISOString())

states('8.1', 'the id in upper case', async () => {
  expectField(details, 'cve_id', matching(/^CVE-\d{4}-\d{4,}$/))
  const served = feeds.records.filter(({ cveMetadata }) => cveMetadata.state !== 'REJECTED')
  assert.equal(details.map(({ cve_id }) => cve_id).sort(), served.map(({ cveMetadata }) => cveMetadata.cveId).sort())
  for (const { cve_id: id } of details.slice(0, 20)) {
    assert.is((await service.json<Detail>(`/cves/${id.toLowerCase()}`)).cve_id, id)
  }
})

states('8.2', 'two states; rejected records are absent', async () => {
  expectField(details, 'state', oneOf('PUBLISHED', 'RESERVED'))
  expectEach('state', ({ cveMetadata }) => cveMetadata.state)
  expectSeen(
    details.map(({ state }) => state),
    ['PUBLISHED', 'RESERVED'],
  )
  assert.is(byKey(details, ({ cve_id }) => cve_id).get(RESERVED)!.state, 'RESERVED')
  const rejected = feeds.records.filter(({ cveMetadata }) => cveMetadata.state === 'REJECTED')
  assert.ok(rejected.some(({ cveMetadata }) => cveMetadata.cveId === REJECTED))
  for (const { cveMetadata } of rejected) {
    assert.is((await service.ask(`/cves/${cveMetadata.cveId}`)).status, 404, cveMetadata.cveId)
    assert.not.ok(details.some(({ cve_id: id }) => id === cveMetadata.cveId))
  }
})

states('8.3', 'the title of the CNA or a derived one', () => {
  expectNullable(details, 'title', string)
  let [provided, derived] = [0, 0]
  expectEach('title', ({ containers: { cna } }, { description, primary_cwe_id: cwe }) => {
    if (cna?.title) {
      provided++
      return cna.title
    }
    derived++
    const { vendor, product } = (cna?.affected?.[0] ?? {}) as { vendor?: string; product?: string }
    const isRepeated = vendor && product && `${product.toLowerCase()} `.startsWith(`${vendor.toLowerCase()} `)
    const names = [isRepeated ? '' : vendor, product].filter((name) => name && name !== 'n/a').join(' ')
    const weakness = (cwe && weaknesses.get(cwe)?.name) ?? ''
    return [names, weakness].filter(Boolean).join(': ') || (description && beginningOf(description))
  })
  assert.ok(provided > 100 && derived > 100)
})

/** The first sentence, in 120 characters. */
function beginningOf(text: string): string {
  const [sentence = ''] = text.split(/(?<=\.)(?<!\b(?:Inc|Ltd|Corp|Co)\.)\s/)
  return sentence.length <= 120 ? sentence : sentence.slice(0, 121).replace(/\s+\S*$/, '')
}

states('8.4', 'the description of the CNA', () => {
  expectNullable(details, 'description', string)
  expectEach('description', ({ containers: { cna } }) => {
    const texts = cna?.descriptions ?? []
    return (texts.find(({ lang }) => /^en/.test(lang)) ?? texts[0])?.value ?? null
  })
})

const HEADLINE_SOURCES = ['svc_metrics', 'cna', 'CISA-ADP', 'nvd', 'advisory', null]

states('8.5', 'the band of the headline score', () => {
  expectNullable(details, 'severity', string)
  expectValues(
    details.map(({ severity }) => severity),
    ['critical', 'high', 'medium', 'low', 'none', null],
  )
  expectEach('severity', (record) => headlineOf(record, feeds).severity)
})

states('8.6', 'the score behind the severity', () => {
  expectNullable(details, 'cvss_score', number)
  expectEach('cvss_score', (record) => headlineOf(record, feeds).cvss_score)
  for (const { cvss, cvss_score: score, severity } of details) {
    assert.is(cvss.metrics.find(({ is_primary }) => is_primary)?.base_score ?? null, score)
    assert.is(score === null, severity === null)
  }
})

states('8.7', 'the source of the headline score', () => {
  expectNullable(details, 'cvss_score_source', string)
  expectEach('cvss_score_source', (record) => headlineOf(record, feeds).cvss_score_source)
  expectValues(
    details.map(({ cvss_score_source: source }) => source),
    HEADLINE_SOURCES,
  )
})

states('8.8', 'the time of publication', () => {
  expectNullable(details, 'date_published', timestamp)
  expectEach('date_published', ({ cveMetadata }) => moment(cveMetadata.datePublished))
})

states('8.9', 'the time of the last update', () => {
  expectNullable(details, 'date_updated', timestamp)
  expectEach('date_updated', ({ cveMetadata }) => moment(cveMetadata.dateUpdated))
})

states('8.10', 'the CNA that assigned the id', () => {
  expectField(details, 'assigner', nullable(string))
  expectEach('assigner', ({ cveMetadata }) => cveMetadata.assignerShortName ?? null)
  assert.ok(new Set(details.map(({ assigner }) => assigner)).size > 20)
})

states('8.11', 'listed or not, and since when', () => {
  expectField(details, 'kev', object({ listed: boolean, date_added: nullable(day) }))
  expectEach('kev', ({ cveMetadata: { cveId } }) => {
    const added = feeds.kev.get(cveId) ?? null
    return { listed: added !== null, date_added: added }
  })
  expectValues(
    details.map(({ kev }) => kev.listed),
    [true, false],
  )
})

states('8.12', 'three points and a decision, or null', () => {
  const shape = object({
    exploitation: oneOf('none', 'poc', 'active', null),
    automatable: oneOf('yes', 'no', null),
    technical_impact: oneOf('partial', 'total', null),
    decision: oneOf('track', 'track*', 'attend', 'act', null),
  })
  expectField(details, 'ssvc', shape)
  expectEach('ssvc', ssvcOf)
  const seen = details.map(({ ssvc }) => ssvc)
  const of = <K extends keyof Detail['ssvc']>(point: K) => seen.map((one) => one[point])
  expectValues(of('exploitation'), ['none', 'poc', 'active', null])
  expectValues(of('automatable'), ['yes', 'no', null])
  expectValues(of('technical_impact'), ['partial', 'total', null])
  expectValues(of('decision'), ['track', 'track*', 'attend', 'act', null])
})

states('8.13', 'score, percentile and day', () => {
  const scored = { score: fraction, percentile: fraction, date: day }
  const unscored = { score: oneOf(null), percentile: oneOf(null), date: oneOf(null) }
  expectField(details, 'epss', (value) => object(scored)(value) || object(unscored)(value))
  expectEach('epss', ({ cveMetadata: { cveId } }) => {
    const found = feeds.epss.scores.get(cveId)
    return found ? { ...found, date: feeds.epss.date } : { score: null, percentile: null, date: null }
  })
  expectSeen(
    details.map(({ epss }) => epss.date),
    [feeds.epss.date, null],
  )
})

states('8.14', 'a fixed version or a patch is known', () => {
  expectField(details, 'has_patch', boolean)
  expectEach('has_patch', (_, { affected, references }) => {
    const claims = affected.filter(({ source }) => source !== 'svc_analysis')
    const fixed = claims.flatMap(({ affected_ranges: ranges }) => ranges ?? []).some((range) => range.fixed !== null)
    const patched = claims.some(({ patched_versions: versions }) => versions !== null && versions.length > 0)
    return fixed || patched || references.some(({ tags }) => sameTag(tags, 'patch'))
  })
  expectSeen(flags('has_patch'), [true, false])
})

const flags = (name: 'has_patch' | 'has_workaround' | 'has_exploit' | 'has_detection') =>
  details.map((detail) => detail[name])
const nvdReferences = (id: string) => feeds.nvd.get(id)?.references ?? []

states('8.15', 'a workaround is documented', () => {
  expectField(details, 'has_workaround', boolean)
  expectEach('has_workaround', (record) => {
    const references = [...cnaReferences(record), ...nvdReferences(record.cveMetadata.cveId)]
    return (
      (record.containers.cna?.workarounds ?? []).length > 0 ||
      references.some(({ tags }) => sameTag(tags, 'mitigation'))
    )
  })
  expectSeen(flags('has_workaround'), [true, false])
})

states('8.16', 'code or exploitation is known', () => {
  expectField(details, 'has_exploit', boolean)
  const archived = feeds.archive.flatMap(({ codes = '' }) => codes.split(';'))
  const packed = feeds.framework.flatMap(({ references }) => references as string[])
  const published = new Set([...archived, ...packed, ...feeds.searched])
  expectEach('has_exploit', (record) => {
    const id = record.cveMetadata.cveId
    const references = [...cnaReferences(record), ...(cisaOf(record)?.references ?? []), ...nvdReferences(id)]
    const assessed = ['poc', 'active'].includes(ssvcOf(record).exploitation ?? '')
    return feeds.kev.has(id) || assessed || published.has(id) || references.some(({ tags }) => sameTag(tags, 'exploit'))
  })
  expectSeen(flags('has_exploit'), [true, false])
})

const detectedIn = (id: string): string[] => {
  const rules = feeds.detections.filter(({ cve_id, cve_ids }) => [cve_id, cve_ids].flat().includes(id))
  const layers = rules.map(({ layer }) => String(layer))
  return feeds.templates.some(({ ID }) => ID === id) ? [...layers, 'scanner'] : layers
}

states('8.17', 'detection content exists', () => {
  expectField(details, 'has_detection', boolean)
  expectEach('has_detection', ({ cveMetadata }) => detectedIn(cveMetadata.cveId).length > 0)
  expectSeen(flags('has_detection'), [true, false])
})

states('8.18', 'the layers of the detection content', () => {
  expectField(details, 'detection_layers', listOf(string))
  for (const { cve_id: id, detection_layers: layers } of details) {
    assert.equal(layers.toSorted(), [...new Set(detectedIn(id))].sort(), id)
  }
  expectSeen(
    details.flatMap(({ detection_layers: layers }) => layers),
    ['network_ids', 'file_yara', 'scanner', 'siem'],
  )
  assert.ok(details.some(({ detection_layers: layers }) => layers.length === 0))
})

states('8.19', 'the primary weakness in lower case', () => {
  expectNullable(details, 'primary_cwe_id', matching(/^cwe-[1-9]\d*$/))
  expectEach('primary_cwe_id', (record) => primaryCweOf(record, feeds, (slug) => weaknesses.has(slug)))
})

after(() => service.remove())
run()
