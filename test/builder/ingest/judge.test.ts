/** Minimum counts, the age of files, and differing days: what is rejected, and what the report contains. */
import Database from 'better-sqlite3'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { IngestError } from '../../../builder/ingest/error.ts'
import { ingest } from '../../../builder/ingest/ingest.ts'
import { readMinimumCounts } from '../../../builder/ingest/judge.ts'
import { FEEDS } from '../../../corpus/feeds/table.ts'
import { done, failed, vulnshelf } from '../../cli/command.ts'
import { quietEffects } from '../../support/dist.ts'
import { corpusContents, epssCsv } from '../../support/feeds.ts'
import { BEFORE, FORMS, good, id, items, openNight, removeNights, reportOf, TODAY, YESTERDAY } from './good-night.ts'

const floors = suite('floors')

floors('a feed below its floor is refused, also by a first ingest and with unchanged files', async () => {
  const night = await openNight()
  const error = await night.refusal({ floors: { kev: 21 } })
  assert.is(error.code, 'feed-below-floor')
  assert.is(
    error.message,
    'KEV: 20 usable records among the 20 read, its floor is 21; --floor kev=<n> changes the floor',
  )
  const first = await ingest(
    { feeds: night.feeds, corpus: `${night.corpus}.first`, floors: { epss: 21 } },
    quietEffects(),
  ).then(
    () => assert.unreachable(),
    (thrown: unknown) => thrown,
  )
  assert.is((first as IngestError).code, 'feed-below-floor')
  await night.run({ floors: Object.fromEntries(FEEDS.map(({ name }) => [name, 20])) })
})

floors('an absent feed is below any floor, whatever the corpus has of it', async () => {
  const night = await openNight(['kev'])
  assert.is(
    (await night.refusal({ floors: { kev: 1 } })).message,
    'KEV: its files are missing, its floor is 1; --floor kev=<n> changes the floor',
  )
})

floors('--accept-shrink does not lower a floor', async () => {
  const night = await openNight()
  night.put({ [FORMS.kev.path(TODAY)]: FORMS.kev.file(items('kev', 10), TODAY) })
  assert.is((await night.refusal({ floors: { kev: 15 }, acceptShrink: true })).code, 'feed-below-floor')
  await night.run({ floors: { kev: 10 }, acceptShrink: true })
})

const WRONG: [text: string, message: RegExp][] = [
  ['kev', /^invalid --floor 'kev'; use <feed>=<records>$/],
  ['kve=1', /^--floor: unknown feed 'kve'; use one of kev, vulncheck, euvd, cna, .*cvelist$/],
  ['=1', /unknown feed ''/],
  ['kev=0', /^--floor: the number of kev must be a whole number from 1, not '0'$/],
  ['kev=-1', /not '-1'/],
  ['kev=1e3', /not '1e3'/],
  ['kev=', /not ''/],
  ['kev=99999999999999999999', /not '9{20}'/],
  ['kev=1,', /^invalid --floor ''/],
]

for (const [text, message] of WRONG) {
  floors(`--floor ${text} is wrong usage`, () => {
    try {
      readMinimumCounts(text)
    } catch (error) {
      assert.is((error as IngestError).code, 'usage')
      return assert.match((error as IngestError).message, message)
    }
    assert.unreachable()
  })
}

floors('floors are read with blanks around them', () => {
  assert.equal(readMinimumCounts(' kev = 1000, cvelist=200000 ,kev=7'), { kev: 7, cvelist: 200_000 })
})

floors('a small feed of the operator that loses one of three is refused with the way out', async () => {
  const night = await openNight()
  const path = FORMS.reports.path(TODAY)
  night.put({ [path]: FORMS.reports.file(items('reports', 3), TODAY) })
  await night.run({ acceptShrink: true })
  night.put({ [path]: FORMS.reports.file(items('reports', 2), TODAY) })
  assert.is(
    (await night.refusal()).message,
    "Reports: 1 of the corpus's 3 records (33.3 %) are missing or unreadable, more than 10 %; --accept-shrink accepts it",
  )
})

floors.run()

const days = suite('days')
const scores = (day: string) =>
  epssCsv(
    [...Array(20)].map((_, i) => [id(i + 1), 0.5, 0.5]),
    day,
  )

