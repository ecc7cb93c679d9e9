import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CveClaim, GuidanceClaim, KevEntry } from '../../../../corpus/model/claim.ts'
import type { MergedParts, MergeInput } from '../../../../corpus/model/merge.ts'
import type { TimelineEntry } from '../../../../corpus/model/record.ts'
import {
  type ChangeDates,
  firstTimeline,
  nextTimeline,
  rejectedTimeline,
} from '../../../../corpus/model/timeline/timeline.ts'
import { advisory, affected, claim, cvss, exploit, kevEntry, merged, record, UPDATED } from '../fixture.ts'

const NIGHT = '2024-06-01T02:00:00.000Z'
const EVENING = '2024-05-31T20:00:00.000Z'
/** A night in which the CVE record changed, and one in which only other feeds changed. */
const LISTED = { record: NIGHT, feeds: new Map([['nvd', EVENING]]), otherwise: EVENING }
const UNLISTED = { ...LISTED, record: null }
const ssvc = {
  exploitation: 'active',
  automatable: 'no',
  technical_impact: 'total',
  assessedAt: '2024-04-20T01:02:03.000Z',
} as const
const workaround = (text: string): GuidanceClaim => ({
  date_public: null,
  tags: [],
  workarounds: [text],
  solutions: [],
  configurations: [],
  exploits: [],
  impacts: [],
  credits: [],
  timeline: [],
})
const plain = () => claim({ source: 'cna', description: 'Text.' })

/** Returns the timeline of a record of version 3 without earlier entries, after `before` became `after`. */
function changed(
  before: MergedParts,
  after: MergedParts,
  dates: ChangeDates = LISTED,
  enriched: MergedParts | null = null,
): TimelineEntry[] {
  const attribution = enriched && { enriched, claims: [], previous: [] }
  return nextTimeline({ ...before, timeline: [], version: 3 }, after, dates, attribution)
}

const brief = (entries: readonly TimelineEntry[]) =>
  entries.map((one) => [one.category, one.added_count, one.modified_count, one.removed_count])

test('rule 26: the first timeline has what the feeds date, newest first, all of version 1', () => {
  const own = record([plain(), claim({ source: 'adp', ssvc })])
  const parts = merged(own.claims, { kev: kevEntry() })
  const timeline = firstTimeline(parts, own)
  assert.equal(
    timeline.map((one) => [one.category, one.title, one.changed_at, one.version_from, one.version_to]),
    [
      ['ssvc', 'SSVC assessed', '2024-04-20T01:02:03.000Z', 1, 1],
      ['kev', 'Added to the KEV catalogue', '2024-04-09T00:00:00.000Z', 1, 1],
      ['publication', 'CVE published', '2024-04-01T00:00:00.000Z', 1, 1],
    ],
  )
  assert.equal(
    timeline[1]?.messages.map((one) => [one.operation, one.json_path, one.old_value, one.new_value]),
    [
      ['group_header', '$', null, null],
      ['add', '$.kev.date_added', null, '2024-04-09'],
    ],
  )
})

