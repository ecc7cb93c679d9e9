/** Ingest: what it reads, what a night changes, what stops it, and what a kill leaves behind. */
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { IngestError } from '../../../builder/ingest/error.ts'
import { type IngestOptions, type IngestReport, ingest } from '../../../builder/ingest/ingest.ts'
import { openWorkspace } from '../../../builder/ingest/workspace.ts'
import { StoreError } from '../../../corpus/store/error.ts'
import { quietEffects, temporaryFolder } from '../../support/dist.ts'
import {
  baselineZip,
  cnaJson,
  corpusContents,
  cveRecord,
  deltaZip,
  epssCsv,
  kevJson,
  putFeeds,
  recordPath,
  type SmallRecord,
  zipOf,
} from '../../support/feeds.ts'
import { Killed, killedEffects } from '../../support/killed-effects.ts'

const root = temporaryFolder('ingest')

const id = (number: number) => `CVE-2024-${String(number).padStart(4, '0')}` as const
const TWENTY: SmallRecord[] = Array.from({ length: 20 }, (_, i) => ({ id: id(i + 1) }))
const LIST = 'cvelistv5/2024-06-01_all_CVEs.zip'
const NEXT_LIST = 'cvelistv5/2024-06-02_all_CVEs.zip'
const KEV = 'kev/known_exploited_vulnerabilities.json'
const FIRST_NIGHT = {
  [LIST]: baselineZip([...TWENTY, { id: id(21), state: 'REJECTED' }]),
  [KEV]: kevJson([id(1), id(2), 'CVE-2020-9999']),
  'epss/epss_scores-2024-06-01.csv.gz': epssCsv(
    [
      [id(1), 0.9, 0.99],
      [id(900), 0.1, 0.2],
    ],
    '2024-06-01',
  ),
  'cna/CNAsList.json': cnaJson(['acme']),
}

/** Creates a feeds folder with these files, and a path for a new corpus. */
function position(files: Record<string, Uint8Array | string | null> = FIRST_NIGHT) {
  const folder = mkdtempSync(join(root.path, 'case-'))
  const feeds = putFeeds(join(folder, 'feeds'), files)
  const corpus = join(folder, 'corpus.db')
  return {
    folder,
    feeds,
    corpus,
    put: (more: Record<string, Uint8Array | string | null>) => void putFeeds(feeds, more),
    run: (options: Partial<IngestOptions> = {}) => ingest({ feeds, corpus, ...options }, quietEffects()),
    contents: () => corpusContents(corpus),
    /** Returns the files except feeds and lock. SQLite's log belongs to the corpus; it can stay after a reader. */
    left: () => readdirSync(folder).filter((name) => !/^feeds$|\.lock$|\.db-(wal|shm)$/.test(name)),
  }
}

/** Returns `read kept added changed removed held` of a feed. */
function figures(report: IngestReport, name: string): number[] {
  const feed = report.feeds.find((one) => one.name === name)!
  const skipped = feed.skipped.reduce((sum, { items }) => sum + items.length, 0)
  assert.is(feed.read, feed.kept + skipped, `${name}: read is kept and skipped`)
  return [feed.read, feed.kept, feed.added, feed.changed, feed.removed, feed.held]
}

const skips = (report: IngestReport, name: string) =>
  report.feeds
    .find((feed) => feed.name === name)!
    .skipped.flatMap(({ reason, items }) => items.map(({ key }) => `${key} ${reason}`))

async function refusal(work: Promise<unknown>, code: IngestError['code']): Promise<string> {
  const error = await work.then(
    () => assert.unreachable('it was let through'),
    (cause: unknown) => cause,
  )
  assert.instance(error, IngestError, String(error))
  assert.is((error as IngestError).code, code)
  return (error as IngestError).message
}

const nights = suite('nights')

