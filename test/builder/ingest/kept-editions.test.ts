/** Files that the corpus does not take, because its own edition is better: older copies, dates in the future, faults of one part. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type IngestOptions, ingest } from '../../../builder/ingest/ingest.ts'
import type { Effects } from '../../../corpus/command/effects.ts'
import { osvEntry } from '../../contract/support/upstream.ts'
import { quietEffects } from '../../support/dist.ts'
import { corpusContents, epssCsv, kevJson, zipOf } from '../../support/feeds.ts'
import { refusal } from '../../support/refusal.ts'
import {
  FORMS,
  good,
  id,
  items,
  type Night,
  openNight,
  removeNights,
  reportOf,
  skipsOf,
  TODAY,
  YESTERDAY,
} from './good-night.ts'

const at = (day: string): Effects => ({ ...quietEffects(), now: () => new Date(`${day}T06:00:00Z`) })
const nightAt = ({ feeds, corpus }: Night, day: string, options: Partial<IngestOptions> = {}) =>
  ingest({ feeds, corpus, jobs: 0, ...options }, at(day))
const remarksOf = (report: Awaited<ReturnType<typeof ingest>>, name: Parameters<typeof reportOf>[1]) =>
  reportOf(report, name).remarks.map(({ code, detail }) => `${code} ${detail}`)
const advisories = ({ corpus }: Night) => corpusContents(corpus).feeds.find(({ name }) => name === 'osv')!.records

type Entry = ReturnType<typeof osvEntry>
const zip = (entries: readonly Entry[]) =>
  zipOf(Object.fromEntries(entries.map((one) => [`${one.id}.json`, JSON.stringify(one)])))
const entry = (n: number, modified: string, more = {}, name = 'NPM') =>
  osvEntry(`${name}-${n}`, [], {
    modified,
    affected: [{ package: { ecosystem: 'npm', name: `p${n}` }, versions: ['1'] }],
    ...more,
  })
const [OLD, NEW] = ['2024-05-06T10:00:00Z', '2024-06-01T10:00:00Z']
const [NPM, PYPI, GO] = ['osv/npm/all.zip', 'osv/PyPI/all.zip', 'osv/Go/all.zip']

/** Returns a night whose corpus has undated exports of three ecosystems. */
async function exportsNight() {
  const night = await openNight(['osv'])
  const olds = [...Array(20)].map((_, i) => entry(i + 1, OLD))
  const news = [entry(1, NEW, { withdrawn: NEW }), ...olds.slice(1), entry(99, NEW, {}, 'MAL')]
  const py = [entry(1, OLD, {}, 'PYSEC'), entry(2, OLD, {}, 'PYSEC')]
  night.put({ [NPM]: zip(news), [PYPI]: zip(py), [GO]: zip([entry(1, OLD, {}, 'GO')]) })
  await night.run({ acceptShrink: true })
  return { ...night, olds, news, py }
}

const older = suite('older copies')

older(
  'an export without a date is dated by its newest record: an older copy of one ecosystem is not taken, the others are',
  async () => {
    const night = await exportsNight()
    assert.is(advisories(night), 24)
    const moved = [...night.py, entry(3, '2024-06-02T00:00:00Z', {}, 'PYSEC')]
    night.put({ [NPM]: zip(night.olds), [PYPI]: zip(moved) })
    const report = await night.run()
    assert.equal(remarksOf(report, 'osv'), [
      `edition-kept the newest record of ${NPM} is of 2024-05-06T10:00:00.000Z, the corpus's edition has one of ` +
        '2024-06-01T10:00:00.000Z; --accept-older takes it',
    ])
    const { status, added, removed, retained, published } = reportOf(report, 'osv')
    assert.equal([status, added, removed, retained], ['read', 1, 0, 21])
    assert.is(published, '2024-06-02T00:00:00.000Z')
    assert.is(advisories(night), 25)
    assert.equal(remarksOf(await night.run(), 'osv'), remarksOf(report, 'osv'), 'the next night says it again')
    const taken = await night.run({ acceptOlder: true, acceptShrink: true })
    assert.match(remarksOf(taken, 'osv').join(), /^edition-older the newest record of osv\/npm/)
    assert.equal([reportOf(taken, 'osv').removed, advisories(night)], [1, 24])
  },
)

