/** gateway/API.md, section 8: each field of each record of the sample, against the feeds. */
import * as assert from 'uvu/assert'
import { REJECTED, RESERVED } from '../../support/odd-records.ts'
import { contractSuite } from '../support/contract.ts'
import { cisaOf, cnaReferences, headlineOf, primaryCweOf, sameTag, ssvcOf } from '../support/expected.ts'
import {
  boolean,
  day,
  expectField,
  expectSeen,
  expectValues,
  fraction,
  type Is,
  listOf,
  matching,
  nullable,
  number,
  object,
  oneOf,
  string,
  timestamp,
} from '../support/field-types.ts'
import { allDetails, byKey, type Detail } from '../support/rows.ts'
import { type CveJson, sampleFeeds } from '../support/sample-feeds.ts'
import { sharedService } from '../support/service.ts'

const { states, after, run } = contractSuite('summary record')
const service = await sharedService()
const feeds = sampleFeeds(service.made)
const details = await allDetails(service)
const upstream = byKey(feeds.records, ({ cveMetadata }) => cveMetadata.cveId)
const weaknesses = byKey(await service.all<{ slug: string; name: string }>('/cwes'), ({ slug }) => slug)

const moment = (text: string | undefined) => (text === undefined ? null : new Date(text).toISOString())

/** The title of the CNA, else one of product and weakness, or of the description. */
function titleOf({ containers: { cna } }: CveJson, { description, primary_cwe_id: cwe }: Detail): string | null {
  if (cna?.title) return cna.title.trim()
  const { vendor, product } = (cna?.affected?.[0] ?? {}) as { vendor?: string; product?: string }
  const isRepeated = vendor && product && `${product.toLowerCase()} `.startsWith(`${vendor.toLowerCase()} `)
  const weakness = cwe && weaknesses.get(cwe)?.name
  const isKnown = [vendor, product].every((name) => name && name !== 'n/a') && weakness
  if (isKnown) return `${isRepeated ? '' : `${vendor} `}${product}: ${weakness}`
  return description && beginningOf(description)
}

/** The first sentence, in 160 characters. */
function beginningOf(text: string): string {
  const [sentence = ''] = text.split(/(?<=\.)(?<!\b(?:Inc|Ltd|Corp|Co)\.)\s/)
  return sentence.length <= 160 ? sentence : sentence.slice(0, 161).replace(/\s+\S*$/, '')
}

const nvdReferences = (id: string) => feeds.nvd.get(id)?.references ?? []
const published = new Set([
  ...feeds.archive.flatMap(({ codes = '' }) => codes.split(';')),
  ...feeds.framework.flatMap(({ references }) => references as string[]),
  ...feeds.searched,
])

function hasPatch(_: CveJson, { affected: claims, references }: Detail): boolean {
  const fixed = claims.flatMap(({ affected_ranges: ranges }) => ranges ?? []).some((range) => range.fixed !== null)
  const patched = claims.some(({ patched_versions: versions }) => versions !== null && versions.length > 0)
  return fixed || patched || references.some(({ tags }) => sameTag(tags, 'patch'))
}

function hasWorkaround(record: CveJson): boolean {
  const references = [...cnaReferences(record), ...nvdReferences(record.cveMetadata.cveId)]
  const stated = (record.containers.cna?.workarounds ?? []).length > 0
  return stated || references.some(({ tags }) => sameTag(tags, 'mitigation'))
}

function hasExploit(record: CveJson): boolean {
  const id = record.cveMetadata.cveId
  const references = [...cnaReferences(record), ...(cisaOf(record)?.references ?? []), ...nvdReferences(id)]
  const assessed = ['poc', 'active'].includes(ssvcOf(record).exploitation ?? '')
  return feeds.kev.has(id) || assessed || published.has(id) || references.some(({ tags }) => sameTag(tags, 'exploit'))
}

const detectedIn = (id: string): string[] => {
  const rules = feeds.detections.filter(({ cve_id, cve_ids }) => [cve_id, cve_ids].flat().includes(id))
  const layers = rules.map(({ layer }) => String(layer))
  return feeds.templates.some(({ ID }) => ID === id) ? [...layers, 'scanner'] : layers
}

type Field = [is: Is, expected: (record: CveJson, detail: Detail) => unknown, seen: unknown[]]

