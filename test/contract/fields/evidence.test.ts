/** gateway/API.md, section 13: every item of every CVE, against the feeds that show it. */
import * as assert from 'uvu/assert'
import type { EvidenceItem } from '../../../corpus/model/record.ts'
import { contractSuite } from '../support/contract.ts'
import { cnaReferences, sameTag, ssvcOf } from '../support/expected.ts'
import {
  expectField,
  expectNullable,
  expectSeen,
  expectValues,
  integer,
  matching,
  nullable,
  oneOf,
  string,
  timestamp,
} from '../support/field-types.ts'
import { allDetails, byKey } from '../support/rows.ts'
import { sampleFeeds } from '../support/sample-feeds.ts'
import { sharedService } from '../support/service.ts'

const { states, after, run } = contractSuite('evidence item')
const service = await sharedService()
const feeds = sampleFeeds(service.made)
const details = await allDetails(service)
const upstream = byKey(feeds.records, ({ cveMetadata }) => cveMetadata.cveId)
const items = details.flatMap(({ evidence }) => evidence)
const of = (name: keyof EvidenceItem, value: unknown) => items.filter((item) => item[name] === value)

states('13.5', 'three types', () => {
  expectField(items, 'type', oneOf('exploitation', 'detection', 'mitigation'))
  expectValues(
    items.map(({ type }) => type),
    ['exploitation', 'detection', 'mitigation'],
  )
  for (const { cve_id: id, evidence, has_exploit, has_detection } of details) {
    assert.is(
      evidence.some(({ type }) => type === 'exploitation'),
      has_exploit,
      id,
    )
    assert.is(
      evidence.some(({ type }) => type === 'detection'),
      has_detection,
      id,
    )
  }
})

/** How often each feed shows a CVE, by the source that its evidence has. */
function shownBy(id: string): Record<string, number> {
  const record = upstream.get(id)!
  const rows = feeds.archive.filter(({ codes = '' }) => codes.split(';').includes(id))
  const modules = feeds.framework.filter(({ references }) => (references as string[]).includes(id))
  const cited = new Set(cnaReferences(record).flatMap(({ url, tags }) => (sameTag(tags, 'exploit') ? url : [])))
  return {
    agency_kev: feeds.kev.has(id) ? 1 : 0,
    agency_adp: ['poc', 'active'].includes(ssvcOf(record).exploitation ?? '') ? 1 : 0,
    exploit_archive: rows.length,
    exploit_framework: modules.length,
    template_scanner: feeds.templates.filter(({ ID }) => ID === id).length,
    cna: cited.size,
  }
}

states('13.6', 'the feed of the item', () => {
  expectField(items, 'source', matching(/^[a-z_]+$/))
  const sources = items.map(({ source }) => source)
  expectSeen(sources, ['agency_kev', 'agency_adp', 'exploit_archive', 'exploit_framework', 'template_scanner'])
  expectSeen(sources, ['nvd', 'osv', 'git_ref', 'code_host_poc_search', 'supplier_adp'])
  for (const { cve_id: id, evidence } of details) {
    for (const [source, times] of Object.entries(shownBy(id))) {
      const own = evidence.filter((item) => item.source === source && item.type !== 'mitigation')
      assert.is(own.length, times, `${source} on ${id}`)
    }
    const found = evidence.some(({ source }) => source === 'code_host_poc_search')
    assert.is(found, feeds.searched.includes(id), id)
  }
})

states('13.7', 'what the feed shows', () => {
  expectField(items, 'evidence_type', matching(/^[a-z_]+$/))
  const types = items.map(({ evidence_type: type }) => type)
  expectSeen(types, ['kev_listed', 'weaponized_exploit', 'poc_public', 'ssvc_active'])
  expectSeen(types, ['detection_template', 'fixed_version', 'fix_commit'])
  const family: Record<string, EvidenceItem['type']> = {
    kev_listed: 'exploitation',
    weaponized_exploit: 'exploitation',
    poc_public: 'exploitation',
    ssvc_active: 'exploitation',
    detection_template: 'detection',
    detection_rule: 'detection',
    fixed_version: 'mitigation',
    fix_commit: 'mitigation',
  }
  for (const { evidence_type: type, type: given } of items) assert.is(given, family[type], type)
  for (const { cve_id: id, evidence } of details) {
    const weapons = feeds.framework.filter(
      ({ references, type }) => type === 'exploit' && (references as string[]).includes(id),
    )
    const own = evidence.filter(({ evidence_type: type }) => type === 'weaponized_exploit')
    assert.is(own.length, weapons.length, id)
    const active = ssvcOf(upstream.get(id)!).exploitation === 'active'
    assert.is(
      evidence.some(({ evidence_type: type }) => type === 'ssvc_active'),
      active,
      id,
    )
  }
})

states('13.8', 'four grades of confidence', () => {
  expectField(items, 'confidence', oneOf('confirmed', 'high', 'medium', 'low', null))
  expectSeen(
    items.map(({ confidence }) => confidence),
    ['confirmed', 'high', 'medium', 'low'],
  )
  const only = (name: keyof EvidenceItem, value: string, ...expected: string[]) =>
    expectValues(
      of(name, value).map(({ confidence }) => confidence),
      expected,
    )
  only('evidence_type', 'kev_listed', 'confirmed')
  only('evidence_type', 'ssvc_active', 'confirmed')
  only('source', 'exploit_framework', 'high')
  only('source', 'exploit_archive', 'high', 'medium')
  only('source', 'template_scanner', 'high')
  only('source', 'code_host_poc_search', 'low')
})