older('the only file of a feed: the corpus keeps all of it', async () => {
  const night = await exportsNight()
  const ghsa = (modified: string) => {
    const all = items('ghsa').map((item) => item.replace(/"modified":"[^"]*"/, `"modified":"${modified}"`))
    return FORMS.ghsa.file(all, TODAY)
  }
  night.put({ [FORMS.ghsa.path(YESTERDAY)]: null, 'ghsa/advisory-database.zip': ghsa(NEW) })
  await night.run()
  night.put({ 'ghsa/advisory-database.zip': ghsa(OLD) })
  const { status, kept, published, remarks } = reportOf(await night.run(), 'ghsa')
  assert.equal([status, kept, published], ['kept', 20, '2024-06-01T10:00:00.000Z'])
  assert.equal(
    remarks.map(({ code }) => code),
    ['edition-kept'],
  )
})

older('a record dated in the future does not date its export', async () => {
  const night = await exportsNight()
  night.put({ [NPM]: zip([...night.news, entry(50, '2062-01-01T00:00:00Z')]) })
  assert.equal(remarksOf(await night.run(), 'osv'), [])
  night.put({ [NPM]: zip([...night.news, entry(50, '2062-01-01T00:00:00Z'), entry(51, '2024-06-01T12:00:00Z')]) })
  const report = await night.run()
  assert.equal([remarksOf(report, 'osv'), reportOf(report, 'osv').added], [[], 1])
})

older.run()

const future = suite('the future')
const scores = (day: string, score: number) =>
  epssCsv(
    [...Array(20)].map((_, i) => [id(i + 1), score, score]),
    day,
  )

future('scores dated in the future are not taken, whatever their name says; those of the next day are', async () => {
  const night = await openNight()
  night.put({
    'epss/epss_scores-2024-06-02.csv.gz': scores('2062-06-02', 0.1),
    [FORMS.kev.path(TODAY)]: good('kev', TODAY),
  })
  const report = await nightAt(night, TODAY)
  assert.equal(remarksOf(report, 'epss'), [
    'edition-ahead epss/epss_scores-2024-06-02.csv.gz is of 2062-06-02, after 2024-06-04',
  ])
  assert.is(reportOf(report, 'kev').published?.slice(0, 10), TODAY)
  assert.equal(corpusContents(night.corpus).epss.release?.date, YESTERDAY)
  night.put({ 'epss/epss_scores-2024-06-03.csv.gz': scores('2024-06-03', 0.9) })
  assert.is(reportOf(await nightAt(night, '2024-06-03'), 'epss').status, 'read')
  const { release, scores: all } = corpusContents(night.corpus).epss
  assert.equal([release?.date, all[0]!.score], ['2024-06-03', 0.9])
})

future(
  'KEV, EPSS and the CVE list in the future at once: the corpus keeps all three, and takes the next ones',
  async () => {
    const night = await openNight()
    const ahead = {
      [FORMS.cvelist.path('2062-06-02')]: FORMS.cvelist.file(items('cvelist', 21), '2062-06-02'),
      'kev/known_exploited_vulnerabilities.json': kevJson([id(1)], '2062-06-02T10:00:00Z'),
      'epss/epss_scores-2062-06-02.csv.gz': scores('2062-06-02', 0.1),
    }
    night.put({ ...ahead, [FORMS.kev.path(YESTERDAY)]: null })
    const report = await nightAt(night, TODAY)
    assert.equal(
      ['cvelist', 'kev', 'epss'].map((name) => reportOf(report, name as 'kev').status),
      ['unchanged', 'kept', 'unchanged'],
    )
    assert.is(report.records.total, 20)
    night.put({ [FORMS.cvelist.path(TODAY)]: FORMS.cvelist.file(items('cvelist', 22), TODAY) })
    night.put({ 'kev/known_exploited_vulnerabilities.json': String(good('kev', TODAY)) })
    const next = await nightAt(night, TODAY)
    assert.equal([next.records.total, reportOf(next, 'kev').status], [22, 'read'])
  },
)

future('two days ahead are taken: a clock may be slow', async () => {
  const night = await openNight()
  night.put({ [FORMS.kev.path('2024-06-04')]: good('kev', '2024-06-04') })
  assert.equal(reportOf(await nightAt(night, TODAY), 'kev').published?.slice(0, 10), '2024-06-04')
})

future('a clock that is behind every feed is not believed', async () => {
  const night = await openNight()
  night.put({ [FORMS.cvelist.path(TODAY)]: FORMS.cvelist.file(items('cvelist', 21), TODAY) })
  assert.is((await nightAt(night, '2000-01-01')).records.total, 21)
})

future('a first CVE list dated in the future is refused by name', async () => {
  const night = await openNight(['cvelist'])
  night.put({ [FORMS.cvelist.path('2062-06-02')]: good('cvelist', '2062-06-02') })
  assert.is(
    await refusal(nightAt({ ...night, corpus: `${night.corpus}.first` }, TODAY)),
    'feed-ahead: CVE list: cvelistv5/2062-06-02_all_CVEs.zip is of 2062-06-02, more than 2 days in the future (after ' +
      '2024-06-04); replace it with a valid one, or correct the clock',
  )
})

future('a corpus that has taken an edition of the future takes the correct one', async () => {
  const night = await openNight()
  night.put({ [FORMS.kev.path('2062-06-02')]: good('kev', '2062-06-02') })
  await nightAt(night, '2062-06-02')
  night.put({ [FORMS.kev.path('2062-06-02')]: null, [FORMS.kev.path(TODAY)]: FORMS.kev.file(items('kev', 19), TODAY) })
  const { published, status } = reportOf(await nightAt(night, TODAY), 'kev')
  assert.equal([status, published?.slice(0, 10)], ['read', TODAY])
})

future('one module with a wrong date does not date the file of all modules', async () => {
  const night = await openNight()
  const all = items('metasploit').map((item, i) =>
    item.replace('}', `,"mod_time":"${i === 0 ? 2062 : 2024}-06-01 00:00:00 +0000"}`),
  )
  night.put({
    'metasploit/modules_metadata_base.json': FORMS.metasploit.file(all, TODAY),
    [FORMS.metasploit.path(YESTERDAY)]: null,
  })
  const { status, changed } = reportOf(await nightAt(night, TODAY), 'metasploit')
  assert.equal([status, changed], ['read', 20])
})

future.run()

const parts = suite('faults of one part')

const FAULTS: [what: string, bytes: Uint8Array | string | null, remark: RegExp][] = [
  [
    'missing',
    null,
    /^file-missing osv\/Go\/all\.zip is missing; its records of 2024-05-06 stay; --accept-shrink removes them$/,
  ],
  ['broken', 'PK', /^file-unusable osv\/Go\/all\.zip: .*; its records of 2024-05-06 stay$/],
  ['empty', zip([]), /^file-unusable osv\/Go\/all\.zip(?: has no record|: .*); its records of 2024-05-06 stay$/],
]
for (const [what, bytes, remark] of FAULTS) {
  parts(`an ecosystem whose export is ${what}: its records stay with a warning, the others are taken`, async () => {
    const night = await exportsNight()
    night.put({ [GO]: bytes, [PYPI]: zip([...night.py, entry(3, OLD, {}, 'PYSEC')]) })
    const report = await night.run()
    assert.match(remarksOf(report, 'osv').join('\n'), remark)
    const { status, added, removed, retained } = reportOf(report, 'osv')
    assert.equal([status, added, removed, retained, advisories(night)], ['read', 1, 0, 1, 25])
    assert.equal(skipsOf(report, 'osv'), [])
    const again = await night.run()
    assert.match(remarksOf(again, 'osv').join('\n'), remark, 'the next night says it again')
    assert.is(advisories(night), 25)
    night.put({ [GO]: zip([entry(1, OLD, {}, 'GO'), entry(2, NEW, {}, 'GO')]) })
    const back = await night.run()
    assert.equal([remarksOf(back, 'osv'), reportOf(back, 'osv').added, advisories(night)], [[], 1, 26])
  })
}

parts('a broken file of NVD leaves the records of the other years, also those before the fault', async () => {
  const night = await openNight()
  const year = (n: number) => `nvd/nvdcve-2.0-${n}.json`
  const file = (count: number, from: number) => FORMS.nvd.file(items('nvd').slice(from, from + count), TODAY)
  night.put({ [FORMS.nvd.path(YESTERDAY)]: null, [year(2023)]: file(10, 0), [year(2024)]: file(10, 10) })
  await night.run({ acceptShrink: true })
  const changed = String(file(10, 10)).replaceAll('2024-05-04T09', '2024-05-05T09')
  night.put({ [year(2023)]: String(file(10, 0)).slice(0, -400), [year(2024)]: changed })
  const report = await night.run()
  assert.match(
    remarksOf(report, 'nvd').join(),
    /^file-unusable nvd\/nvdcve-2\.0-2023\.json .*; its records of 2024-06-02 stay$/,
  )
  const { changed: count, removed, retained } = reportOf(report, 'nvd')
  assert.equal([count, removed, retained], [10, 0, 10])
})

parts('an ecosystem that the operator no longer wants goes with --accept-shrink', async () => {
  const night = await exportsNight()
  night.put({ [GO]: null })
  await night.run()
  const report = await night.run({ acceptShrink: true })
  assert.equal([remarksOf(report, 'osv'), reportOf(report, 'osv').removed, advisories(night)], [[], 1, 23])
  assert.equal(remarksOf(await night.run(), 'osv'), [])
})

parts.after(removeNights)
parts.run()