nights('the first ingest takes everything over, and says what it took', async () => {
  const it = position()
  const report = await it.run()
  assert.equal(figures(report, 'cvelist'), [21, 21, 21, 0, 0, 0])
  assert.equal(figures(report, 'kev'), [3, 3, 3, 0, 0, 0])
  assert.equal(figures(report, 'epss'), [2, 2, 2, 0, 0, 0])
  assert.equal(figures(report, 'cna'), [1, 1, 1, 0, 0, 0])
  assert.equal(report.records, { total: 20, added: 20, changed: 0, removed: 0, merged: 20 })
  assert.is(report.rejected, 1)
  assert.is(report.corpusDate, '2024-05-02T08:00:00.000Z')
  assert.equal(report.withoutRecord, [
    { feed: 'kev', cveIds: ['CVE-2020-9999'] },
    { feed: 'epss', cveIds: [id(900)] },
  ])
  assert.equal(it.left(), ['corpus.db'])
})

nights('a record dated after its release does not move the corpus date, and is named', async () => {
  const it = position()
  const odd = { id: id(30), updated: '9999-12-31T00:00:00.000Z' }
  const late = { id: id(31), updated: '2024-06-02T23:00:00.000Z' }
  it.put({
    [LIST]: zipOf(
      Object.fromEntries([...TWENTY, odd, late].map((one) => [recordPath(one.id), JSON.stringify(cveRecord(one))])),
    ),
  })
  const report = await it.run()
  assert.is(report.corpusDate, late.updated)
  const { notes } = report.feeds.find(({ name }) => name === 'cvelist')!
  assert.equal(notes, [
    {
      reason: 'date-after-release',
      items: [{ key: odd.id, detail: `it is dated ${odd.updated}, after its release` }],
    },
  ])
  assert.is((await it.run()).corpusDate, late.updated)
})

nights('the same files again change not a byte of the corpus', async () => {
  const it = position()
  await it.run()
  const before = readFileSync(it.corpus)
  const report = await it.run()
  assert.equal(
    report.feeds
      .filter(({ status }) => status !== 'absent')
      .map(({ name, status, added, changed, removed }) => [name, status, added, changed, removed]),
    ['kev', 'cna', 'epss', 'cvelist'].map((name) => [name, 'unchanged', 0, 0, 0]),
  )
  assert.equal(figures(report, 'cvelist').slice(0, 2), [21, 21])
  assert.is(report.records.merged, 0)
  assert.ok(readFileSync(it.corpus).equals(before))
})

nights('the same records in other files are known, and change neither digest nor version nor timeline', async () => {
  const it = position()
  await it.run()
  const { feeds: _before, ...before } = it.contents()
  const files = [...TWENTY].reverse().map((record) => [recordPath(record.id), JSON.stringify(cveRecord(record))])
  const rejected = [recordPath(id(21)), JSON.stringify(cveRecord({ id: id(21), state: 'REJECTED' }))]
  it.put({ [LIST]: zipOf(Object.fromEntries([...files, rejected]), 0), [KEV]: `${FIRST_NIGHT[KEV]}\n` })
  const report = await it.run()
  assert.equal(figures(report, 'cvelist'), [21, 21, 0, 0, 0, 0])
  assert.equal(figures(report, 'kev'), [3, 3, 0, 0, 0, 0])
  assert.is(report.records.merged, 0)
  const { feeds: _after, ...after } = it.contents()
  assert.equal(after, before)
})

nights('a night raises the versions of what it changed, and of nothing else', async () => {
  const it = position()
  await it.run()
  const changed = { id: id(3), title: 'Another fault', updated: '2024-06-02T01:00:00.000Z' }
  it.put({
    [NEXT_LIST]: baselineZip([
      ...TWENTY.filter(({ id: one }) => one !== id(3) && one !== id(4)),
      changed,
      { id: id(30) },
      { id: id(21), state: 'REJECTED' },
    ]),
  })
  const report = await it.run()
  assert.equal(figures(report, 'cvelist'), [21, 21, 1, 1, 1, 0])
  assert.equal(report.records, { total: 20, added: 1, changed: 1, removed: 1, merged: 2 })
  assert.is(report.corpusDate, '2024-06-02T01:00:00.000Z')
  const { records } = it.contents()
  assert.equal(
    records.filter(({ version }) => version > 1).map(({ cveId, version }) => [cveId, version]),
    [[id(3), 2]],
  )
  assert.not.ok(records.some(({ cveId }) => cveId === id(4)))
  const three = records.find(({ cveId }) => cveId === id(3))!
  assert.is(JSON.parse(three.parts.core).title, 'Another fault')
  const [newest] = JSON.parse(three.parts.timeline)
  assert.equal([newest.version_from, newest.version_to, newest.changed_at], [1, 2, '2024-06-02T01:00:00.000Z'])
})

