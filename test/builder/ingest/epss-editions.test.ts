/** Past editions of EPSS: which files an ingest reads into the history, in which order, and what it refuses. */
import { mkdtempSync, rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { formatIngestReport } from '../../../builder/ingest/format-report.ts'
import { type IngestOptions, type IngestReport, ingest } from '../../../builder/ingest/ingest.ts'
import { pointsIn } from '../../../corpus/model/epss/history.ts'
import { cveBlock } from '../../../corpus/model/ids/cve-id.ts'
import { openCorpus } from '../../../corpus/store/corpus.ts'
import { quietEffects, temporaryFolder } from '../../support/dist.ts'
import { baselineZip, corpusContents, putFeeds } from '../../support/feeds.ts'

const root = temporaryFolder('epss-editions')
const test = suite('past editions of EPSS')
test.after(root.remove)

type CveName = `CVE-${string}`
const [A, B, C] = ['CVE-2024-0001', 'CVE-2024-0002', 'CVE-2019-12345'] as const
const LIST = 'cvelistv5/2024-06-01_all_CVEs.zip'
const DAYS = ['2024-06-01', '2024-06-02', '2024-06-03', '2024-06-04'] as const
type Scores = Partial<Record<CveName, [score: number, percentile: number]>>

const fileOf = (day: string) => `epss/epss_scores-${day}.csv.gz`
const csv = (day: string, scores: Scores, model = 'v1') =>
  gzipSync(
    `#model_version:${model},score_date:${day}T00:00:00+0000\ncve,epss,percentile\n${Object.entries(scores)
      .map(([id, values]) => `${id},${values}\n`)
      .join('')}`,
  )

/** What changes: A each day, B on the third, C with the model on the fourth. */
const FILES = {
  [DAYS[0]]: csv(DAYS[0], { [A]: [0.1, 0.5], [B]: [0.2, 0.6], [C]: [0.3, 0.7] }),
  [DAYS[1]]: csv(DAYS[1], { [A]: [0.11, 0.51], [B]: [0.2, 0.61], [C]: [0.3, 0.71] }),
  [DAYS[2]]: csv(DAYS[2], { [A]: [0.1, 0.5], [B]: [0.25, 0.62], [C]: [0.3, 0.72] }),
  [DAYS[3]]: csv(DAYS[3], { [A]: [0.15, 0.53], [B]: [0.25, 0.63], [C]: [0.3, 0.73] }, 'v2'),
}
const HISTORY = {
  [A]: ['06-01 0.1 0.5 v1', '06-02 0.11 0.51 v1', '06-03 0.1 0.5 v1', '06-04 0.15 0.53 v2'],
  [B]: ['06-01 0.2 0.6 v1', '06-03 0.25 0.62 v1', '06-04 0.25 0.63 v2'],
  [C]: ['06-01 0.3 0.7 v1', '06-04 0.3 0.73 v2'],
}

function corpusFolder() {
  const folder = mkdtempSync(join(root.path, 'case-'))
  const feeds = putFeeds(join(folder, 'feeds'), { [LIST]: baselineZip([{ id: A }, { id: B }]) })
  const corpus = join(folder, 'corpus.db')
  return {
    feeds,
    corpus,
    put: (...days: (keyof typeof FILES)[]) =>
      void putFeeds(feeds, Object.fromEntries(days.map((day) => [fileOf(day), FILES[day]]))),
    write: (files: Record<string, Uint8Array>) => void putFeeds(feeds, files),
    remove: (day: string) => rmSync(join(feeds, fileOf(day))),
    run: (options: Partial<IngestOptions> = {}) =>
      ingest({ feeds, corpus, jobs: 0, ...options }, { ...quietEffects(), now: () => new Date('2024-06-05') }),
    history: () => historyOf(corpus),
  }
}

function historyOf(path: string): Record<string, string[]> {
  const corpus = openCorpus(path)
  try {
    return Object.fromEntries(
      [A, B, C].map((id) => {
        const texts = corpus.epssHistory.segments(cveBlock(id)).map(({ text }) => text)
        const points = pointsIn(texts, Number(id.slice(-3)))!
        return [
          id,
          points.map(({ date, score, percentile, modelVersion }) =>
            [date.slice(5), score, percentile, modelVersion].join(' '),
          ),
        ]
      }),
    )
  } finally {
    corpus.close()
  }
}

const remarksOf = (report: IngestReport) =>
  report.feeds
    .find(({ name }) => name === 'epss')!
    .remarks.filter(({ code }) => code !== 'days-apart')
    .map(({ code, detail }) => `${code} ${detail}`)
const readBy = ({ epssHistory: { read, editions, points } }: IngestReport) => [read, editions, points]

test('all editions are read in the order of their dates, and the newest one gives the current scores', async () => {
  const it = corpusFolder()
  it.put(...DAYS)
  const report = await it.run()
  assert.equal(it.history(), HISTORY)
  assert.equal(report.epssHistory, { read: 4, editions: 4, first: DAYS[0], last: DAYS[3], points: 9 })
  const { release, scores } = corpusContents(it.corpus).epss
  assert.equal(release, { date: DAYS[3], modelVersion: 'v2' })
  assert.equal(
    scores.find(({ cveId }) => cveId === A),
    { cveId: A, score: 0.15, percentile: 0.53 },
  )
  assert.match(formatIngestReport(report), 'EPSS history: 4 editions from 2024-06-01 to 2024-06-04 (4 read), 9 points')
})

test('editions that arrive one at a time in any order give the same history', async () => {
  for (const order of [
    [0, 1, 2, 3],
    [3, 2, 1, 0],
    [2, 0, 3, 1],
  ]) {
    const it = corpusFolder()
    for (const [night, day] of order.entries()) {
      it.put(DAYS[day]!)
      const { epssHistory } = await it.run()
      assert.is(epssHistory.editions, night + 1)
    }
    assert.equal(it.history(), HISTORY, order.join())
  }
})

test('an older edition does not replace the current scores', async () => {
  const it = corpusFolder()
  it.put(DAYS[3])
  await it.run()
  const { epss } = corpusContents(it.corpus)
  it.put(DAYS[0])
  it.remove(DAYS[3])
  assert.equal(remarksOf(await it.run()), [
    `edition-kept ${fileOf(DAYS[0])} is of ${DAYS[0]}, the corpus has the edition of ${DAYS[3]}; --accept-older takes it`,
  ])
  assert.equal(corpusContents(it.corpus).epss, epss)
  assert.equal(it.history()[C], HISTORY[C])
})

test('rule 33: a later point without the file of its edition has no percentile', async () => {
  const it = corpusFolder()
  it.put(DAYS[0], DAYS[2])
  await it.run()
  assert.equal(it.history()[A], ['06-01 0.1 0.5 v1'])
  it.remove(DAYS[2])
  it.put(DAYS[1])
  await it.run()
  assert.equal(it.history()[A], ['06-01 0.1 0.5 v1', '06-02 0.11 0.51 v1', '06-03 0.1  v1'])
  assert.equal(it.history()[B], HISTORY[B].slice(0, 2))
})

test('an edition is read once, also under another name or with another time', async () => {
  const it = corpusFolder()
  it.put(...DAYS)
  await it.run()
  const report = await it.run()
  assert.equal(readBy(report), [0, 4, 9])
  assert.match(formatIngestReport(report), /^Nothing changed since the last ingest/)
  utimesSync(join(it.feeds, fileOf(DAYS[1])), 1, 1)
  it.remove(DAYS[0])
  it.write({ 'epss/older/epss_scores-2024-06-01.csv.gz': FILES[DAYS[0]] })
  assert.equal(readBy(await it.run()), [0, 4, 9])
  for (const day of DAYS.slice(1, 3)) it.remove(day)
  assert.equal(readBy(await it.run()), [0, 4, 9])
  assert.equal(it.history(), HISTORY)
})

test('a corrected edition of the same date replaces the former one', async () => {
  const it = corpusFolder()
  it.put(...DAYS)
  it.write({ [fileOf(DAYS[1])]: csv(DAYS[1], { [A]: [0.9, 0.99], [B]: [0.9, 0.99] }, 'wrong') })
  await it.run({ acceptShrink: true })
  assert.equal(it.history()[B]![1], '06-02 0.9 0.99 wrong')
  it.put(DAYS[1])
  const report = await it.run()
  // The edition after it is read too.
  assert.equal(readBy(report), [2, 4, 9])
  assert.equal(it.history(), HISTORY)
})

test('editions after --as-of, or dated in the future, are not read', async () => {
  const it = corpusFolder()
  it.put(...DAYS)
  it.write({ 'epss/epss_scores-2062-01-01.csv.gz': csv('2062-01-01', { [A]: [0.9, 0.9] }) })
  assert.equal((await it.run({ asOf: DAYS[1] })).epssHistory.last, DAYS[1])
  assert.equal((await it.run()).epssHistory.last, DAYS[3])
  assert.equal(it.history(), HISTORY)
})

test('rule 33: an edition that cannot be used is reported, and the others are read; the next ingest tries it again', async () => {
  const it = corpusFolder()
  const faults: [name: string, bytes: Uint8Array, fault: RegExp][] = [
    ['cut', FILES[DAYS[1]].subarray(0, 60), /cannot be read: .*; replace it with a valid one, or remove it$/],
    ['a page', gzipSync('<html>'), /line 1 is not "cve,epss,percentile"/],
    ['empty', csv(DAYS[1], {}), /has no score$/],
    ['no scores', gzipSync('#model_version:v1\ncve,epss,percentile\nx,1,1\n'), /has no score$/],
    ['shrunken', csv(DAYS[1], { [A]: [0.1, 0.1] }), /has 1 scores, the edition of 2024-06-01 has 3; --accept-shrink/],
  ]
  it.put(...DAYS)
  for (const [name, bytes, fault] of faults) {
    it.write({ [fileOf(DAYS[1])]: bytes })
    for (const _ of [1, 2]) {
      const report = await it.run()
      const remarks = remarksOf(report).filter((remark) => remark.startsWith('edition-unusable'))
      assert.is(remarks.length, 1, name)
      assert.match(remarks[0]!, fault, name)
      assert.ok(remarks[0]!.includes(fileOf(DAYS[1])), remarks[0])
      assert.equal(it.history()[A], [HISTORY[A][0], HISTORY[A][3]], name)
    }
  }
  it.put(DAYS[1])
  assert.equal(remarksOf(await it.run()), [])
  assert.equal(it.history(), HISTORY)
})

test('lines that are no scores are counted', async () => {
  const it = corpusFolder()
  it.put(DAYS[3])
  const lines = `cve,epss,percentile\n${A},0.1,0.5\n${B},2,0.6\nnothing\n${C},0.3,0.7\n`
  it.write({ [fileOf(DAYS[0])]: gzipSync(`#model_version:v1,score_date:${DAYS[0]}\n${lines}`) })
  assert.equal(remarksOf(await it.run()), [
    `edition-lines ${fileOf(DAYS[0])}: 2 skipped, the first one: line 4 is not a CVE id and two numbers from 0 to 1: "${B},2,0.6"`,
  ])
  assert.equal(it.history()[A], ['06-01 0.1 0.5 v1', HISTORY[A][3]])
})

test('rule 33: the first editions state no percentile and no model', async () => {
  const it = corpusFolder()
  it.put(DAYS[3])
  it.write({ [fileOf('2021-04-14')]: gzipSync(`cve,epss\n${A},0.0123456\n`) })
  await it.run()
  assert.equal(it.history()[A], ['04-14 0.0123456  unknown', HISTORY[A][3]])
})

test.run()
