/** Small nights in sequence: a record's timeline, entry by entry. */
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ingest } from '../../../builder/ingest/ingest.ts'
import type { TimelineEntry } from '../../../corpus/model/record.ts'
import { openDatabase } from '../../../corpus/store/schema.ts'
import { changeParts } from '../../support/change-parts.ts'
import { quietEffects, temporaryFolder } from '../../support/dist.ts'
import { corpusContents, cveRecord, epssCsv, kevJson, putFeeds, recordPath, zipOf } from '../../support/feeds.ts'

const root = temporaryFolder('replay')
const ID = 'CVE-2024-0001'
const OTHER = 'CVE-2024-0002'

/** The changes of a night: parts of the CNA's container, the state, or files of other feeds. */
interface Night {
  cna?: Record<string, unknown>
  rejected?: boolean
  /** Whether the list lacks the record, in this night only. */
  lost?: boolean
  /** Day of June on which the record was updated; if absent, the record is unchanged. */
  updated?: number
  nvdScore?: number
  /** References and weaknesses of NVD, in addition to its score. */
  nvd?: { urls?: string[]; weaknesses?: string[] }
  kev?: string[]
  epss?: number
}

const day = (of: number, time = '01:00:00.000Z') => `2024-06-${String(of).padStart(2, '0')}T${time}`

/** Creates a feeds folder for several nights, from the first of June. */
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
      const list: Record<string, string> = {
        [recordPath(ID)]: record(),
        [recordPath(OTHER)]: JSON.stringify(cveRecord({ id: OTHER })),
      }
      const { nvdScore, nvd, kev, epss } = change
      if (change.lost) delete list[recordPath(ID)]
      putFeeds(feeds, {
        [`cvelistv5/${date}_all_CVEs.zip`]: zipOf(list),
        ...(nvdScore !== undefined && { [`nvd/nvd-${date}.json`]: nvdJson(nvdScore, day(today, '20:00:00.000'), nvd) }),
        ...(kev && { [`kev/${date}/known_exploited_vulnerabilities.json`]: kevJson(kev, day(today, '15:00:00.000Z')) }),
        ...(epss !== undefined && { [`epss/epss_scores-${date}.csv.gz`]: epssCsv([[ID, epss, 0.5]], date) }),
      })
      return ingest({ feeds, corpus, asOf: date, acceptShrink: true }, quietEffects())
    },
    contents: () => corpusContents(corpus),
    /** Makes the next night read every record of the list again, as an adapter version with other titles does. */
    raiseAdapter(formerTitle: string) {
      const database = openDatabase(corpus, { readonly: false })
      database.exec("UPDATE feed SET state = json_set(state, '$.adapter', -1) WHERE name = 'cvelist'")
      database.exec("UPDATE claim SET digest = x'00' WHERE feed = 'cvelist'")
      changeParts(database, ID, (parts) => {
        parts.core = JSON.stringify({ ...JSON.parse(parts.core), title: formerTitle })
      })
      database.close()
    },
    record() {
      const found = corpusContents(corpus).records.find(({ cveId }) => cveId === ID)
      const timeline = found ? (JSON.parse(found.parts.timeline) as TimelineEntry[]) : []
      return { version: found?.version ?? null, timeline }
    },
  }
}

/** Returns NVD's record of the CVE at `timestamp`: a score, and its default reference or these. */
function nvdJson(
  baseScore: number,
  timestamp: string,
  { urls = ['https://nvd.example/note'], weaknesses = [] }: Night['nvd'] = {},
): string {
  const cvssData = { version: '3.1', vectorString: `CVSS:3.1/${baseScore}`, baseScore, baseSeverity: 'MEDIUM' }
  const cve = {
    id: ID,
    published: day(1),
    lastModified: timestamp,
    vulnStatus: 'Analyzed',
    descriptions: [],
    metrics: { cvssMetricV31: [{ source: 'nvd@nist.gov', type: 'Primary', cvssData }] },
    weaknesses: weaknesses.map((value) => ({
      source: 'nvd@nist.gov',
      type: 'Primary',
      description: [{ lang: 'en', value }],
    })),
    references: urls.map((url) => ({ url, tags: ['Third Party Advisory'] })),
  }
  return JSON.stringify({ format: 'NVD_CVE', version: '2.0', timestamp, vulnerabilities: [{ cve }] })
}

const brief = ({ timeline }: { timeline: TimelineEntry[] }) =>
  timeline.map((one) => [one.title, one.version_from, one.version_to, one.changed_at])
const messages = ({ messages }: TimelineEntry) =>
  messages.slice(1).map((one) => [one.json_path, one.old_value, one.new_value])

const providers = ({ messages }: TimelineEntry) => messages.slice(1).map((one) => [one.json_path, one.provider])