nights('a KEV listing that comes is dated by its entry, one that goes by the catalog', async () => {
  const it = position()
  await it.run()
  it.put({ [KEV]: kevJson([id(1), id(5), 'CVE-2020-9999'], '2024-06-03T10:00:00.000Z') })
  const report = await it.run({ acceptShrink: true })
  assert.equal(figures(report, 'kev'), [3, 3, 1, 0, 1, 0])
  assert.equal(report.records, { total: 20, added: 0, changed: 2, removed: 0, merged: 2 })
  const listed = it.contents().records.filter(({ parts }) => JSON.parse(parts.core).kev.listed)
  assert.equal(
    listed.map(({ cveId, version }) => [cveId, version]),
    [
      [id(1), 1],
      [id(5), 2],
    ],
  )
  assert.is(newestChange(it, id(5)), '2024-05-20T00:00:00.000Z')
  assert.is(newestChange(it, id(2)), '2024-06-03T10:00:00.000Z')
})

nights('a change is dated by the feed that brought it, at the first instant where that states a day', async () => {
  const it = position({
    [LIST]: FIRST_NIGHT[LIST],
    'kev/2024-06-01/known_exploited_vulnerabilities.json': undated([id(1), id(5), id(6)]),
  })
  await it.run()
  it.put({ 'kev/2024-06-03/known_exploited_vulnerabilities.json': undated([id(1), id(6)]) })
  await it.run({ acceptShrink: true })
  assert.is(newestChange(it, id(5)), '2024-06-03T00:00:00.000Z')
  // The CNA list has a later date, or none, and contains no CVE.
  it.put({
    'kev/2024-06-04/known_exploited_vulnerabilities.json': undated([id(1)]),
    'cna/2024-06-09/CNAsList.json': cnaJson(['acme']),
  })
  await it.run({ acceptShrink: true })
  assert.is(newestChange(it, id(6)), '2024-06-04T00:00:00.000Z')
})

/** Returns a catalog without a release date: the day of its folder dates it. */
const undated = (ids: string[]) => JSON.stringify({ ...JSON.parse(kevJson(ids)), dateReleased: undefined })

function newestChange(it: ReturnType<typeof position>, cveId: string): string {
  const { parts } = it.contents().records.find((record) => record.cveId === cveId)!
  return JSON.parse(parts.timeline)[0].changed_at
}

nights('new scores replace the old ones and touch no record', async () => {
  const it = position()
  await it.run()
  it.put({
    'epss/epss_scores-2024-06-02.csv.gz': epssCsv(
      [
        [id(1), 0.8, 0.98],
        [id(900), 0.1, 0.2],
        [id(2), 0, 0],
      ],
      '2024-06-02',
    ),
  })
  const report = await it.run()
  assert.equal(figures(report, 'epss'), [3, 3, 1, 1, 0, 0])
  assert.is(report.records.merged, 0)
  const { release, scores } = it.contents().epss
  assert.is(release?.date, '2024-06-02')
  assert.equal(
    scores.map(({ cveId, score }) => [cveId, score]),
    [
      [id(1), 0.8],
      [id(2), 0],
      [id(900), 0.1],
    ],
  )
})

nights('scores of a file without its first line are of the day in its name, by a model unknown', async () => {
  const csv = gzipSync(`cve,epss,percentile\n${id(1)},0.5,0.9\n`)
  const it = position({ [LIST]: FIRST_NIGHT[LIST], 'epss/epss_scores-2021-04-14.csv.gz': csv })
  await it.run()
  assert.equal(it.contents().epss.release, { date: '2021-04-14', modelVersion: 'unknown' })
})

nights('a record that is rejected leaves a tombstone, and comes back when it is published again', async () => {
  const it = position()
  await it.run()
  it.put({ [NEXT_LIST]: baselineZip([...TWENTY.slice(1), { id: id(1), state: 'REJECTED' }, { id: id(21) }]) })
  const report = await it.run()
  assert.equal(report.records, { total: 20, added: 1, changed: 0, removed: 1, merged: 1 })
  assert.equal(it.contents().rejected, [
    { cveId: id(1), date: '2024-05-02T08:00:00.000Z', reason: 'Given out twice.', replacedBy: [] },
  ])
  assert.equal([report.changes.kevAdded, report.changes.kevRemoved], [[], [id(1)]], 'it was listed')
  it.put({ 'cvelistv5/2024-06-03_all_CVEs.zip': baselineZip([...TWENTY, { id: id(21) }]) })
  const { changes } = await it.run()
  assert.equal([changes.added, changes.kevAdded, changes.kevRemoved], [[id(1)], [id(1)], []])
})