test('rule 26: a rejection and a return have dates and titles of their own, and the reason', () => {
  const versioned = (parts: MergedParts, timeline: TimelineEntry[], version: number) => ({
    ...parts,
    timeline,
    version,
  })
  const own = record([plain()])
  const published = versioned(merged(own.claims), firstTimeline(merged(own.claims), own), 1)
  const dates = (date: string) => ({ ...LISTED, record: date })
  const titles = (timeline: readonly TimelineEntry[]) =>
    timeline.map((one) => [one.title, one.changed_at?.slice(0, 10), one.version_from, one.version_to])
  const reserved = merged([], { record: record([plain()], { state: 'RESERVED', datePublished: null }) })
  const second = nextTimeline(published, reserved, dates('2024-06-02T00:00:00.000Z'))
  const third = nextTimeline(versioned(reserved, second, 2), published, dates('2024-06-03T00:00:00.000Z'))
  const rejection = { date: '2024-06-04T00:00:00.000Z', reason: 'Twice.', replacedBy: ['CVE-2024-0009' as const] }
  const fourth = rejectedTimeline(third, 3, 'PUBLISHED', rejection)
  const gone = { ...published, core: { ...published.core, state: 'REJECTED' as 'RESERVED' } }
  const fifth = nextTimeline(versioned(gone, fourth, 4), published, dates('2024-06-05T00:00:00.000Z'))
  assert.equal(titles(fifth), [
    ['Rejection withdrawn', '2024-06-05', 4, 5],
    ['CVE rejected', '2024-06-04', 3, 4],
    ['CVE published again', '2024-06-03', 2, 3],
    ['CVE reserved again', '2024-06-02', 1, 2],
    ['CVE published', '2024-04-01', 1, 1],
  ])
  assert.equal(
    fifth[1]?.messages.slice(1).map((one) => [one.summary, one.json_path, one.old_value, one.new_value]),
    [
      ['State: PUBLISHED → REJECTED', '$.state', 'PUBLISHED', 'REJECTED'],
      ['Reason of the rejection: Twice.', '$.state', null, 'Twice.'],
      ['Replaced by: CVE-2024-0009', '$.state', null, 'CVE-2024-0009'],
    ],
  )
  // The record was never served before its rejection: all three have dates of their own.
  const first = firstTimeline(published, own, { claims: [], advisories: [], rejected: rejection })
  assert.equal(titles(first), [
    ['CVE rejected', '2024-06-04', 1, 1],
    ['Rejection withdrawn', UPDATED.slice(0, 10), 1, 1],
    ['CVE published', '2024-04-01', 1, 1],
  ])
})

test('rule 26: NVD and advisories are dated too, withdrawn ones by when they were withdrawn', () => {
  const claims = [claim({ source: 'nvd', updatedAt: '2024-05-03T00:00:00.000Z' })]
  const advisories = [
    advisory({ advisory_id: 'GHSA-x', updated_at: '2024-05-02T00:00:00.000Z' }),
    advisory({
      advisory_id: 'GHSA-y',
      updated_at: '2024-05-04T00:00:00.000Z',
      withdrawn_at: '2024-05-01T00:00:00.000Z',
    }),
  ]
  const own = record([plain()], { datePublished: null })
  const timeline = firstTimeline(merged(claims, { record: own, advisories }), own, { claims, advisories })
  assert.equal(
    timeline.map((one) => [one.category, one.title, one.changed_at]),
    [
      ['nvd', 'NVD record updated', '2024-05-03T00:00:00.000Z'],
      ['advisory', 'Advisory GHSA-x updated', '2024-05-02T00:00:00.000Z'],
      ['advisory', 'Advisory GHSA-y withdrawn', '2024-05-01T00:00:00.000Z'],
    ],
  )
})

interface Case {
  name: string
  before: Partial<CveClaim>
  after: Partial<CveClaim>
  given?: Partial<MergeInput>
  want: ReturnType<typeof brief>
}

const url = (name: string, tags: string[] = []) => ({ url: `https://${name}.example`, name: null, tags })
const entry = (product: string, ...affected_versions: string[]) =>
  affected({ vendor: 'Acme', product, affected_versions })