/** Each field: its type, what the upstream record and the other feeds make it, and values that it has. */
const FIELDS: Partial<Record<keyof Detail, Field>> = {
  state: [string, ({ cveMetadata }) => cveMetadata.state, ['PUBLISHED', 'RESERVED']],
  title: [nullable(string), titleOf, [null]],
  description: [
    nullable(string),
    ({ containers: { cna } }) => {
      const texts = cna?.descriptions ?? []
      return (texts.find(({ lang }) => /^en/.test(lang)) ?? texts[0])?.value ?? null
    },
    [null],
  ],
  severity: [
    nullable(string),
    (record) => headlineOf(record, feeds).severity,
    ['critical', 'high', 'medium', 'low', 'none', null],
  ],
  cvss_score: [nullable(number), (record) => headlineOf(record, feeds).cvss_score, [null]],
  cvss_score_source: [
    nullable(oneOf('svc_metrics', 'cna', 'CISA-ADP', 'tidewater-SADP', 'nvd', 'advisory')),
    (record) => headlineOf(record, feeds).cvss_score_source,
    ['svc_metrics', 'cna', 'CISA-ADP', 'tidewater-SADP', 'nvd', 'advisory', null],
  ],
  date_published: [nullable(timestamp), ({ cveMetadata }) => moment(cveMetadata.datePublished), [null]],
  date_updated: [nullable(timestamp), ({ cveMetadata }) => moment(cveMetadata.dateUpdated), [null]],
  assigner: [nullable(string), ({ cveMetadata }) => cveMetadata.assignerShortName ?? null, []],
  kev: [
    object({ listed: boolean, date_added: nullable(day) }),
    ({ cveMetadata: { cveId } }) => {
      const added = feeds.kev.get(cveId) ?? null
      return { listed: added !== null, date_added: added }
    },
    [],
  ],
  has_patch: [boolean, hasPatch, [true, false]],
  has_workaround: [boolean, hasWorkaround, [true, false]],
  has_exploit: [boolean, hasExploit, [true, false]],
  has_detection: [boolean, ({ cveMetadata }) => detectedIn(cveMetadata.cveId).length > 0, [true, false]],
  primary_cwe_id: [
    nullable(matching(/^cwe-[1-9]\d*$/)),
    (record) => primaryCweOf(record, feeds, (slug) => weaknesses.has(slug)),
    [null],
  ],
}

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
  assert.is(byKey(details, ({ cve_id }) => cve_id).get(RESERVED)!.state, 'RESERVED')
  const rejected = feeds.records.filter(({ cveMetadata }) => cveMetadata.state === 'REJECTED')
  assert.ok(rejected.some(({ cveMetadata }) => cveMetadata.cveId === REJECTED))
  for (const { cveMetadata } of rejected) {
    assert.is((await service.ask(`/cves/${cveMetadata.cveId}`)).status, 404, cveMetadata.cveId)
    assert.not.ok(details.some(({ cve_id: id }) => id === cveMetadata.cveId))
  }
})

states(
  '8.3, 8.4, 8.5, 8.6, 8.7, 8.8, 8.9, 8.10, 8.11, 8.14, 8.15, 8.16, 8.17, 8.19, 8.20',
  'each field, as the feeds make it',
  () => {
    for (const [name, [is, expected, seen]] of Object.entries(FIELDS) as [keyof Detail, Field][]) {
      expectField(details, name, is)
      for (const detail of details) {
        assert.equal(detail[name], expected(upstream.get(detail.cve_id)!, detail), `${name} of ${detail.cve_id}`)
      }
      const values = details.map((detail) => detail[name])
      expectSeen(values, seen)
      assert.ok(new Set(values).size > 1, name)
    }
    const stated = details.filter(({ cve_id: id }) => upstream.get(id)!.containers.cna?.title).length
    assert.ok(stated > 100 && details.length - stated > 100, 'titles of CNAs, and derived ones')
    assert.is(new Set(details.map(({ kev }) => kev.listed)).size, 2)
    for (const { cvss, cvss_score: score, severity } of details) {
      assert.is(cvss.metrics.find(({ is_primary }) => is_primary)?.base_score ?? null, score)
      assert.is(score === null, severity === null)
    }
  },
)

states('8.12', 'three points and a decision, or null', () => {
  const POINTS = {
    exploitation: ['none', 'poc', 'active', null],
    automatable: ['yes', 'no', null],
    technical_impact: ['partial', 'total', null],
    decision: ['track', 'track*', 'attend', 'act', null],
  } as const
  for (const [point, values] of Object.entries(POINTS)) {
    expectValues(
      details.map(({ ssvc }) => ssvc[point as keyof typeof POINTS]),
      values,
    )
  }
  for (const { cve_id: id, ssvc } of details) assert.equal(ssvc, ssvcOf(upstream.get(id)!), id)
})

states('8.13', 'score, percentile and day', () => {
  const scored = object({ score: fraction, percentile: fraction, date: day })
  const unscored = { score: null, percentile: null, date: null }
  for (const { cve_id: id, epss } of details) {
    const found = feeds.epss.scores.get(id)
    assert.equal(epss, found ? { ...found, date: feeds.epss.date } : unscored, id)
    if (found) assert.ok(scored(epss), id)
  }
  expectSeen(
    details.map(({ epss }) => epss.date),
    [feeds.epss.date, null],
  )
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

after(() => service.remove())
run()