nights('a listed record that the list does not have any more counts as removed from KEV', async () => {
  const it = position()
  await it.run()
  it.put({ [NEXT_LIST]: baselineZip(TWENTY.slice(1)) })
  const { changes } = await it.run()
  assert.equal([changes.removed, changes.kevRemoved], [[id(1)], [id(1)]])
})

nights('a record that is published again after its rejection goes on with its version and its timeline', async () => {
  const it = position()
  const night = (day: number, one: Partial<SmallRecord>) => {
    const record = { id: id(1), updated: `2024-06-0${day}T01:00:00.000Z`, ...one }
    it.put({ [`cvelistv5/2024-06-0${day}_all_CVEs.zip`]: baselineZip([...TWENTY.slice(1), record]) })
    return it.run()
  }
  await it.run()
  await night(2, { title: 'Another fault' })
  await night(3, { state: 'REJECTED' })
  // Merged again as a rejected record; its version and timeline stay.
  await it.run({ mission: 'high' })
  await it.run()
  const report = await night(4, {})
  assert.equal(report.records, { total: 20, added: 1, changed: 0, removed: 0, merged: 1 })
  const record = it.contents().records[0]!
  assert.equal([record.cveId, record.version], [id(1), 4])
  const entries: { title: string; version_from: number; version_to: number; changed_at: string }[] = JSON.parse(
    record.parts.timeline,
  )
  assert.equal(
    entries.map((entry) => [entry.title, entry.version_from, entry.version_to, entry.changed_at.slice(0, 10)]),
    [
      ['Rejection withdrawn', 3, 4, '2024-06-04'],
      ['Title changed', 3, 4, '2024-06-04'],
      ['CVE rejected', 2, 3, '2024-06-03'],
      ['Title changed', 1, 2, '2024-06-02'],
      ['Added to the KEV catalogue', 1, 1, '2024-05-20'],
      ['CVE published', 1, 1, '2024-05-01'],
    ],
  )
  await night(5, { title: 'A third fault' })
  assert.is(it.contents().records[0]!.version, 5)
})

nights('an id that was rejected before it ever was a record begins as version 1', async () => {
  const it = position()
  await it.run()
  it.put({ [NEXT_LIST]: baselineZip([...TWENTY, { id: id(21) }]) })
  await it.run()
  const record = it.contents().records.find(({ cveId }) => cveId === id(21))!
  assert.is(record.version, 1)
  const titles = (JSON.parse(record.parts.timeline) as { title: string }[]).map(({ title }) => title)
  assert.equal(titles.toSorted(), ['CVE published', 'CVE rejected', 'Rejection withdrawn'])
})

nights('deltas go on top of the baseline, and an older record never replaces a newer one', async () => {
  const it = position()
  await it.run()
  it.put({
    'cvelistv5/2024-06-02_delta_CVEs.zip': deltaZip([
      { id: id(1), title: 'Newer', updated: '2024-06-02T01:00:00.000Z' },
      { id: id(2), title: 'Older', updated: '2024-01-01T01:00:00.000Z' },
      { id: id(31) },
    ]),
  })
  const report = await it.run()
  assert.equal(figures(report, 'cvelist'), [24, 22, 1, 1, 0, 0])
  assert.equal(skips(report, 'cvelist'), [`${id(1)} superseded`, `${id(2)} superseded`])
  const titles = it.contents().records.map(({ parts }) => JSON.parse(parts.core).title)
  assert.equal(titles.slice(0, 3), ['Newer', `A fault in ${id(2)}`, `A fault in ${id(3)}`])
})