const CASES: Case[] = [
  {
    name: 'references are told apart by URL',
    before: { references: [url('a'), url('b')] },
    after: { references: [url('c'), url('b', ['patch'])] },
    want: [['references', 1, 1, 1]],
  },
  {
    name: 'affected entries are told apart by source, vendor and product',
    before: { title: 'T', affected: [entry('x', '1'), entry('y', '1')] },
    after: { title: 'T', affected: [entry('z', '1'), entry('y', '1', '2')] },
    want: [['affected_versions', 1, 1, 1]],
  },
  {
    name: 'of entries with the same name those that did not change are no change',
    before: { title: 'T', affected: [entry('x', '1'), entry('x', '2'), entry('x', '3')] },
    after: { title: 'T', affected: [entry('x', '2'), entry('x', '3')] },
    want: [['affected_versions', 0, 0, 1]],
  },
  {
    name: 'a first score touches severity, score, its source and the metrics',
    before: {},
    after: { metrics: [cvss('3.1', 7.5)] },
    want: [['cvss', 4, 0, 0]],
  },
  {
    name: 'weaknesses and description are entries of their own',
    before: { title: 'T', weaknesses: ['cwe-79'] },
    after: { title: 'T', weaknesses: ['cwe-79', 'cwe-20'], description: 'More text.' },
    want: [
      ['weakness', 1, 0, 0],
      ['description', 0, 1, 0],
    ],
  },
  {
    name: 'a moved date of a container is told where nothing else changed',
    before: { title: 'T', affected: [affected({ updated_at: '2024-01-01T00:00:00.000Z' })] },
    after: { title: 'T', affected: [affected({ updated_at: '2024-02-01T00:00:00.000Z' })] },
    want: [['affected_versions', 0, 1, 0]],
  },
  {
    name: 'and it is no change of its own where something else did',
    before: { title: 'T', affected: [affected({ updated_at: '2024-01-01T00:00:00.000Z' })] },
    after: { title: 'U', affected: [affected({ updated_at: '2024-02-01T00:00:00.000Z' })] },
    want: [['description', 0, 1, 0]],
  },
  {
    name: 'versions, platforms, CPEs and tags in another order say the same',
    before: { title: 'T', references: [url('a', ['x', 'y'])], affected: [entry('x', '1', '2')] },
    after: { title: 'T', references: [url('a', ['y', 'x'])], affected: [entry('x', '2', '1')] },
    want: [],
  },
]

for (const { name, before, after, want } of CASES) {
  test(`rule 26: ${name}`, () => {
    const of = (given: Partial<CveClaim>) => merged([{ ...plain(), ...given }])
    assert.equal(brief(changed(of(before), of(after))), want)
  })
}

test('rule 26: a header comes before its messages', () => {
  const before = merged([claim({ source: 'cna' })])
  const after = merged([claim({ source: 'cna' }), claim({ source: 'adp', ssvc })], { kev: kevEntry() })
  const timeline = changed(before, after)
  assert.equal(brief(timeline), [
    ['ssvc', 4, 0, 0],
    ['kev', 1, 1, 0],
  ])
  const [, kev] = timeline
  assert.is(kev?.title, 'Added to the KEV catalogue')
  assert.equal(kev?.messages, [
    {
      summary: 'Added to the KEV catalogue',
      category: 'kev',
      provider: 'agency_kev',
      json_path: '$',
      old_value: null,
      new_value: null,
      operation: 'group_header',
      change_type: 'KEV_GROUP',
    },
    {
      summary: 'Listed in KEV: false → true',
      category: 'kev',
      provider: 'agency_kev',
      json_path: '$.kev.listed',
      old_value: 'false',
      new_value: 'true',
      operation: 'modify',
      change_type: 'KEV_MODIFIED',
    },
    {
      summary: 'Added to KEV on: 2024-04-09',
      category: 'kev',
      provider: 'agency_kev',
      json_path: '$.kev.date_added',
      old_value: null,
      new_value: '2024-04-09',
      operation: 'add',
      change_type: 'KEV_MODIFIED',
    },
  ])
  assert.is(changed(after, before)[0]?.title, 'Removed from the KEV catalogue')
})

const NVD = claim({ source: 'nvd', metrics: [cvss('3.1', 5)], references: [url('n')] })
const spans = (entries: readonly TimelineEntry[]) =>
  entries.map((one) => [one.category, one.version_from, one.version_to, one.changed_at])

test('API 14.9: changes of the CVE record span its versions; changes of other feeds have the new version', () => {
  const kev = { kev: kevEntry() }
  const own = { ...plain(), title: 'T', references: [url('a')] }
  const after = merged([own, claim({ source: 'adp', ssvc }), NVD], kev)
  assert.equal(spans(changed(merged([plain()]), after, LISTED, merged([plain(), NVD], kev))), [
    ['ssvc', 3, 4, NIGHT],
    ['description', 3, 4, NIGHT],
    ['references', 3, 4, NIGHT],
    ['cvss', 4, 4, EVENING],
    ['references', 4, 4, EVENING],
    ['nvd', 4, 4, EVENING],
    ['kev', 4, 4, '2024-04-09T00:00:00.000Z'],
  ])
})