/** Returns a score and a weakness as in a CNA's container. */
const scored = (baseScore: number) => ({
  metrics: [{ cvssV3_1: { version: '3.1', vectorString: `CVSS:3.1/${baseScore}`, baseScore, baseSeverity: 'HIGH' } }],
})
const mapped = (cweId: string) => ({
  problemTypes: [{ descriptions: [{ lang: 'en', type: 'CWE', cweId, description: cweId }] }],
})

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
  assert.equal(it.contents().rejected, [{ cveId: ID, date: day(3), reason: 'Given out twice.', replacedBy: [] }])
  await it.night({ rejected: false, updated: 4 })
  const returned = [
    ['Rejection withdrawn', 3, 4, day(4)],
    ['CVE rejected', 2, 3, day(3)],
  ]
  assert.equal([it.record().version, brief(it.record())], [4, [...returned, ...changed]])
  assert.equal(it.record().timeline.slice(0, 2).flatMap(messages), [
    ['$.state', 'REJECTED', 'PUBLISHED'],
    ['$.state', 'PUBLISHED', 'REJECTED'],
    ['$.state', null, 'Given out twice.'],
  ])
})

test('a record that the list lost for a night is back as it was, byte for byte', async () => {
  const it = nights()
  await it.night({ nvdScore: 5 })
  await it.night({ cna: { title: 'A worse fault' }, updated: 2 })
  const before = it.contents().records
  const lost = await it.night({ lost: true })
  assert.equal([lost.changes.removed, it.record().version], [[ID], null])
  const back = await it.night()
  assert.equal([back.changes.added, it.contents().records], [[ID], before])
})

test('what changed while a record was lost is told once it is back, of whoever brought it', async () => {
  const it = nights()
  await it.night({ kev: [OTHER] })
  await it.night({ lost: true, kev: [OTHER, ID] })
  await it.night()
  const listed = ['Added to the KEV catalogue', 2, 2, '2024-05-20T00:00:00.000Z']
  assert.equal([it.record().version, brief(it.record())], [2, [listed, PUBLISHED]])
  await it.night({ lost: true })
  await it.night({ cna: { title: 'A worse fault' }, updated: 5 })
  assert.equal(brief(it.record()), [['Title changed', 2, 3, day(5)], listed, PUBLISHED])
})

test('what changed while a record was rejected is told once it is published again', async () => {
  const it = nights()
  await it.night({ kev: [OTHER] })
  await it.night({ rejected: true, updated: 2 })
  await it.night({ kev: [OTHER, ID], nvdScore: 5 })
  await it.night({ rejected: false, cna: { title: 'A worse fault' }, updated: 4 })
  const { version, timeline } = it.record()
  assert.is(version, 3)
  assert.equal(
    brief({ timeline }).toSorted(),
    [
      ['CVE rejected', 1, 2, day(2)],
      ['Rejection withdrawn', 2, 3, day(4)],
      ['Title changed', 2, 3, day(4)],
      ...['CVSS changed', 'References changed', 'NVD analysis changed'].map((title) => [title, 3, 3, day(4)]),
      ['Added to the KEV catalogue', 3, 3, '2024-05-20T00:00:00.000Z'],
      PUBLISHED,
    ].toSorted(),
  )
})

test('a record that was rejected, then lost, is published again', async () => {
  const it = nights()
  await it.night()
  await it.night({ rejected: true, updated: 2 })
  await it.night({ lost: true })
  assert.equal(it.contents().rejected, [])
  await it.night({ rejected: false, updated: 4 })
  assert.equal(brief(it.record()), [['Rejection withdrawn', 2, 3, day(4)], ['CVE rejected', 1, 2, day(2)], PUBLISHED])
})

test('a rejection that is taken back, date and all, is told as the record’s', async () => {
  const it = nights()
  await it.night()
  await it.night({ rejected: true })
  await it.night({ rejected: false })
  assert.equal(brief(it.record()), [['Rejection withdrawn', 2, 3, day(1)], ['CVE rejected', 1, 2, day(1)], PUBLISHED])
})

test('a program that reads the list otherwise makes nothing the record’s of a record that is dated as it was', async () => {
  const it = nights()
  await it.night({ kev: [OTHER] })
  await it.night({ cna: { title: 'A worse fault' }, updated: 2 })
  const before = brief(it.record())
  it.raiseAdapter('A WORSE FAULT')
  const report = await it.night({ nvdScore: 5 })
  assert.equal([report.records.merged, report.records.changed], [2, 1])
  const at = [3, 3, day(3, '20:00:00.000Z')]
  const titles = ['CVSS changed', 'Title changed', 'References changed', 'NVD analysis changed']
  assert.equal(brief(it.record()), [...titles.map((title) => [title, ...at]), ...before])
})

