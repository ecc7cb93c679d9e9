/** Properties of the timeline, over two and three versions of a record (rule 26). */
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { effectiveClaims, type MergedParts, type MergeInput, mergeCve } from '../../../../corpus/model/merge.ts'
import type { RecordParts, TimelineEntry, TimelineMessage } from '../../../../corpus/model/record.ts'
import { type ChangeDates, firstTimeline, nextTimeline } from '../../../../corpus/model/timeline/timeline.ts'
import { CATEGORIES } from '../../../../corpus/model/timeline/timeline-table.ts'
import { mergeInput, timestamp } from './arbitrary.ts'
import { property as anyProperty, shape } from './property.ts'

/** Each case has two or three whole records, so half as many cases as in other tests. */
const property: typeof anyProperty = (name, arbitraries, check) => anyProperty(name, arbitraries, check, 50)

type Versioned = RecordParts & { version: number }

const DATES: fc.Arbitrary<ChangeDates> = shape<ChangeDates>({
  record: fc.option(timestamp, { nil: null }),
  feeds: fc
    .array(fc.tuple(fc.constantFrom('kev', 'nvd', 'ghsa', 'osv', 'metasploit', 'poc', 'reports'), timestamp))
    .map((dates) => new Map(dates)),
  otherwise: timestamp,
})

/** The record of an input, and one with some parts of another input: a possible night. */
const NIGHT: fc.Arbitrary<[MergeInput, MergeInput]> = mergeInput.chain((before) =>
  fc
    .tuple(mergeInput, fc.subarray(Object.keys(before) as (keyof MergeInput)[]))
    .map(([other, keys]) => [before, { ...before, ...Object.fromEntries(keys.map((key) => [key, other[key]])) }]),
)

const first = (input: MergeInput): Versioned => {
  const parts = mergeCve(input)
  return { ...parts, timeline: firstTimeline(parts, input.record, input), version: 1 }
}
const follow = (previous: Versioned, parts: MergedParts, dates: ChangeDates): Versioned => {
  const timeline = nextTimeline(previous, parts, dates)
  return { ...parts, timeline, version: previous.version + (timeline === previous.timeline ? 0 : 1) }
}
const added = (previous: Versioned, next: Versioned) =>
  next.timeline.filter((entry) => !previous.timeline.includes(entry))

property(
  'rule 26: re-ingesting the same adds nothing: the timeline is the very same',
  [mergeInput, DATES],
  (input, dates) => {
    const record = first(input)
    assert.is(nextTimeline(record, mergeCve(input), dates), record.timeline)
    const stored = JSON.parse(JSON.stringify(record)) as Versioned
    assert.is(nextTimeline(stored, mergeCve(input), dates), stored.timeline)
  },
)

property('rule 26: what differs in the core is in the timeline', [NIGHT, DATES], ([before, after], dates) => {
  const [previous, parts] = [first(before), mergeCve(after)]
  if (JSON.stringify(previous.core) !== JSON.stringify(parts.core)) {
    assert.is.not(nextTimeline(previous, parts, dates), previous.timeline)
  }
})

/** Fields that the timeline shows one by one; the other flags follow from evidence and references. */
const TOLD = [
  'state',
  'date_published',
  'assigner',
  'severity',
  'cvss_score',
  'cvss_score_source',
  'primary_cwe_id',
  'title',
  'description',
  'has_workaround',
  'kev.listed',
  'kev.date_added',
  'ssvc.exploitation',
  'ssvc.automatable',
  'ssvc.technical_impact',
  'ssvc.decision',
]

property(
  'rule 26: each field of the core that differs has its message, and no other has one',
  [NIGHT, DATES],
  ([before, after], dates) => {
    const [previous, next] = [first(before), mergeCve(after)]
    const messages = added(previous, follow(previous, next, dates)).flatMap((entry) => entry.messages)
    const paths = new Set(messages.map(({ json_path }) => json_path))
    for (const name of TOLD) {
      const path = `$.${name}`
      assert.is(paths.has(path), at(previous, path) !== at(next, path), path)
    }
  },
)