test('API 14.16: of one category each entry has the messages of its own origin, with the path of the list', () => {
  const own = { ...plain(), references: [url('a')] }
  const timeline = changed(merged([plain()]), merged([own, NVD]), LISTED, merged([plain(), NVD]))
  const references = timeline.filter(({ category }) => category === 'references')
  assert.equal(
    references.map(({ version_from, messages }) => [
      version_from,
      ...messages.slice(1).flatMap((one) => [one.json_path, one.new_value]),
    ]),
    [
      [3, '$.references', 'https://a.example'],
      [4, '$.references', 'https://n.example'],
    ],
  )
})

test('API 14.9: nothing spans versions where the CVE record says what it said', () => {
  const timeline = changed(merged([plain()]), merged([plain(), NVD]), UNLISTED)
  assert.equal(spans(timeline), [
    ['cvss', 4, 4, EVENING],
    ['references', 4, 4, EVENING],
    ['nvd', 4, 4, EVENING],
  ])
})

test('API 14.9: a headline is attributed to the source that changed it', () => {
  const own = { ...plain(), title: 'T' }
  const scored = { ...own, metrics: [cvss('3.1', 9)] }
  const before = merged([own])
  const byNvd = changed(before, merged([{ ...own, description: 'More.' }, NVD]), LISTED, merged([own, NVD]))
  assert.equal(
    spans(byNvd).filter(([category]) => category === 'cvss'),
    [['cvss', 4, 4, EVENING]],
  )
  // Without the CNA's score of the same night, NVD's would be the headline; the headline has the CNA's value.
  const byBoth = changed(before, merged([scored, NVD]), LISTED, merged([own, NVD]))
  assert.equal(
    spans(byBoth).filter(([category]) => category === 'cvss'),
    [['cvss', 3, 4, NIGHT]],
  )
  assert.equal(
    byBoth[0]?.messages.slice(1).map((one) => [one.json_path, one.old_value]),
    ['$.severity', '$.cvss_score', '$.cvss_score_source', '$.cvss.metrics'].map((path) => [path, null]),
  )
})

test('API 14.9: a record that was updated while others brought all the changes says so', () => {
  const dated = (dateUpdated: string, ...others: CveClaim[]) =>
    merged(others, { record: record([plain()], { dateUpdated }) })
  const [before, after] = ['2024-01-01T00:00:00.000Z', NIGHT] as const
  assert.equal(spans(changed(dated(before), dated(after, NVD), LISTED, dated(before, NVD))), [
    ['publication', 3, 4, NIGHT],
    ['cvss', 4, 4, EVENING],
    ['references', 4, 4, EVENING],
    ['nvd', 4, 4, EVENING],
  ])
})

test('rule 23: that ransomware campaigns use it is a change of its KEV listing', () => {
  const listed = (ransomware: 'known' | 'unknown') => merged([plain()], { kev: kevEntry({ ransomware }) })
  const [entry, ...rest] = changed(listed('unknown'), listed('known'), UNLISTED)
  assert.equal(rest, [])
  assert.equal([entry?.category, entry?.title, entry?.changed_at], ['kev', 'Ransomware use in KEV changed', EVENING])
  const [message] = entry!.messages.slice(1)
  assert.equal([message?.json_path, message?.provider], ['$.kev_detail.catalogs', 'agency_kev'])
  assert.is(message?.summary, 'KEV entry, ransomware: unknown → known')
})

test('rule 23: each field of a KEV entry that changes is a message; a removal is one entry without its fields', () => {
  const listed = (given: Partial<KevEntry>) => merged([plain()], { kev: kevEntry(given) })
  const titleOf = (before: MergedParts, after: MergedParts) =>
    changed(before, after, UNLISTED).map(({ title, messages }) => [
      title,
      ...messages.slice(1).map((one) => one.summary),
    ])
  assert.equal(titleOf(listed({}), listed({ dueDate: '2024-05-07' })), [
    ['KEV due date changed', 'KEV entry, due date: 2024-04-30 → 2024-05-07'],
  ])
  const altered = { requiredAction: 'Stop.', notes: 'N', vendor: 'B', product: 'P', name: 'X', description: 'D' }
  assert.equal(titleOf(listed({}), listed(altered)), [
    [
      'KEV listing changed',
      'KEV entry, required action: Apply updates. → Stop.',
      'KEV entry, notes: N',
      'KEV entry, vendor project: Acme → B',
      'KEV entry, product: Widget → P',
      'KEV entry, vulnerability name: Acme Widget flaw → X',
      'KEV entry, short description: Acme Widget has a flaw. → D',
    ],
  ])
  assert.equal(titleOf(listed({}), merged([plain()])), [
    ['Removed from the KEV catalogue', 'Listed in KEV: true → false', 'Added to KEV on removed: 2024-04-09'],
  ])
})