days('of EPSS the day inside the file counts, and the report names a name that differs', async () => {
  const night = await openNight()
  night.put({ 'epss/epss_scores-2024-06-02.csv.gz': scores('2024-06-03') })
  const report = await night.run()
  assert.equal(reportOf(report, 'epss').remarks, [
    {
      code: 'date-differs-from-name',
      detail: 'epss/epss_scores-2024-06-02.csv.gz states 2024-06-03 inside; the ingest uses that date',
    },
    { code: 'days-apart', detail: 'edition of 2024-06-03, 2 days after the CVE list of 2024-06-01' },
  ])
  assert.is(corpusContents(night.corpus).epss.release?.date, '2024-06-03')
})

days('as of a day, scores are not taken that say inside that they are of a later one', async () => {
  const night = await openNight()
  night.put({ 'epss/epss_scores-2024-05-31.csv.gz': scores('2024-06-03') })
  const report = await night.run({ asOf: YESTERDAY })
  assert.equal([reportOf(report, 'epss').status, reportOf(report, 'epss').date?.slice(0, 10)], ['unchanged', YESTERDAY])
})

days('scores of the day before yesterday under today’s name: the corpus keeps its own', async () => {
  const night = await openNight(['epss'])
  night.put({ 'epss/epss_scores-2024-06-02.csv.gz': scores('2024-05-31') })
  const { status, remarks, kept } = reportOf(await night.run(), 'epss')
  const detail =
    'epss/epss_scores-2024-06-02.csv.gz is of 2024-05-31, the corpus has the edition of 2024-06-01; --accept-older takes it'
  assert.equal([status, kept, remarks], ['kept', 20, [{ code: 'edition-kept', detail }]])
  assert.is(corpusContents(night.corpus).epss.release?.date, YESTERDAY)
})

days('a day apart is no news; KEV may lie a week', async () => {
  const night = await openNight()
  night.put({
    [FORMS.epss.path(TODAY)]: good('epss', TODAY),
    [FORMS.nvd.path('2024-06-04')]: good('nvd', '2024-06-04'),
    [FORMS.kev.path('2024-06-08')]: good('kev', '2024-06-08'),
  })
  const report = await night.run()
  assert.equal(
    report.feeds.flatMap(({ name, remarks }) => remarks.map(({ code }) => `${name} ${code}`)),
    ['nvd days-apart'],
  )
})

days('an earlier --as-of is an older edition, refused unless it is accepted', async () => {
  const night = await openNight()
  night.put({ [FORMS.cvelist.path(TODAY)]: FORMS.cvelist.file(items('cvelist', 22), TODAY) })
  await night.run()
  const error = await night.refusal({ asOf: YESTERDAY })
  assert.is(error.code, 'feed-older')
  assert.match(error.message, /^CVE list: cvelistv5\/2024-06-01_all_CVEs\.zip is of 2024-06-01, .* of 2024-06-02; /)
  // Older claims then replace newer ones, as requested.
  const report = await night.run({ asOf: YESTERDAY, acceptOlder: true })
  assert.equal([report.records.total, report.records.removed], [20, 2])
  const { published, date } = corpusContents(night.corpus).feeds.find(({ name }) => name === 'cvelist')!
  assert.equal([published, date], ['2024-06-01T24:00', '2024-05-02T08:00:00.000Z'])
  assert.is((await night.run()).records.total, 22)
})

days('the age of the CVE list is that of its release, not of its newest record', async () => {
  const night = await openNight()
  const late = FORMS.cvelist.item(1).replaceAll('2024-05-02', '2024-06-03')
  night.put({ [FORMS.cvelist.path(TODAY)]: FORMS.cvelist.file([late, ...items('cvelist').slice(1)], TODAY) })
  assert.is((await night.run()).corpusDate?.slice(0, 10), '2024-06-03')
  night.put({ 'cvelistv5/2024-06-02_delta_CVEs_at_2300Z.zip': FORMS.cvelist.file([], TODAY) })
  await night.run()
})

days('a refused feed moves no watermark of another', async () => {
  const night = await openNight()
  night.put({ [FORMS.kev.path(TODAY)]: good('kev', TODAY), [FORMS.nvd.path(TODAY)]: '' })
  await night.refusal()
  night.put({ [FORMS.nvd.path(TODAY)]: null })
  await night.run()
  const state = corpusContents(night.corpus).feeds.find(({ name }) => name === 'kev')!
  assert.equal([state.published?.slice(0, 10), state.files[0]!.path], [TODAY, FORMS.kev.path(TODAY)])
})