nights('of two records with one id in a baseline the later one counts, and the other is named', async () => {
  const twice = (title: string) => JSON.stringify(cveRecord({ id: id(1), title }))
  const zip = zipOf({
    'cves/2024/0xxx/CVE-2024-0001.json': twice('First'),
    'other/CVE-2024-0001.json': twice('Second'),
  })
  const it = position({ [LIST]: zip })
  const report = await it.run()
  assert.equal(figures(report, 'cvelist'), [2, 1, 1, 0, 0, 0])
  assert.equal(skips(report, 'cvelist'), [`${id(1)} duplicate`])
  assert.is(JSON.parse(it.contents().records[0]!.parts.core).title, 'Second')
})

nights('a record that cannot be read today stays as it was, and is named', async () => {
  const it = position()
  await it.run()
  const files = TWENTY.map((record) => [recordPath(record.id), JSON.stringify(cveRecord(record))])
  it.put({ [NEXT_LIST]: zipOf({ ...Object.fromEntries(files), [recordPath(id(7))]: '{"cveMetadata"' }) })
  const report = await it.run()
  assert.equal(figures(report, 'cvelist'), [20, 19, 0, 0, 1, 1])
  assert.equal(skips(report, 'cvelist'), [`${id(7)} json_invalid`])
  assert.is(it.contents().records.length, 20)
  assert.is(it.contents().feeds.find(({ name }) => name === 'cvelist')!.records, 20)
})

nights('as of a date, each feed is taken as it was then; a feed without a file by then is absent', async () => {
  const it = position({
    ...FIRST_NIGHT,
    [NEXT_LIST]: baselineZip([...TWENTY, { id: id(40) }]),
    [KEV]: kevJson([id(1)], '2024-06-02T10:00:00.000Z'),
  })
  const first = await it.run({ asOf: '2024-06-01' })
  assert.is(first.records.total, 20)
  assert.is(first.feeds.find(({ name }) => name === 'kev')!.status, 'absent')
  const second = await it.run({ asOf: '2024-06-02' })
  assert.is(second.records.total, 21)
  assert.equal(figures(second, 'kev'), [1, 1, 1, 0, 0, 0])
})

nights('oddities are counted for as long as they are there, whether read anew or known', async () => {
  const it = position()
  const noted = (report: IngestReport) =>
    report.feeds
      .find(({ name }) => name === 'cvelist')!
      .notes.flatMap(({ reason, items }) => items.map(({ key }) => `${key} ${reason}`))
  const odd = (number: number) => ({ id: id(number), updated: 'some day' })
  it.put({ [LIST]: baselineZip([odd(1), odd(2), ...TWENTY.slice(2)]) })
  const both = [...new Set(noted(await it.run()))]
  assert.equal(both, [`${id(1)} date-impossible`, `${id(2)} date-impossible`])
  assert.equal([...new Set(noted(await it.run()))], both, 'the very same files')
  it.put({ [NEXT_LIST]: baselineZip([odd(1), { id: id(2) }, ...TWENTY.slice(2)]) })
  assert.equal([...new Set(noted(await it.run()))], both.slice(0, 1), 'one known, one mended')
})

nights('a feed whose file is gone is absent, and its data stays', async () => {
  const it = position()
  await it.run()
  it.put({ [KEV]: null })
  const report = await it.run()
  assert.is(report.feeds.find(({ name }) => name === 'kev')!.status, 'absent')
  assert.is(report.records.merged, 0)
  assert.is(it.contents().records.filter(({ parts }) => JSON.parse(parts.core).kev.listed).length, 2)
})

nights('another mission merges every record again', async () => {
  const it = position()
  await it.run()
  const report = await it.run({ mission: 'high' })
  assert.is(report.records.merged, 20)
})

nights.run()

const refusals = suite('refusals')

const records = (count: number) => baselineZip(TWENTY.slice(0, count))
const REFUSALS: [
  what: string,
  change: Record<string, Uint8Array | string>,
  code: IngestError['code'],
  message: RegExp,
][] = [
  [
    'a CVE list that lost 30 % of its records',
    { [NEXT_LIST]: records(14) },
    'feed-shrank',
    /^CVE list: 7 of the corpus's 21 records \(33\.3 %\).*--accept-shrink/,
  ],
  [
    'a truncated zip',
    { [NEXT_LIST]: records(20).subarray(0, 900) },
    'feed-unusable',
    /^CVE list: cvelistv5\/2024-06-02_all_CVEs\.zip: /,
  ],
  [
    'a KEV file of no bytes',
    { [KEV]: '' },
    'feed-unusable',
    /^KEV: kev\/known_exploited_vulnerabilities\.json is empty; replace it with a valid one, or remove it: .*keeps/,
  ],
  [
    'a KEV catalogue without entries',
    { [KEV]: kevJson([]) },
    'feed-empty',
    /^KEV: no usable record among the 0 read; the corpus has 3; --accept-shrink accepts it/,
  ],
]