test('rule 23: other catalogs have changes of their own', () => {
  const of = (...otherKev: KevEntry[]) => merged([plain()], { otherKev })
  const acme = (given: Partial<KevEntry> = {}) => kevEntry({ catalog: 'acme', ...given })
  const told = (before: MergedParts, after: MergedParts) =>
    changed(before, after, UNLISTED).flatMap(({ category, messages }) =>
      messages.slice(1).map(({ provider, operation, summary }) => [category, provider, operation, summary]),
    )
  assert.equal(told(of(), of(acme())), [['kev', 'acme', 'add', 'Entry in the catalog acme added']])
  assert.equal(told(of(acme()), of(acme({ dateAdded: '2024-04-10' }))), [
    ['kev', 'acme', 'modify', 'Entry in the catalog acme, date added: 2024-04-09 → 2024-04-10'],
  ])
  assert.equal(told(of(acme()), of()), [['kev', 'acme', 'remove', 'Entry in the catalog acme removed']])
})

/** Returns the providers of all messages of a night. The CVE list's claims become `own`; other feeds add `others`. */
function told(previous: CveClaim[], own: CveClaim[], others: CveClaim[], before: CveClaim[] = []) {
  const attribution = { enriched: merged([...previous, ...others]), claims: [...own, ...others], previous }
  const record = { ...merged([...previous, ...before]), timeline: [], version: 3 }
  return nextTimeline(record, merged([...own, ...others]), LISTED, attribution).flatMap(({ messages, version_from }) =>
    messages.slice(1).map((one) => [one.json_path, one.provider, version_from === 3 ? 'record' : 'others']),
  )
}

const titled = (given: Partial<CveClaim> = {}) => ({ ...plain(), title: 'T', ...given })
const HEADLINE = ['$.severity', '$.cvss_score', '$.cvss_score_source']

test('API 14.9: a headline is stated by the source of its score, the old one where none is left', () => {
  const adp = claim({ source: 'adp', sourceName: 'CISA-ADP', metrics: [cvss('3.1', 9)] })
  const scored = HEADLINE.map((path) => [path, 'adp', 'record'])
  assert.equal(told([titled()], [titled(), adp], []).slice(0, 3), scored)
  assert.equal(told([titled(), adp], [titled()], []).slice(0, 3), scored)
})

test('API 14.9: a headline of the service is no claim of the CNA, whatever that scored the same night', () => {
  const svc = claim({ source: 'svc', metrics: [cvss('3.1', 9.8)] })
  const own = titled({ metrics: [cvss('3.1', 9.8)] })
  const headline = told([titled({ metrics: [cvss('3.1', 5)] })], [own], [svc]).filter(([path]) =>
    HEADLINE.includes(path!),
  )
  assert.equal(
    headline,
    HEADLINE.map((path) => [path, 'svc', 'others']),
  )
})

test('API 14.9: what record and other feeds come to state in one night is the record’s', () => {
  const nvd = claim({
    source: 'nvd',
    weaknesses: ['cwe-79', 'cwe-20'],
    references: [url('a', ['Mitigation']), url('n')],
  })
  const own = titled({ weaknesses: ['cwe-79'], references: [url('a')], guidance: workaround('Disable it.') })
  assert.equal(told([titled()], [own], [nvd]), [
    ['$.primary_cwe_id', 'cna', 'record'],
    ['$', 'cna', 'record'],
    ['$.has_workaround', 'cna', 'record'],
    ['$.references', 'cna', 'record'],
    ['$.guidance.entries', 'cna', 'record'],
    ['$', 'nvd', 'others'],
    ['$.references', 'nvd', 'others'],
  ])
})

