/** The report of ingests: the counts of each feed, new items, an unchanged night, and the command's options. */
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { formatIngestReport } from '../../../builder/ingest/format-report.ts'
import { type IngestReport, ingest } from '../../../builder/ingest/ingest.ts'
import { done, vulnshelf } from '../../cli/command.ts'
import { nvdRecord, VECTORS } from '../../contract/support/upstream.ts'
import { quietEffects, temporaryFolder } from '../../support/dist.ts'
import { baselineZip, corpusContents, kevJson, putFeeds } from '../../support/feeds.ts'
import { FORMS, good, id, items, NAMES, openNight, removeNights, reportOf, TODAY } from './good-night.ts'

const folder = temporaryFolder('report-nights')

/** Returns the cells of a feed's row, without its name. */
function row(report: IngestReport, name: string): string {
  const line = formatIngestReport(report, { verbose: true })
    .split('\n')
    .find((one) => one.startsWith(`${name} `))
  assert.ok(line, `${name} has no row`)
  return line!.split(/ +/).slice(1).join(' ')
}

const lines = (report: IngestReport) => formatIngestReport(report).split('\n')

/** Returns items 1 to 20 with some replaced, removed (null) or appended. */
function edited(name: keyof typeof FORMS, changes: Record<number, string | null>): string[] {
  const all = new Map(items(name).map((item, i): [number, string | null] => [i + 1, item]))
  for (const [n, item] of Object.entries(changes)) all.set(Number(n), item)
  return [...all.values()].filter((item) => item !== null)
}

test('the table counts what is new, changed, removed and skipped in each feed', async () => {
  const night = await openNight()
  const put = (name: keyof typeof FORMS, changes: Record<number, string | null>) =>
    night.put({ [FORMS[name].path(TODAY)]: FORMS[name].file(edited(name, changes), TODAY) })
  const changed = (name: keyof typeof FORMS, n: number, from: string, to: string) => {
    const item = FORMS[name].item(n)
    assert.ok(item.includes(from), `${name}: ${item}`)
    return item.replaceAll(from, to)
  }
  put('kev', { 20: null, 21: FORMS.kev.item(21), 22: FORMS.kev.item(22), 3: changed('kev', 3, 'Widget', 'Gadget') })
  // Item 1 occurs twice, and the last line is not a score.
  put('epss', { 2: changed('epss', 2, '0.5', '0.6'), 19: null, 20: null, 21: FORMS.epss.item(1), 22: 'no score' })
  put('metasploit', { 4: changed('metasploit', 4, 'Windows', 'Linux') })
  put('cvelist', { 5: '{', 6: changed('cvelist', 6, 'A fault', 'A fix'), 21: FORMS.cvelist.item(21) })
  const report = await night.run()
  // The corpus date is the date of the newest record: 2024-05-02.
  assert.is(row(report, 'kev'), '21 21 0 2 1 1 2024.06.02 -31')
  assert.is(row(report, 'epss'), '20 18 2 0 1 2 v1 -31')
  assert.is(row(report, 'metasploit'), '20 20 0 0 1 0 2024-06-02 -31')
  assert.is(row(report, 'cvelist'), '21 20 1 1 1 0 2024-06-02 0')
  assert.is(row(report, 'capec'), '20 20 0 0 0 0 3.9 -30')
  assert.is(row(report, 'reports'), '20 20 0 0 0 0 2024-06-01 -30')
  const same = NAMES.filter((name) => !['kev', 'epss', 'metasploit', 'cvelist'].includes(name))
  assert.ok(lines(report).includes(`same files as at the last ingest: ${same.join(', ')}`))
  assert.not.match(formatIngestReport(report), 'not present')
  const text = formatIngestReport(report)
  assert.match(
    text,
    `\n  1 skipped epss record (duplicate): ${id(1)} (a later line in ${FORMS.epss.path(TODAY)} replaces it)\n`,
  )
  assert.match(text, `\n  1 skipped cvelist record (json_invalid): ${id(5)} (`)
  assert.match(text, '\n  1 of the skipped cvelist records kept from the last ingest\n')
  assert.match(text, `\n  1 CVE added: ${id(21)}\n`)
})
test('an unchanged night is one line, for the command as well; --verbose prints the whole report', async () => {
  const night = await openNight()
  const line = 'Nothing changed since the last ingest: 20 CVEs, corpus date 2024-05-02'
  assert.is(formatIngestReport(await night.run()), line)
  const args = ['ingest', night.feeds, '--corpus', night.corpus]
  const { out, err } = await vulnshelf(args)
  assert.equal([out, err], [`${line}\n`, []])
  const verbose = done(await vulnshelf([...args, '--verbose']))
  assert.match(verbose, /^feed +read +kept /)
  assert.match(verbose, `\n  kev: ${FORMS.kev.path('2024-06-01')}\n`)
  assert.match(verbose, '\nNo CVE changed since the last ingest (corpus date 2024-05-02).\n')
  assert.is(done(await vulnshelf(args, { env: { VULNSHELF_VERBOSE: 'true' } })).split('\n')[0], verbose.split('\n')[0])
})