property(
  'rule 26: there is one entry for each category touched, and no message is of another',
  [NIGHT, DATES],
  ([before, after], dates) => {
    const previous = first(before)
    const entries = added(previous, follow(previous, mergeCve(after), dates))
    const categories = entries.map(({ category }) => category)
    assert.is(new Set(categories).size, categories.length)
    for (const { category, messages } of entries) {
      assert.ok(CATEGORIES.some((row) => row.category === category))
      for (const message of messages) assert.is(message.category, category)
    }
  },
)

property('rule 26: counts are those of the messages below the header', [NIGHT, DATES], ([before, after], dates) => {
  for (const entry of follow(first(before), mergeCve(after), dates).timeline) {
    const [header, ...messages] = entry.messages
    assert.equal([header?.operation, header?.old_value, header?.new_value], ['group_header', null, null])
    const count = (operation: string) => messages.filter((one) => one.operation === operation).length
    assert.equal(
      [entry.added_count, entry.modified_count, entry.removed_count],
      [count('add'), count('modify'), count('remove')],
    )
    assert.ok(messages.length > 0)
    for (const one of messages) {
      assert.is(one.operation, one.old_value === null ? 'add' : one.new_value === null ? 'remove' : 'modify')
    }
  }
})

property(
  'rule 26: version_to is the next version; the record’s own entries come from the one before',
  [NIGHT, DATES],
  ([before, after], dates) => {
    const previous = { ...first(before), version: 3 }
    for (const entry of added(previous, follow(previous, mergeCve(after), dates))) {
      assert.is(entry.version_to, 4)
      assert.is(entry.version_from, dates.record === null ? 4 : 3)
    }
  },
)

property(
  'API 14.9: whose the changes are moves them between entries, and neither adds one nor leaves one out',
  [NIGHT, DATES],
  ([before, after], dates) => {
    const [previous, parts] = [first(before), mergeCve(after)]
    const enriched = mergeCve({ ...after, record: before.record })
    const attribution = { enriched, claims: effectiveClaims(after), previous: before.record.claims }
    const told = (entries: TimelineEntry[]) =>
      entries
        .flatMap(({ messages }) => messages)
        .filter(({ operation, json_path }) => operation !== 'group_header' && json_path !== '$.date_updated')
    const essence = (entries: TimelineEntry[]) =>
      told(entries)
        .map(({ json_path, old_value, new_value }) => [json_path, old_value, new_value].join('\n'))
        .sort()
    const entries = nextTimeline({ ...previous, timeline: [] }, parts, dates, attribution)
    assert.equal(essence(entries), essence(nextTimeline({ ...previous, timeline: [] }, parts, dates)))
    const headlines = entries.filter(({ messages }) =>
      messages.some(({ json_path }) => /^\$\.(?:severity|cvss_score)/.test(json_path)),
    )
    assert.ok(headlines.length <= 1, 'a headline is in one entry')
    for (const { provider } of told(entries)) assert.is.not(provider, '')
  },
)

const LATER = fc.tuple(NIGHT, mergeInput, DATES, DATES)

property(
  'rule 26: entries are all kept, in their order, by time, then by version, the newest first',
  [LATER],
  ([[one, two], three, night, next]) => {
    const records = [first(one)]
    for (const [input, dates] of [
      [two, night],
      [three, next],
    ] as const) {
      records.push(follow(records.at(-1)!, mergeCve(input), dates))
    }
    for (const [index, { timeline }] of records.entries()) {
      const keys = timeline.map(({ version_to, changed_at }) => `${changed_at ?? ''} ${version_to}`)
      assert.equal(keys, keys.toSorted().reverse())
      const old = records[index - 1]?.timeline ?? []
      assert.equal(
        timeline.filter((entry) => old.includes(entry)),
        old,
      )
      assert.is(timeline.length, new Set(timeline).size)
    }
  },
)

/** Returns the value at `$.a.b` in the detail of a record, or undefined. */
function at(parts: MergedParts, path: string): unknown {
  const { core, cvss, affected, references, exploits, evidence, analysis, guidance, kev } = parts
  const sections = { cvss, affected, references, exploits, evidence, analysis, guidance, kev_detail: { catalogs: kev } }
  let value: unknown = { ...core, ...sections }
  for (const name of path.split('.').slice(1)) value = (value as Record<string, unknown> | null | undefined)?.[name]
  return value
}
const asText = (value: unknown) =>
  value === null || value === undefined ? null : typeof value === 'string' ? value : JSON.stringify(value)