test('API 14.9: a primary weakness that the catalog moves is not the record’s, which stated it before', () => {
  const own = titled({ weaknesses: ['cwe-1', 'cwe-79'] })
  const catalog = { isWeakness: (id: string) => id === 'cwe-79', weaknessName: () => null }
  const now = { ...own, title: 'U' }
  const attribution = { enriched: merged([own], { catalog }), claims: [now], previous: [own] }
  const previous = { ...merged([own]), timeline: [], version: 3 }
  assert.equal(spans(nextTimeline(previous, merged([now], { catalog }), LISTED, attribution)), [
    ['description', 3, 4, NIGHT],
    ['weakness', 4, 4, EVENING],
  ])
})

test('API 14.9: a new reference is attributed to its source, and to none if several sources add it', () => {
  const own = titled({ references: [url('a')] })
  const nvd = (...tags: string[]) => claim({ source: 'nvd', references: [url('a', tags)] })
  assert.equal(told([own], [own], [nvd()]), [['$.references', 'nvd', 'others']])
  assert.equal(told([own], [own], [nvd('Patch')], [nvd()]), [['$.references', 'enrichment', 'others']])
  assert.equal(told([own], [{ ...own, references: [url('a', ['x'])] }], []), [['$.references', 'cna', 'record']])
})

test('API 14.9: a text is attributed to its author; a derived title to the CNA', () => {
  const described = (text: string) => claim({ source: 'nvd', description: text })
  const wordless = claim({ source: 'cna', title: 'T' })
  assert.equal(told([wordless], [wordless], [described('x'.repeat(3000))]), [['$.description', 'nvd', 'others']])
  assert.equal(told([titled()], [titled({ title: 'U' })], []), [['$.title', 'cna', 'record']])
  assert.equal(told([plain()], [{ ...plain(), description: 'More.' }], []), [
    ['$.title', 'cna', 'record'],
    ['$.description', 'cna', 'record'],
  ])
})

interface ShownChange {
  before: Partial<CveClaim>
  after: Partial<CveClaim>
  title: string
  summaries: string[]
}

const TOLD: ShownChange[] = [
  {
    before: { metrics: [cvss('3.1', 7.5)] },
    after: { metrics: [cvss('3.1', 9.8, { baseSeverity: 'CRITICAL' })] },
    title: 'CVSS changed',
    summaries: [
      'Severity: high → critical',
      'CVSS score: 7.5 → 9.8',
      'CVSS 3.1 by acme, base score: 7.5 → 9.8',
      'CVSS 3.1 by acme, base severity: HIGH → CRITICAL',
      'CVSS 3.1 by acme, vector string: CVSS:3.1/7.5 → CVSS:3.1/9.8',
    ],
  },
  { before: { title: 'A' }, after: { title: 'B' }, title: 'Title changed', summaries: ['Title: A → B'] },
  {
    before: { title: 'A', references: [url('a')] },
    after: { title: 'A', references: [url('b')] },
    title: 'References changed',
    summaries: ['Reference https://b.example added', 'Reference https://a.example removed'],
  },
  {
    before: { title: 'A', affected: [entry('x', '1')] },
    after: { title: 'A', affected: [entry('y', '1')] },
    title: 'Affected versions changed',
    summaries: ['Acme y added', 'Acme x removed'],
  },
]

for (const { before, after, title, summaries } of TOLD) {
  test(`a summary can be read without the rest: ${summaries[0]}`, () => {
    const [one] = changed(merged([{ ...plain(), ...before }]), merged([{ ...plain(), ...after }]))
    assert.is(one?.title, title)
    assert.equal(
      one?.messages.slice(1).map(({ summary }) => summary),
      summaries,
    )
  })
}

test('rule 26: the date of a record is a change only where nothing else is', () => {
  const dated = (dateUpdated: string, given: Partial<CveClaim> = {}) =>
    merged([], { record: record([{ ...plain(), ...given }], { dateUpdated }) })
  const before = dated('2024-01-01T00:00:00.000Z')
  assert.equal(brief(changed(before, dated('2024-02-01T00:00:00.000Z'))), [['publication', 0, 1, 0]])
  const after = dated('2024-02-01T00:00:00.000Z', { references: [url('a')] })
  assert.equal(brief(changed(before, after)), [['references', 1, 0, 0]])
})