days('an undated edition is taken and remarked, and does not make the corpus forget how new it is', async () => {
  const night = await openNight(['kev'])
  const undated = (day: string) => String(good('kev', day)).replace(/"dateReleased":"[^"]*",?/, '')
  night.put({ 'kev/known_exploited_vulnerabilities.json': undated(TODAY) })
  const { published, remarks } = reportOf(await night.run(), 'kev')
  assert.equal([published?.slice(0, 10), remarks.map(({ code }) => code)], [YESTERDAY, ['edition-undated']])
  night.put({ 'kev/known_exploited_vulnerabilities.json': null, [FORMS.kev.path(BEFORE)]: good('kev', BEFORE) })
  assert.is(reportOf(await night.run(), 'kev').status, 'kept')
})

days('what was odd about a record is told again by a night with the same files', async () => {
  const night = await openNight()
  const [broken, odd] = ['{', FORMS.cvelist.item(2).replaceAll('2024-05-02', '9999-12-31')]
  night.put({ [FORMS.cvelist.path(TODAY)]: FORMS.cvelist.file([broken, odd, ...items('cvelist').slice(2)], TODAY) })
  const told = async () => {
    const { status, held, skipped, notes } = reportOf(await night.run(), 'cvelist')
    return [status, held, skipped.length, notes.map(({ reason }) => reason)]
  }
  assert.equal(await told(), ['read', 1, 1, ['date-after-release']])
  assert.equal(await told(), ['unchanged', 1, 1, ['date-after-release']])
})

days('claims that another version of an adapter read are not merged when their feed is away', async () => {
  const night = await openNight(['nvd'])
  const database = new Database(night.corpus)
  const older = `UPDATE feed SET state = json_set(state, '$.adapter', 0) WHERE name = 'nvd'`
  assert.is(database.prepare(older).run().changes, 1)
  database.close()
  const { code, message } = await night.refusal()
  assert.is(code, 'feed-missing')
  assert.match(
    message,
    /^NVD: its files are missing or not taken, and another version of this program read its data .*read them again$/,
  )
  night.put({ [FORMS.nvd.path(YESTERDAY)]: good('nvd', YESTERDAY) })
  assert.is(reportOf(await night.run(), 'nvd').status, 'read')
})

days.run()

const cli = suite('as commands')

cli('what is refused ends in one line that names feed, file and remedy, and prints nothing', async () => {
  const night = await openNight()
  const args = ['ingest', night.feeds, '--corpus', night.corpus]
  night.put({ [FORMS.nvd.path(TODAY)]: '<html>' })
  assert.is(
    failed(await vulnshelf(args)).replace(/not JSON: [^;]*;/, 'not JSON;'),
    `NVD: ${FORMS.nvd.path(TODAY)} is not JSON; replace it with a valid one, or remove it: the corpus then keeps its data`,
  )
  night.put({ [FORMS.nvd.path(TODAY)]: FORMS.nvd.file(items('nvd', 10), TODAY) })
  assert.match(failed(await vulnshelf(args)), /^NVD: 10 of the corpus's 20 records .*--accept-shrink accepts it$/)
  night.put({ [FORMS.nvd.path(TODAY)]: null, [FORMS.nvd.path(YESTERDAY)]: null })
  night.put({ [FORMS.nvd.path('2024-05-30')]: good('nvd', '2024-05-30') })
  const kept = done(await vulnshelf(args))
  assert.match(kept, /^not taken: nvd$/m)
  assert.match(
    kept,
    /1 feed older than the corpus, which keeps its edition: nvd \(nvd\/.*2024-05-30\.json is of 2024-05-30, /,
  )
  done(await vulnshelf([...args, '--accept-older', '--floor', 'nvd=20', '--floor', 'kev=20']))
  assert.match(failed(await vulnshelf([...args, '--floor', 'nvd=20,kev=21'])), /^KEV: 20 usable/)
  assert.match(failed(await vulnshelf(args, { env: { VULNSHELF_FLOOR: 'kve=1' } }), 2), /^--floor: unknown feed 'kve'/)
  done(await vulnshelf(args, { env: { VULNSHELF_FLOOR: '' } }))
})

cli.after(removeNights)
cli.run()
