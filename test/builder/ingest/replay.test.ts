/** Small nights replayed one after another: what a record's timeline says of them, entry by entry. */
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ingest } from '../../../builder/ingest/ingest.ts'
import type { TimelineEntry } from '../../../corpus/model/record.ts'
import { quietEffects, temporaryFolder } from '../../support/dist.ts'
import { corpusContents, cveRecord, epssCsv, kevJson, putFeeds, recordPath, zipOf } from '../../support/feeds.ts'

const root = temporaryFolder('replay')
const ID = 'CVE-2024-0001'
const OTHER = 'CVE-2024-0002'

/** What a night changes: parts of the CNA's container, the state, or files of other feeds. */
interface Night {
  cna?: Record<string, unknown>
  rejected?: boolean
  /** Day of June on which the record was updated; without it the record is yesterday's. */
  updated?: number
  nvdScore?: number
  kev?: string[]
  epss?: number
}

const day = (of: number, time = '01:00:00.000Z') => `2024-06-${String(of).padStart(2, '0')}T${time}`

/** A feeds folder that lives through nights, the first of June first. */
function nights() {
  const folder = mkdtempSync(join(root.path, 'case-'))
  const [feeds, corpus] = [join(folder, 'feeds'), join(folder, 'corpus.db')]
  let cna: Record<string, unknown> = {}
  let rejected = false
  let updated = day(1)
  let today = 0
  const record = () => {
    const base = cveRecord({ id: ID, state: rejected ? 'REJECTED' : 'PUBLISHED', updated }) as {
      containers: { cna: Record<string, unknown> }
    }
    if (!rejected) Object.assign(base.containers.cna, cna)
    return JSON.stringify(base)
  }
  return {
    async night(change: Night = {}) {
      today++
      cna = { ...cna, ...change.cna }
      rejected = change.rejected ?? rejected
      if (change.updated !== undefined) updated = day(change.updated)
      const date = day(today).slice(0, 10)
      const list = { [recordPath(ID)]: record(), [recordPath(OTHER)]: JSON.stringify(cveRecord({ id: OTHER })) }
      const { nvdScore, kev, epss } = change
      putFeeds(feeds, {
        [`cvelistv5/${date}_all_CVEs.zip`]: zipOf(list),
        ...(nvdScore !== undefined && { [`nvd/nvd-${date}.json`]: nvdJson(nvdScore, day(today, '20:00:00.000')) }),
        ...(kev && { [`kev/${date}/known_exploited_vulnerabilities.json`]: kevJson(kev, day(today, '15:00:00.000Z')) }),
        ...(epss !== undefined && { [`epss/epss_scores-${date}.csv.gz`]: epssCsv([[ID, epss, 0.5]], date) }),
      })
      return ingest({ feeds, corpus, asOf: date, acceptShrink: true }, quietEffects())
    },
    contents: () => corpusContents(corpus),
    record() {
      const found = corpusContents(corpus).records.find(({ cveId }) => cveId === ID)
      const timeline = found ? (JSON.parse(found.parts.timeline) as TimelineEntry[]) : []
      return { version: found?.version ?? null, timeline }
    },
  }
}

/** NVD's answer on the CVE, made at `timestamp`: a score and a reference of its own. */
function nvdJson(baseScore: number, timestamp: string): string {
  const cvssData = { version: '3.1', vectorString: `CVSS:3.1/${baseScore}`, baseScore, baseSeverity: 'MEDIUM' }
  const cve = {
    id: ID,
    published: day(1),
    lastModified: timestamp,
    vulnStatus: 'Analyzed',
    descriptions: [],
    metrics: { cvssMetricV31: [{ source: 'nvd@nist.gov', type: 'Primary', cvssData }] },
    references: [{ url: 'https://nvd.example/note', tags: ['Third Party Advisory'] }],
  }
  return JSON.stringify({ format: 'NVD_CVE', version: '2.0', timestamp, vulnerabilities: [{ cve }] })
}

const brief = ({ timeline }: { timeline: TimelineEntry[] }) =>
  timeline.map((one) => [one.title, one.version_from, one.version_to, one.changed_at])
const messages = ({ messages }: TimelineEntry) =>
  messages.slice(1).map((one) => [one.json_path, one.old_value, one.new_value])

const PUBLISHED = ['CVE published', 1, 1, '2024-05-01T08:00:00.000Z']