for (const [what, change, code, message] of REFUSALS) {
  refusals(`${what} stops the ingest; the corpus is yesterday's`, async () => {
    const it = position()
    await it.run()
    const before = readFileSync(it.corpus)
    it.put({ ...change, 'cna/CNAsList.json': cnaJson(['acme', 'zeta']) })
    assert.match(await refusal(it.run(), code), message)
    assert.ok(readFileSync(it.corpus).equals(before))
    assert.equal(it.left(), ['corpus.db'])
  })
}

refusals('--accept-shrink lets a smaller list through', async () => {
  const it = position()
  await it.run()
  it.put({ [NEXT_LIST]: records(14) })
  const report = await it.run({ acceptShrink: true })
  assert.equal(report.records, { total: 14, added: 0, changed: 0, removed: 6, merged: 0 })
})

refusals('a loss of a tenth is still let through', async () => {
  const it = position({ [LIST]: records(20) })
  await it.run()
  it.put({ [NEXT_LIST]: records(18) })
  assert.is((await it.run()).records.removed, 2)
})

refusals('a first ingest that fails leaves nothing behind', async () => {
  const it = position({ ...FIRST_NIGHT, [LIST]: records(20).subarray(0, 900) })
  await refusal(it.run(), 'feed-unusable')
  assert.equal(it.left(), [])
})

