/** gateway/API.md, section 14: every entry of every CVE, against the feeds of both nights. */
import * as assert from 'uvu/assert'
import type { TimelineEntry } from '../../../corpus/model/record.ts'
import { contractSuite } from '../support/contract.ts'
import { advisoriesOf, ssvcOf } from '../support/expected.ts'
import {
  expectField,
  expectSeen,
  integer,
  matching,
  nullable,
  object,
  string,
  timestamp,
} from '../support/field-types.ts'
import { aboutEach, allDetails, byKey } from '../support/rows.ts'
import { sampleFeeds } from '../support/sample-feeds.ts'
import { sharedService } from '../support/service.ts'

const { states, after, run } = contractSuite('timeline')
const service = await sharedService()
const feeds = sampleFeeds(service.made)
const details = await allDetails(service)
const upstream = byKey(feeds.records, ({ cveMetadata }) => cveMetadata.cveId)
const entries = details.flatMap(({ timeline }) => timeline)
const messages = entries.flatMap((entry) => entry.messages)
const versions = new Map(
  service.corpus
    .blocks()
    .flatMap(({ block }) =>
      Array.from(service.corpus.records(block), ({ cveId, version }): [string, number] => [cveId, version]),
    ),
)

const entryOf = (timeline: readonly TimelineEntry[], category: string) =>
  timeline.findLast((entry) => entry.category === category)

states('14.7', 'a title for people', () => {
  expectField(entries, 'title', matching(/^[A-Z]\S*( \S+)+$/))
  for (const { state, timeline, kev } of details) {
    assert.is(entryOf(timeline, 'publication')?.title, state === 'PUBLISHED' ? 'CVE published' : undefined)
    if (kev.listed) assert.is(entryOf(timeline, 'kev')?.title, 'Added to the KEV catalogue')
  }
  assert.ok(new Set(entries.map(({ title }) => title)).size > 15)
})

states('14.8', 'the category of the change', () => {
  expectField(entries, 'category', nullable(string))
  const seen = entries.map(({ category }) => category)
  expectSeen(seen, ['publication', 'kev', 'ssvc', 'references', 'affected_versions', 'nvd', 'advisory'])
  expectSeen(seen, ['svc_report', 'svc_metrics_analysis'])
  for (const { cve_id: id, timeline, kev, kev_detail, cvss } of details) {
    const has = (category: string) => entryOf(timeline, category) !== undefined
    // Changes of other catalogs have this category too.
    assert.ok(kev.listed ? has('kev') : !has('kev') || kev_detail.catalogs.length > 0, id)
    assert.is(has('ssvc'), ssvcOf(upstream.get(id)!).exploitation !== null, id)
    assert.is(has('nvd'), feeds.nvd.has(id), id)
    assert.is(has('svc_metrics_analysis'), cvss.svc_assessment !== null, id)
    if (advisoriesOf(id, feeds).length > 0) assert.ok(has('advisory'), id)
  }
})

/** Categories that only feeds beside the CVE list bring. */
const ENRICHMENT = ['kev', 'nvd', 'advisory', 'exploits', 'evidence', 'svc_report', 'svc_metrics_analysis']

states('14.9', 'versions before and after', () => {
  expectField(entries, 'version_from', integer)
  expectField(entries, 'version_to', integer)
  const before = feeds.recordTexts(service.made.nights[0]!)
  const now = feeds.recordTexts(service.made.nights[1]!)
  let [spanning, enriching] = [0, 0]
  for (const { cve_id: id, timeline } of details) {
    for (const { version_from: from, version_to: to, category } of timeline) {
      assert.ok(from >= 1 && from <= to && to <= versions.get(id)!, id)
      // A first version spans no other. Later ones are of the second night.
      if (to === 1) continue
      assert.ok(from === to || from === to - 1, `${category} of ${id}`)
      // Where the record did change as well, what moved a headline or named a reference may still be another feed.
      const isEnrichment = before.get(id) === now.get(id) || ENRICHMENT.includes(category ?? '')
      if (isEnrichment) assert.is(from, to, `${category} of ${id}`)
      if (from === to) enriching++
      else spanning++
    }
  }
  assert.ok(spanning >= 5 && enriching >= 20, `${spanning} and ${enriching}`)
})

states('14.10', 'the time of the change', () => {
  expectField(entries, 'changed_at', nullable(timestamp))
  for (const { cve_id: id, timeline, date_published: published, kev } of details) {
    assert.is(entryOf(timeline, 'publication')?.changed_at ?? null, published, id)
    if (kev.listed) assert.is(entryOf(timeline, 'kev')?.changed_at, `${kev.date_added}T00:00:00.000Z`, id)
    for (const { version_to: version, changed_at: at } of timeline) {
      if (version > 1) assert.is(at?.slice(0, 10), service.made.nights[1], id)
    }
  }
})

const COUNTS = { added_count: 'add', modified_count: 'modify', removed_count: 'remove' } as const