states('13.9', 'a link to the evidence', () => {
  expectNullable(items, 'evidence_url', matching(/^https?:\/\/\S+$/))
  for (const { cve_id: id, evidence, exploits, references } of details) {
    const urls = (source: string) =>
      evidence.flatMap((item) => (item.source === source ? (item.evidence_url ?? []) : [])).sort()
    for (const url of urls('agency_kev')) assert.ok(url.includes(id), url)
    for (const source of ['exploit_archive', 'exploit_framework']) {
      const modules = exploits.filter((module) => module.source === source)
      assert.equal(urls(source), modules.flatMap(({ source_url: url }) => url ?? []).sort(), `${source} of ${id}`)
    }
    for (const source of ['git_ref', 'cna']) {
      for (const url of urls(source)) {
        assert.ok(
          references.some((reference) => reference.url === url),
          url,
        )
      }
    }
  }
})

states('13.10', 'a rank for exploitation only', () => {
  expectNullable(items, 'maturity_rank', integer)
  for (const { type, maturity_rank: rank } of items) assert.is(rank !== null, type === 'exploitation')
  const rankOf = (type: string) => of('evidence_type', type)[0]!.maturity_rank!
  assert.ok(rankOf('poc_public') < rankOf('weaponized_exploit') && rankOf('weaponized_exploit') < rankOf('kev_listed'))
})

states('13.11', 'details of a mitigation', () => {
  for (const name of ['fixed_version', 'ecosystem', 'product'] as const) {
    expectNullable(items, name, string)
    for (const item of items) if (item.type !== 'mitigation') assert.is(item[name], null, item.evidence_type)
  }
  for (const { cve_id: id, evidence, affected } of details) {
    const fixes = evidence.filter(({ evidence_type: type }) => type === 'fixed_version')
    for (const { fixed_version: version, product, ecosystem } of fixes) {
      const states = affected.some(
        (entry) =>
          (entry.product ?? entry.package_name) === product &&
          entry.ecosystem === ecosystem &&
          (entry.patched_versions?.includes(version!) || entry.affected_ranges?.some(({ fixed }) => fixed === version)),
      )
      assert.ok(states, `${version} of ${product} on ${id}`)
    }
  }
})

states('13.12', 'a text about the item', () => {
  expectNullable(items, 'explanation', matching(/\S/))
  for (const { source, explanation } of of('evidence_type', 'kev_listed')) {
    assert.ok(explanation !== null, source)
  }
  const names = new Set(feeds.framework.map(({ name }) => name))
  for (const { explanation } of of('source', 'exploit_framework')) assert.ok(names.has(explanation), explanation ?? '')
})

states('13.13', 'first and last time', () => {
  for (const name of ['first_seen', 'last_seen']) expectNullable(items, name, nullable(timestamp))
  for (const { first_seen: first, last_seen: last, source } of items) {
    if (first !== null && last !== null) assert.ok(first <= last, `${source}: ${first} to ${last}`)
  }
  for (const { cve_id: id, evidence, kev, exploits } of details) {
    for (const { source, first_seen: first, evidence_url: url } of evidence) {
      if (source === 'agency_kev') assert.is(first, `${kev.date_added}T00:00:00.000Z`, id)
      if (!source.startsWith('exploit_')) continue
      const date = exploits.find((module) => module.source_url === url)?.date_published
      assert.is(first, date ? `${date}T00:00:00.000Z` : null, url ?? id)
    }
  }
})

const ranksOf = (type: string) => new Set(of('evidence_type', type).map((item) => item.maturity_rank))

states('13.14', 'proof of concept, then weaponized, then KEV', () => {
  const [[poc], [weaponized], [kev]] = [ranksOf('poc_public'), ranksOf('weaponized_exploit'), ranksOf('kev_listed')]
  assert.ok(typeof poc === 'number' && typeof weaponized === 'number' && typeof kev === 'number')
  assert.ok(poc < weaponized && weaponized < kev, `${poc}, ${weaponized}, ${kev}`)
  assert.is(ranksOf('weaponized_exploit').size, 1)
})

states('13.15', 'exploited CVEs have the highest ranks', () => {
  const exploiting = details.map(({ cve_id: id, evidence }) => ({
    id,
    list: evidence.filter(({ type }) => type === 'exploitation'),
  }))
  const best = (list: readonly EvidenceItem[]) => Math.max(...list.map((item) => item.maturity_rank!))
  const active = exploiting.filter(({ id }) => feeds.kev.has(id))
  const others = exploiting.filter(
    ({ list }) => list.length > 0 && !list.some((item) => /kev_listed|ssvc_active/.test(item.evidence_type)),
  )
  assert.ok(active.length > 2 && others.length > 20)
  const least = Math.min(...active.map(({ list }) => best(list)))
  for (const { id, list } of others) assert.ok(best(list) < least, id)
})

states('13.16', 'the rank of a proof of concept', () => assert.equal([...ranksOf('poc_public')], [40]))
states('13.17', 'the rank of a KEV listing', () => assert.equal([...ranksOf('kev_listed')], [80]))
states('13.18', 'the rank of active exploitation', () => assert.equal([...ranksOf('ssvc_active')], [80]))

after(() => service.remove())
run()