test('published, changed, rejected, published again: the version goes on, and the timeline with it', async () => {
  const it = nights()
  await it.night()
  assert.equal(brief(it.record()), [PUBLISHED])
  await it.night({ cna: { title: 'A worse fault' }, updated: 2 })
  const changed = [['Title changed', 1, 2, day(2)], PUBLISHED]
  assert.equal([it.record().version, brief(it.record())], [2, changed])
  await it.night({ rejected: true, updated: 3 })
  assert.is(it.record().version, null)
  assert.equal(it.contents().rejected, [{ cveId: ID, dateRejected: day(3) }])
  await it.night({ rejected: false, updated: 4 })
  assert.equal([it.record().version, brief(it.record())], [3, [['CVE published', 2, 3, day(4)], ...changed]])
  assert.equal(messages(it.record().timeline[0]!), [['$.state', 'REJECTED', 'PUBLISHED']])
})

test('two titles of one version bump have each its own messages below its own header', async () => {
  const it = nights()
  await it.night()
  const references = [
    { url: 'https://acme.example/advisories/1' },
    { url: 'https://acme.example/fix', tags: ['patch'] },
  ]
  await it.night({ cna: { title: 'A worse fault', references }, updated: 2 })
  const { timeline } = it.record()
  assert.equal(brief({ timeline }), [['Title changed', 1, 2, day(2)], ['References changed', 1, 2, day(2)], PUBLISHED])
  assert.equal(timeline.slice(0, 2).map(messages), [
    [['$.title', `A fault in ${ID}`, 'A worse fault']],
    [['$.references[1]', null, 'https://acme.example/fix']],
  ])
  for (const { title, category, messages: all } of timeline) {
    assert.equal(
      [all[0]?.operation, all[0]?.summary, all[0]?.old_value, all[0]?.new_value],
      ['group_header', title, null, null],
    )
    assert.ok(all.every((message) => message.category === category))
  }
})

test('a night in which only NVD moved stands at one version, dated by its feed', async () => {
  const it = nights()
  await it.night()
  await it.night({ nvdScore: 5 })
  const at = [2, 2, day(2, '20:00:00.000Z')]
  assert.equal(brief(it.record()), [
    ['CVSS changed', ...at],
    ['References changed', ...at],
    ['NVD analysis changed', ...at],
    PUBLISHED,
  ])
  assert.equal(messages(it.record().timeline[2]!).length, 1)
})

test('a listing in KEV is dated by its entry; that it goes, by the catalogue', async () => {
  const it = nights()
  await it.night({ kev: [OTHER] })
  await it.night({ kev: [OTHER, ID] })
  assert.equal(brief(it.record()), [['Added to the KEV catalogue', 2, 2, '2024-05-20T00:00:00.000Z'], PUBLISHED])
  await it.night({ kev: [OTHER] })
  assert.equal(brief(it.record())[0], ['Removed from the KEV catalogue', 3, 3, day(3, '15:00:00.000Z')])
})

test('of a night in which record and NVD both moved each has what it brought, at its own date', async () => {
  const it = nights()
  await it.night()
  const references = [{ url: 'https://acme.example/advisories/1' }, { url: 'https://acme.example/fix' }]
  await it.night({ cna: { references }, updated: 2, nvdScore: 5 })
  const [record, nvd] = [
    [1, 2, day(2)],
    [2, 2, day(2, '20:00:00.000Z')],
  ] as const
  const { version, timeline } = it.record()
  assert.is(version, 2)
  assert.equal(brief({ timeline }), [
    ['CVSS changed', ...nvd],
    ['References changed', ...nvd],
    ['NVD analysis changed', ...nvd],
    ['References changed', ...record],
    PUBLISHED,
  ])
  assert.equal(
    [1, 3].map((index) => messages(timeline[index]!)),
    [[['$.references[2]', null, 'https://nvd.example/note']], [['$.references[1]', null, 'https://acme.example/fix']]],
  )
})

test('EPSS, credits and other formatting make neither entry nor version', async () => {
  const it = nights()
  await it.night({ epss: 0.1 })
  await it.night({ epss: 0.9 })
  await it.night({ cna: { credits: [{ lang: 'en', value: 'A finder' }], x_generator: { engine: 'Another' } } })
  assert.equal([it.record().version, brief(it.record())], [1, [PUBLISHED]])
  assert.is([...it.contents().epss.scores][0]?.score, 0.9)
})

test('a record that says nothing new but that it was updated says that', async () => {
  const it = nights()
  await it.night()
  await it.night({ updated: 2 })
  assert.equal(brief(it.record()), [['CVE record updated', 1, 2, day(2)], PUBLISHED])
  assert.equal(messages(it.record().timeline[0]!), [['$.date_updated', day(1), day(2)]])
})

test('a night that brings no news, under another name, changes nothing', async () => {
  const it = nights()
  await it.night({ nvdScore: 5, kev: [OTHER] })
  await it.night({ cna: { title: 'A worse fault' }, updated: 2 })
  const { records } = it.contents()
  const report = await it.night()
  assert.equal([report.records.merged, it.contents().records], [0, records])
})

test.after(() => root.remove())
test.run()