test('a feed that goes missing is named, and so are the records that the corpus keeps of it', async () => {
  const night = await openNight(['kev', 'nvd'])
  const report = await night.run()
  assert.ok(lines(report).includes('not present: kev, nvd'))
  assert.match(formatIngestReport(report), '\n  20 kev records kept from an earlier ingest: the feed is not present\n')
  assert.not.match(formatIngestReport(report), /^kev /m)
})

test('a first ingest of two feeds: the whole text', async () => {
  const feeds = putFeeds(join(folder.path, 'feeds'), {
    'cvelistv5/2024-06-01_all_CVEs.zip': baselineZip([
      { id: 'CVE-2024-0001' },
      { id: 'CVE-2024-0002' },
      { id: 'CVE-2024-0003', state: 'REJECTED' },
    ]),
    'kev/known_exploited_vulnerabilities.json': kevJson(['CVE-2024-0001', 'CVE-2020-9999'], '2024-06-12T10:00:00.000Z'),
  })
  const corpus = join(folder.path, 'corpus.db')
  const report = await ingest({ feeds, corpus, jobs: 0 }, quietEffects())
  const [, ...seconds] = lines(report).reverse()
  assert.is(
    seconds.reverse().join('\n'),
    `feed     read  kept  skipped  new  changed  removed  version     age (days)
kev         2     2        0    2        0        0  2024.06.12         -41
cvelist     3     3        0    3        0        0  2024-06-01           0
not present: ${NAMES.filter((name) => name !== 'kev' && name !== 'cvelist').join(', ')}

Warnings (--verbose or --json lists all):
  1 feed of another day than the CVE list: kev (edition of 2024-06-12, 11 days after the CVE list of 2024-06-01)
  1 kev id without a record in the CVE list: CVE-2020-9999

New:
  2 CVEs added: CVE-2024-0001, CVE-2024-0002
  1 CVE rejected: CVE-2024-0003
  1 CVE added to KEV: CVE-2024-0001

2 CVEs, corpus date 2024-05-02, 1 rejected`,
  )
  const second = await ingest({ feeds, corpus, jobs: 0 }, quietEffects())
  assert.is(formatIngestReport(second), 'Nothing changed since the last ingest: 2 CVEs, corpus date 2024-05-02')
})

test('a contradiction is new only in the night that brings it', async () => {
  const night = await openNight()
  // The service scores each CVE 7.5, high.
  const { score: baseScore, vector: vectorString } = VECTORS['3.0']
  const cvssData = { version: '3.0', baseScore, vectorString, baseSeverity: 'MEDIUM' }
  const medium = { metrics: { cvssMetricV30: [{ source: 'nvd@nist.gov', type: 'Primary', cvssData }] } }
  const put = (fields: object, day: string) => {
    const item = JSON.stringify(nvdRecord(id(7), { ...medium, ...fields }))
    night.put({ [FORMS.nvd.path(day)]: FORMS.nvd.file(edited('nvd', { 7: item }), day) })
  }
  put({}, TODAY)
  const first = await night.run()
  assert.equal(
    first.changes.disagreements.map(({ cveId, about, claims }) => [cveId, about, claims.map(({ states }) => states)]),
    [[id(7), 'severity', ['3.1 7.5 high', '3.0 5.3 medium']]],
  )
  assert.match(formatIngestReport(first), `\n  1 contradiction between sources: ${id(7)} severity\n`)
  put({ references: [{ url: 'https://new.example/' }] }, '2024-06-03')
  const second = await night.run()
  assert.equal([second.changes.changed, second.changes.disagreements], [[id(7)], []])
  assert.equal(second.disagreements, first.disagreements)
  assert.match(formatIngestReport(second), `\n  1 contradiction between sources on severity: ${id(7)} (`)
})

test('--json has all that the text is made of', async () => {
  const night = await openNight(['kev'])
  night.put({ [FORMS.kev.path(TODAY)]: good('kev', TODAY) })
  const args = ['ingest', night.feeds, '--corpus', night.corpus]
  const report: IngestReport = JSON.parse(done(await vulnshelf([...args, '--json', '--verbose'])))
  assert.equal(
    Object.keys(report).sort(),
    'advisories asOf changes corpusDate disagreements epssHistory feeds previousCorpusDate records rejected scores seconds withoutRecord'.split(
      ' ',
    ),
  )
  assert.equal([report.corpusDate, report.previousCorpusDate], Array(2).fill(corpusContents(night.corpus).corpusDate))
  const { status, ageDays, date, version } = reportOf(report, 'kev')
  assert.equal([status, ageDays, date?.slice(0, 10), version], ['read', -31, TODAY, '2024.06.02'])
  assert.is(row(report, 'kev'), '20 20 0 0 0 0 2024.06.02 -31')
})

test('in a log, an ingest writes one line for each feed that it reads, and none for the others', async () => {
  const night = await openNight()
  for (const name of ['kev', 'nvd'] as const) night.put({ [FORMS[name].path(TODAY)]: good(name, TODAY) })
  const { err } = await vulnshelf(['ingest', night.feeds, '--corpus', night.corpus])
  assert.equal(err, ['reading KEV', 'reading NVD'])
})

test('--help states what the age of a feed is', async () => {
  assert.match(
    done(await vulnshelf(['ingest', '--help'])),
    /age of a feed is the number of days from its own date to the corpus date/,
  )
})

test.after(() => {
  removeNights()
  folder.remove()
})
test.run()