test('and what the record did state anew is its own, even so', async () => {
  const it = nights()
  await it.night()
  it.raiseAdapter('A FAULT')
  await it.night({ cna: { title: 'A worse fault', ...mapped('CWE-79') }, updated: 2, nvdScore: 5 })
  const at = [2, 2, day(2, '20:00:00.000Z')]
  assert.equal(brief(it.record()), [
    ['CVSS changed', ...at],
    ['References changed', ...at],
    ['NVD analysis changed', ...at],
    ['Weaknesses changed', 1, 2, day(2)],
    ['Title changed', 1, 2, day(2)],
    PUBLISHED,
  ])
})

test('a reference and a weakness that the CNA and NVD state in one night are the record’s', async () => {
  const it = nights()
  await it.night({ nvdScore: 5 })
  const url = 'https://acme.example/fix'
  const references = [{ url: 'https://acme.example/advisories/1' }, { url }]
  const nvd = { urls: ['https://nvd.example/note', url], weaknesses: ['CWE-79'] }
  await it.night({ cna: { references, ...mapped('CWE-79') }, updated: 2, nvdScore: 5, nvd })
  const { timeline } = it.record()
  assert.equal(brief({ timeline }).slice(0, 2), [
    ['Weaknesses changed', 1, 2, day(2)],
    ['References changed', 1, 2, day(2)],
  ])
  assert.is(timeline.filter(({ version_to }) => version_to === 2).length, 2)
  assert.equal(timeline.slice(0, 2).map(providers), [
    [
      ['$.primary_cwe_id', 'cna'],
      ['$', 'cna'],
    ],
    [['$.references', 'cna']],
  ])
})

test('a headline that the CNA takes over is the record’s, whole, though NVD scored the same that night', async () => {
  const it = nights()
  await it.night({ nvdScore: 7.5 })
  await it.night({ cna: scored(9.8), updated: 2, nvdScore: 9.8 })
  const { timeline } = it.record()
  const [ofNvd, ofRecord] = timeline.filter(({ version_to }) => version_to === 2)
  assert.equal([ofNvd?.category, ofNvd?.version_from], ['nvd', 2])
  assert.equal([ofRecord?.category, ofRecord?.version_from, ofRecord?.changed_at], ['cvss', 1, day(2)])
  assert.equal(messages(ofRecord!).slice(0, 3), [
    ['$.severity', 'high', 'critical'],
    ['$.cvss_score', '7.5', '9.8'],
    ['$.cvss_score_source', 'nvd', 'cna'],
  ])
})

test('a message names who states the change: scores and weaknesses of NVD are NVD’s', async () => {
  const it = nights()
  await it.night()
  await it.night({ nvdScore: 5, nvd: { weaknesses: ['CWE-79'] } })
  const [cvss, weakness] = it.record().timeline
  const headline = ['$.severity', '$.cvss_score', '$.cvss_score_source'] as const
  assert.equal([cvss?.messages[0]?.provider, providers(cvss!)], ['nvd', headline.map((path) => [path, 'nvd'])])
  assert.equal(providers(weakness!), [
    ['$.primary_cwe_id', 'nvd'],
    ['$', 'nvd'],
  ])
  // The remaining claims do not show who withdrew it.
  await it.night({ nvdScore: 5 })
  assert.equal(providers(it.record().timeline[0]!), [
    ['$.primary_cwe_id', 'enrichment'],
    ['$', 'enrichment'],
  ])
  await it.night({ cna: { ...scored(9.8), ...mapped('CWE-20') }, updated: 4 })
  const own = it.record().timeline.filter(({ version_to }) => version_to === 4)
  assert.equal(
    own.map((entry) => entry.messages.map(({ provider }) => provider)),
    [
      ['cna', 'cna', 'cna', 'cna', 'cna'],
      ['cna', 'cna', 'cna'],
    ],
  )
  await it.night({ cna: { problemTypes: [] }, updated: 5 })
  assert.equal(providers(it.record().timeline[0]!), [
    ['$.primary_cwe_id', 'cna'],
    ['$', 'cna'],
  ])
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
    [['$.references', null, 'https://acme.example/fix']],
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
  assert.equal(
    messages(it.record().timeline[2]!).map(([path]) => path),
    ['$.cvss.metrics', '$.guidance.nvd_status'],
  )
})

test('a listing in KEV is dated by its entry; that it goes, by the catalog', async () => {
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
    [[['$.references', null, 'https://nvd.example/note']], [['$.references', null, 'https://acme.example/fix']]],
  )
})

test('EPSS and what the record does not serve make neither entry nor version', async () => {
  const it = nights()
  await it.night({ epss: 0.1 })
  await it.night({ epss: 0.9 })
  await it.night({ cna: { x_generator: { engine: 'Another' } } })
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