test('what NVD and advisories change is filed under their names', () => {
  const metric = (source: 'nvd' | 'advisory') => claim({ source, metrics: [cvss('3.1', 5)] })
  const scored = [{ ...plain(), metrics: [cvss('3.1', 9)] }]
  const timeline = changed(merged(scored), merged([...scored, metric('nvd'), metric('advisory')]))
  assert.equal(brief(timeline), [
    ['nvd', 1, 0, 0],
    ['advisory', 1, 0, 0],
  ])
})

test('rule 26: entries of one time and version keep the order of the categories', () => {
  const stated = { references: [url('a')], weaknesses: ['cwe-79'], affected: [entry('x', '1')] }
  const after = merged([{ ...plain(), ...stated, description: 'Another text.' }])
  assert.equal(
    changed(merged([plain()]), after).map(({ category }) => category),
    ['weakness', 'description', 'affected_versions', 'references'],
  )
})

/** Each of these feeds changed on another day. */
const FEEDS = 'exploitdb ghsa kev metasploit nuclei nvd osv poc reports service-scores'.split(' ')
const dayOfFeed = (feed: string) => `2024-05-${10 + FEEDS.indexOf(feed)}T00:00:00.000Z`

test('rule 26: what other feeds bring is dated by the feed that brings it, not by the newest one', () => {
  const before = merged([plain()])
  const dates = { ...UNLISTED, feeds: new Map(FEEDS.map((feed) => [feed, dayOfFeed(feed)])) }
  const cases: [brought: MergedParts, category: string, feed: string][] = [
    [
      merged([plain()], { exploits: [exploit({ source: 'exploit_framework', source_id: 'exploit/x' })] }),
      'exploits',
      'metasploit',
    ],
    [
      merged([plain()], { exploits: [exploit({ source: 'exploit_archive', source_id: '1' })] }),
      'exploits',
      'exploitdb',
    ],
    [merged([plain(), NVD]), 'nvd', 'nvd'],
    [merged([plain(), NVD]), 'cvss', 'nvd'],
    [merged([plain(), NVD]), 'references', 'nvd'],
    [merged([plain(), claim({ source: 'osv', references: [url('o')] })]), 'references', 'osv'],
    [merged([plain(), claim({ source: 'osv', affected: [affected({ source: 'osv' })] })]), 'advisory', 'osv'],
    [merged([plain(), claim({ source: 'svc', metrics: [cvss('3.1', 9)] })]), 'cvss', 'service-scores'],
  ]
  for (const [after, category, feed] of cases) {
    const found = nextTimeline({ ...before, timeline: [], version: 1 }, after, dates)
    const [one] = found.filter((entry) => entry.category === category)
    assert.is(one?.changed_at, dayOfFeed(feed), `${category} of ${feed}`)
  }
  // Without a change of that feed, the only changed feed dates it; without any, the date of the corpus.
  const nvd = merged([plain(), NVD])
  const dated = (feeds: string[]) => ({ ...dates, feeds: new Map(feeds.map((feed) => [feed, dayOfFeed(feed)])) })
  const newest = (feeds: string[]) =>
    nextTimeline({ ...before, timeline: [], version: 1 }, nvd, dated(feeds))[0]?.changed_at
  assert.equal([newest(['ghsa']), newest(['kev', 'ghsa']), newest([])], [dayOfFeed('ghsa'), EVENING, EVENING])
})

test('long values are cut, and of many messages the first two hundred are shown', () => {
  const many = Array.from({ length: 300 }, (_, index) => url(`r${index}`))
  const [references] = changed(merged([plain()]), merged([{ ...plain(), references: many }]))
  assert.is(references?.added_count, 300)
  assert.is(references?.messages.length, 201)
  assert.is(references?.messages[0]?.summary, 'References changed (100 further changes not shown)')
  const titled = { ...plain(), title: 'T' }
  const [description] = changed(merged([titled]), merged([{ ...titled, description: 'x'.repeat(5000) }]))
  assert.is(description?.messages[1]?.new_value, `${'x'.repeat(2000)}…`)
})

test.run()