states('14.11', 'numbers of changed fields', () => {
  for (const [name, operation] of Object.entries(COUNTS) as [keyof typeof COUNTS, string][]) {
    expectField(entries, name, integer)
    assert.ok(entries.some((entry) => entry[name] > 1))
    for (const entry of entries) {
      const shown = entry.messages.filter((message) => message.operation === operation).length
      assert.is(entry[name], shown, `${name} of ${entry.title}`)
    }
  }
  assert.ok(entries.every((entry) => entry.added_count + entry.modified_count + entry.removed_count > 0))
})

states('14.12', 'no messages when switched off', async () => {
  assert.ok(entries.every((entry) => entry.messages.length > 1))
  const titles = await aboutEach(details, ({ cve_id: id }) =>
    service.json<{ timeline: Partial<TimelineEntry>[] }>(`/cves/${id}/timeline?messages=false`),
  )
  for (const [i, { timeline }] of titles.entries()) {
    assert.ok(timeline.every((entry) => (entry.messages ?? []).length === 0))
    assert.equal(
      timeline.map((entry) => ({ ...entry, messages: null })),
      details[i]!.timeline.map((entry) => ({ ...entry, messages: null })),
    )
  }
})

states('14.13', 'fields of a message', () => {
  const shape = object({
    summary: matching(/./),
    category: string,
    provider: string,
    json_path: matching(/^\$/),
    old_value: nullable(string),
    new_value: nullable(string),
    operation: string,
    change_type: matching(/^[A-Z_]+$/),
  })
  for (const message of messages) assert.ok(shape(message), JSON.stringify(message))
  expectSeen(
    messages.map(({ operation }) => operation),
    ['group_header', 'add', 'modify', 'remove'],
  )
  expectSeen(
    messages.map(({ change_type: type }) => type),
    ['NVD_GROUP', 'CWE_MODIFIED', 'NVD_MODIFIED', 'SVC_GROUP', 'SVC_METRICS_ANALYSIS'],
  )
})

states('14.14', 'values before and after', () => {
  const modified = messages.filter(({ operation }) => operation === 'modify')
  assert.ok(modified.length > 20)
  for (const { old_value: old, new_value: now, json_path: path } of modified) {
    assert.ok(old !== null && now !== null && old !== now, path)
  }
  // What a field of the record became is what it is now.
  let compared = 0
  for (const detail of details) {
    const now: Record<string, unknown> = {
      '$.title': detail.title,
      '$.severity': detail.severity,
      '$.cvss_score': detail.cvss_score,
      '$.cvss_score_source': detail.cvss_score_source,
      '$.kev.listed': detail.kev.listed,
      '$.ssvc.exploitation': detail.ssvc.exploitation,
      '$.ssvc.decision': detail.ssvc.decision,
    }
    for (const { json_path: path, new_value: value } of detail.timeline.flatMap((entry) => entry.messages)) {
      if (!Object.hasOwn(now, path)) continue
      compared++
      assert.is(value, String(now[path]), `${path} of ${detail.cve_id}`)
    }
  }
  assert.ok(compared > 20)
  // And what it was is what the night before said.
  const before = feeds.recordTexts(service.made.nights[0]!)
  const assessed = details.filter(({ timeline }) =>
    timeline.some((entry) => entry.messages.some(({ json_path: path }) => path === '$.ssvc.exploitation')),
  )
  assert.ok(assessed.length > 2)
  for (const { cve_id: id, timeline } of assessed) {
    const message = timeline[0]!.messages
      .concat(timeline[1]!.messages)
      .find(({ json_path: path }) => path === '$.ssvc.exploitation')
    assert.is(message?.old_value, ssvcOf(JSON.parse(before.get(id)!)).exploitation, id)
  }
})

states('14.15', 'the header has no values', () => {
  const headers = messages.filter(({ operation }) => operation === 'group_header')
  assert.is(headers.length, entries.length)
  for (const header of headers) assert.equal([header.old_value, header.new_value], [null, null])
  // And nothing but a header has both null.
  for (const message of messages.filter((one) => !headers.includes(one))) {
    assert.ok(message.old_value !== null || message.new_value !== null)
  }
})

states('14.16', 'messages of its own title only', () => {
  let sharing = 0
  for (const { cve_id: id, timeline } of details) {
    const bumps = Map.groupBy(timeline, ({ version_to: version }) => version)
    for (const [version, together] of bumps) {
      if (version > 1 && together.length > 1) sharing++
      const said = together.flatMap((entry) =>
        entry.messages.slice(1).map((one) => `${one.summary} ${one.json_path} ${one.old_value} ${one.new_value}`),
      )
      if (version > 1) assert.is(new Set(said).size, said.length, `${id} says something under two titles`)
    }
    for (const entry of timeline) {
      const [header, ...rest] = entry.messages
      assert.is(header!.operation, 'group_header')
      assert.is(header!.summary, entry.title)
      assert.ok(rest.every(({ operation }) => operation !== 'group_header'))
      assert.ok(entry.messages.every(({ category }) => category === entry.category))
      assert.is(new Set(rest.map(({ change_type: type }) => type)).size, 1)
    }
  }
  assert.ok(sharing >= 5)
})

after(() => service.remove())
run()