refusals('a folder that holds no feeds, or is none, is told how to fill one', async () => {
  const it = position({ 'holiday/photo.jpg': '' })
  assert.match(
    await refusal(it.run(), 'no-feeds'),
    /has no file of a known feed \(builder\/README\.md .*`vulnshelf fetch /,
  )
  assert.match(
    await refusal(it.run({ feeds: join(it.feeds, 'none') }), 'no-feeds'),
    /the feeds folder .* does not exist; .*`vulnshelf sample /,
  )
  const file = join(it.feeds, 'holiday/photo.jpg')
  assert.match(await refusal(it.run({ feeds: file }), 'no-feeds'), /photo\.jpg is a file, not a feeds folder; /)
  assert.equal(it.left(), [])
})

refusals('feeds without a CVE list, or with none that early, are refused', async () => {
  const it = position({ [KEV]: kevJson([id(1)]) })
  assert.match(await refusal(it.run(), 'feed-missing'), /has no CVE list; expected cvelistv5\//)
  it.put(FIRST_NIGHT)
  assert.match(
    await refusal(it.run({ asOf: '2024-05-31' }), 'feed-missing'),
    /dated up to 2024-05-31; the oldest is dated 2024-06-01/,
  )
})

refusals('an impossible date is refused', async () => {
  assert.match(await refusal(position().run({ asOf: '2024-02-30' }), 'usage'), /invalid --as-of/)
})

refusals('a file that is not a corpus is refused and left alone', async () => {
  const it = position()
  copyFileSync(join(it.feeds, LIST), it.corpus)
  const before = readFileSync(it.corpus)
  const error = await it.run().then(
    () => null,
    (cause: unknown) => cause,
  )
  assert.instance(error, StoreError)
  assert.ok(readFileSync(it.corpus).equals(before))
})

refusals('a second ingest beside a running one is refused as busy', async () => {
  const it = position()
  await it.run()
  it.put({ [NEXT_LIST]: baselineZip([...TWENTY, { id: id(40) }]) })
  const effects = quietEffects()
  let second: string | undefined
  // Leftovers of a killed ingest are removed after the transaction began, which stays open until the second ingest
  // fails.
  const remove = async (path: string) => {
    second ??= await refusal(it.run(), 'busy')
    await effects.remove(path)
  }
  await ingest({ feeds: it.feeds, corpus: it.corpus }, { ...effects, remove })
  assert.match(second!, /another ingest is writing to/)
  assert.is(it.contents().records.length, 21)
})

refusals('a second first ingest is refused as busy, and takes nothing from the one that is running', async () => {
  for (const step of ['reading CVE list', 'merging']) {
    const it = position()
    let second: Promise<string> | undefined
    const log = (line: string) => {
      if (line === step) second = refusal(it.run(), 'busy')
    }
    await ingest({ feeds: it.feeds, corpus: it.corpus }, { ...quietEffects(), log })
    assert.match(await second!, /another ingest is writing to/)
    assert.is(it.contents().records.length, 20)
    assert.equal(it.left(), ['corpus.db'])
  }
})

refusals.run()

const kill = suite('kill')

const SECOND_NIGHT = {
  [LIST]: null,
  // A zip in a zip, so that a spilled file remains.
  [NEXT_LIST]: zipOf({
    'cves.zip': baselineZip([
      ...TWENTY.slice(1),
      { id: id(2), title: 'Changed', updated: '2024-06-02T00:00:00.000Z' },
      { id: id(50) },
      { id: id(21), state: 'REJECTED' },
    ]),
  }),
  [KEV]: kevJson([id(1), id(2), id(3), 'CVE-2020-9999'], '2024-06-02T10:00:00.000Z'),
  'epss/epss_scores-2024-06-02.csv.gz': epssCsv(
    [
      [id(2), 0.7, 0.9],
      [id(900), 0.1, 0.2],
    ],
    '2024-06-02',
  ),
}

/** Kills an ingest before each of its steps in turn. */
async function killedAtEachStep(isFirst: boolean): Promise<void> {
  const begin = async () => {
    const it = position()
    if (isFirst) return it
    await it.run()
    it.put(SECOND_NIGHT)
    return it
  }
  const undisturbed = await begin()
  const yesterday = isFirst ? null : undisturbed.contents()
  const counted = killedEffects()
  await ingest({ feeds: undisturbed.feeds, corpus: undisturbed.corpus, acceptShrink: true }, counted.effects)
  const wanted = undisturbed.contents()
  assert.not.equal(wanted, yesterday)
  const commit = counted.steps.indexOf(isFirst ? 'rename' : 'commit ingest')
  assert.ok(commit > 0, counted.steps.join())

  for (let at = 0; at < counted.steps.length; at++) {
    const it = await begin()
    const where = `killed before step ${at}, ${counted.steps[at]}`
    const { effects } = killedEffects(at)
    const error = await ingest({ feeds: it.feeds, corpus: it.corpus, acceptShrink: true }, effects).then(
      () => null,
      (cause: unknown) => cause,
    )
    assert.instance(error, Killed, where)
    const now = existsSync(it.corpus) ? it.contents() : null
    assert.equal(now, at <= commit ? yesterday : wanted, where)
    await it.run({ acceptShrink: true })
    assert.equal(it.contents(), wanted, `${where}, then run again`)
    assert.equal(it.left(), ['corpus.db'], where)
  }
}

kill('killed before any step of a first ingest, there is not a corpus or the whole one; the next run completes', () =>
  killedAtEachStep(true),
)

kill("killed before any step of a second night, the corpus is yesterday's or today's; the next run completes", () =>
  killedAtEachStep(false),
)

kill('a log that a kill left beside an unfinished first corpus goes', async () => {
  const it = position()
  for (const suffix of ['.new', '.new-wal', '.new-shm', '.new-journal'])
    writeFileSync(it.corpus + suffix, 'left by a kill')
  await it.run()
  assert.equal(it.left(), ['corpus.db'])
  assert.is(it.contents().records.length, 20)
})

kill('a first corpus has no journal on disk: a kill would leave it to the next', async () => {
  const it = position()
  const seen = new Set<string>()
  await ingest({ feeds: it.feeds, corpus: it.corpus }, quietEffects(), () => {
    for (const name of it.left()) seen.add(name)
  })
  assert.equal([...seen], ['corpus.db.new'])
})

kill('a commit to a corpus is on disk when it returns', async () => {
  const it = position()
  await it.run()
  const workspace = await openWorkspace(it.corpus, quietEffects())
  const FULL = 2
  assert.is(workspace.database.pragma('synchronous', { simple: true }), FULL)
  await workspace.close()
})

kill.after(root.remove)
kill.run()