/** Lists, and what the detail does not have: such a message has the value of an item. */
const isOfItem = ({ json_path: path }: TimelineMessage) =>
  path === '$' ||
  /^\$\.(?:cvss\.metrics|affected|references|exploits|evidence|guidance\.entries|kev_detail\.catalogs)$/.test(path)
const isCut = ({ old_value, new_value }: TimelineMessage) => [old_value, new_value].some((text) => text?.endsWith('…'))

property(
  'rule 26: every path exists in the detail, and leads from the old value to the new one, if it is no list',
  [NIGHT, DATES],
  ([before, after], dates) => {
    const [previous, next] = [first(before), mergeCve(after)]
    for (const { messages } of added(previous, follow(previous, next, dates))) {
      for (const message of messages) {
        const { json_path: path, old_value, new_value } = message
        assert.is.not(at(next, path), undefined, path)
        if (isOfItem(message) || isCut(message)) continue
        assert.is(asText(at(next, path)), new_value, path)
        assert.is(asText(at(previous, path)), old_value, path)
      }
    }
  },
)

const PROVIDERS = new Set(
  'cna adp nvd advisory osv svc agency_kev exploit_framework exploit_archive template_scanner own_rules code_host_poc_search enrichment vulncheck euvd acme'.split(
    ' ',
  ),
)

property('rule 26: each source has one name', [NIGHT, DATES], ([before, after], dates) => {
  const { timeline } = follow(first(before), mergeCve(after), dates)
  for (const { messages } of timeline) for (const { provider } of messages) assert.ok(PROVIDERS.has(provider), provider)
})

property(
  'rule 26: of the core, what a message says has changed has, and nothing of EPSS is said',
  [NIGHT, DATES],
  ([before, after], dates) => {
    const previous = first(before)
    for (const { category, messages } of follow(previous, mergeCve(after), dates).timeline) {
      assert.is.not(category, 'epss')
      for (const { json_path, old_value, new_value, operation } of messages) {
        assert.not.match(json_path, /epss/i)
        if (operation !== 'group_header' && !/…$/.test(new_value ?? '')) assert.is.not(old_value, new_value)
      }
    }
  },
)

property(
  'rule 26: a change and its reversal give the same number of changes',
  [NIGHT, DATES],
  ([before, after], dates) => {
    const counts = (from: MergeInput, to: MergeInput) => {
      const previous = first(from)
      const sums = { added: 0, modified: 0, removed: 0 }
      for (const entry of added(previous, follow(previous, mergeCve(to), dates))) {
        sums.added += entry.added_count
        sums.modified += entry.modified_count
        sums.removed += entry.removed_count
      }
      return [sums.added, sums.removed, sums.modified]
    }
    const [more, less, other] = counts(before, after)
    assert.equal(counts(after, before), [less, more, other])
  },
)

property('rule 26: the first timeline writes only what feeds date, each in version 1', [mergeInput], (input) => {
  const entries: TimelineEntry[] = first(input).timeline
  const texts = JSON.stringify(input)
  for (const { changed_at, version_from, version_to, messages } of entries) {
    assert.equal([version_from, version_to, messages.length], [1, 1, 2])
    assert.ok(texts.includes(changed_at!) || texts.includes(changed_at!.slice(0, 10)), changed_at!)
  }
  const { core, report_texts: reports, analysis, cvss } = mergeCve(input)
  const count = (category: string) => entries.filter((entry) => entry.category === category).length
  assert.is(count('publication'), core.state === 'PUBLISHED' && core.date_published !== null ? 1 : 0)
  assert.is(count('kev'), core.kev.date_added === null ? 0 : 1)
  assert.is(count('advisory'), input.advisories.length)
  assert.is(count('svc_report'), reports.length)
  assert.is(count('svc_analysis'), analysis?.generated_at ? 1 : 0)
  assert.is(count('svc_metrics_analysis'), cvss.svc_assessment ? 1 : 0)
})

test.run()
