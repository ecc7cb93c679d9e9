/** The files that an ingest reads: the newest baseline up to a date, and the later deltas. */
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { findCveList } from '../../../../corpus/feeds/cvelist/files.ts'
import { chooseFiles } from '../../../../corpus/feeds/files/choice.ts'
import { temporaryFolder } from '../../../support/dist.ts'
import { putFeeds } from '../../../support/feeds.ts'

const folder = temporaryFolder('choice')
let folders = 0

/** Returns the names of the chosen files in a CVE list folder with these files. */
function chosen(names: readonly string[], asOf: string | null = null): string[] {
  const feeds = join(folder.path, String(++folders))
  putFeeds(feeds, Object.fromEntries(names.map((name) => [`cvelistv5/${name}`, ''])))
  return chooseFiles(findCveList(feeds), asOf).map(({ name }) => name.replace('cvelistv5/', ''))
}

const NIGHTS = [
  '2024-06-30_all_CVEs.zip',
  '2024-09-30_all_CVEs.zip',
  '2024-10-24_all_CVEs.zip',
  '2024-10-24_delta_CVEs.zip',
]

test('the newest baseline is taken, without a delta that is not newer', () => {
  assert.equal(chosen(NIGHTS), ['2024-10-24_all_CVEs.zip'])
})

test('as of a date, the newest up to and including it', () => {
  assert.equal(chosen(NIGHTS, '2024-10-23'), ['2024-09-30_all_CVEs.zip'])
  assert.equal(chosen(NIGHTS, '2024-09-30'), ['2024-09-30_all_CVEs.zip'])
  assert.equal(chosen(NIGHTS, '2024-09-29'), ['2024-06-30_all_CVEs.zip'])
  assert.equal(chosen(NIGHTS, '2024-06-29'), [])
})

test('deltas newer than the baseline follow it in order', () => {
  const names = ['2024-10-26_delta_CVEs.zip', '2024-09-30_all_CVEs.zip', '2024-10-24_delta_CVEs.zip']
  assert.equal(chosen(names), ['2024-09-30_all_CVEs.zip', '2024-10-24_delta_CVEs.zip', '2024-10-26_delta_CVEs.zip'])
  assert.equal(chosen(names, '2024-10-25'), ['2024-09-30_all_CVEs.zip', '2024-10-24_delta_CVEs.zip'])
})

test("hours in upstream's names count: a delta of the day goes on top of that day's midnight", () => {
  const names = [
    '2024-10-24_all_CVEs_at_midnight.zip.zip',
    '2024-10-23_delta_CVEs_at_end_of_day.zip',
    '2024-10-24_delta_CVEs_at_2200Z.zip',
    '2024-10-24_delta_CVEs_at_0100Z.zip',
  ]
  assert.equal(chosen(names), [
    '2024-10-24_all_CVEs_at_midnight.zip.zip',
    '2024-10-24_delta_CVEs_at_0100Z.zip',
    '2024-10-24_delta_CVEs_at_2200Z.zip',
  ])
})

test('a checkout is a baseline, dated by its own delta.json or its folder', () => {
  assert.equal(chosen(['2024-10-25/cves/2024/0xxx/CVE-2024-0001.json', ...NIGHTS]), ['2024-10-25/cves'])
  const feeds = putFeeds(join(folder.path, 'dated'), {
    'cvelistv5/cvelistV5-main/cves/delta.json': '{"fetchTime":"2024-10-24T22:13:00.000Z"}',
  })
  assert.equal(
    findCveList(feeds).map(({ name, date, folder }) => ({ name, date, folder })),
    [{ name: 'cvelistv5/cvelistV5-main/cves', date: '2024-10-24T22:13:00.000Z', folder: true }],
  )
})

test('a file without any date is taken only where no dated one is', () => {
  assert.equal(chosen(['all_CVEs.zip', '2024-06-30_all_CVEs.zip']), ['2024-06-30_all_CVEs.zip'])
  assert.equal(chosen(['all_CVEs.zip', '2024-06-30_all_CVEs.zip'], '2024-06-01'), ['all_CVEs.zip'])
})

test('an impossible date in a name is none', () => {
  assert.equal(chosen(['2024-13-45_all_CVEs.zip', '2023-01-01_all_CVEs.zip']), ['2023-01-01_all_CVEs.zip'])
})

test.after(folder.remove)
test.run()
