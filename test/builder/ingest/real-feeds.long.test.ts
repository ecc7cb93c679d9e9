/** The complete real feeds: everything is read, and the counts match their README. */
import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type IngestReport, ingest } from '../../../builder/ingest/ingest.ts'
import { quietEffects, temporaryFolder } from '../../support/dist.ts'
import { corpusContents } from '../../support/feeds.ts'
import { needs, REAL_FEEDS } from '../../support/needs.ts'
import { realDist } from '../../support/samples.ts'

needs('real feeds')

const folder = temporaryFolder('real-feeds')
const corpus = (name: string) => join(folder.path, `${name}.db`)

/** Returns `read kept skipped` by feed. */
function figures(report: IngestReport): Record<string, number[]> {
  const skipped = (items: IngestReport['feeds'][number]) =>
    items.skipped.reduce((sum, one) => sum + one.items.length, 0)
  return Object.fromEntries(report.feeds.map((feed) => [feed.name, [feed.read, feed.kept, skipped(feed)]]))
}

/** The operator's own feeds, VulnCheck's and EUVD's: they have no real files. */
const FIRST_PARTY = Object.fromEntries(
  ['report-types', 'reports', 'analyses', 'service-scores', 'detections', 'exploited', 'vulncheck', 'euvd'].map(
    (name) => [name, [0, 0, 0]],
  ),
)

/** Creates a feeds folder with some of the real files of the CVE list, and the other feeds unchanged. */
function feedsWith(name: string, files: readonly string[]): string {
  const feeds = join(folder.path, name)
  mkdirSync(join(feeds, 'cvelistv5'), { recursive: true })
  for (const feed of ['kev', 'epss', 'cna']) symlinkSync(join(REAL_FEEDS, feed), join(feeds, feed))
  for (const file of files) copyFileSync(join(REAL_FEEDS, 'cvelistv5', file), join(feeds, 'cvelistv5', file))
  return feeds
}

test('every record of the newest editions arrives', async () => {
  const { ingested: report } = await realDist()
  assert.equal(figures(report), {
    ...FIRST_PARTY,
    kev: [1404, 1404, 0],
    cna: [412, 412, 0],
    cwe: [964, 964, 0],
    capec: [615, 615, 0],
    epss: [291_657, 291_657, 0],
    exploitdb: [46_102, 46_102, 0],
    metasploit: [5700, 5700, 0],
    nuclei: [4107, 4107, 0],
    poc: [386, 386, 0],
    ghsa: [1025, 1025, 0],
    osv: [4291 + 7444, 4291 + 7444, 0],
    // The 38 of the page are also in the sample.
    // The 38 records of the page are in the sample too, byte for byte.
    nvd: [62, 62, 0],
    cvelist: [12_280, 12_280, 0],
  })
  assert.is(report.records.total, 12_256)
  assert.is(report.rejected, 24)
  assert.is(report.corpusDate?.slice(0, 10), '2024-10-24')
  // Each feed covers as many of the 12,280 ids as the README of the feeds states.
  assert.equal(Object.fromEntries(report.withoutRecord.map(({ feed, cveIds }) => [feed, cveIds.length])), {
    kev: 1404 - 251,
    epss: 291_657 - 12_243,
    exploitdb: 24_595 - 133,
    metasploit: 2618 - 105,
    nuclei: 4107 - 211,
    ghsa: 962 - 525,
    osv: 9169 - 307,
    nvd: 62 - 15,
  })
})

test('the nights replay: as of each date the editions of that date', async () => {
  const path = corpus('replayed')
  const run = (asOf: string) => ingest({ feeds: REAL_FEEDS, corpus: path, asOf }, quietEffects())
  const june = await run('2024-06-30')
  const { kev, cwe, epss, capec, nvd, cvelist } = figures(june)
  assert.equal([kev, cwe, epss], Array(3).fill([0, 0, 0]), 'no edition is as old as that')
  assert.equal(
    [capec, nvd, cvelist],
    [
      [615, 615, 0],
      [38, 38, 0],
      [2327, 2327, 0],
    ],
  )
  const september = await run('2024-10-23')
  assert.is(september.feeds.find(({ name }) => name === 'cvelist')!.read, 8027)
  const october = await run('2024-10-26')
  const list = october.feeds.find(({ name }) => name === 'cvelist')!
  assert.equal([list.added, list.changed, list.removed], [4253, 228, 0])
  assert.is(october.feeds.find(({ name }) => name === 'epss')!.read, 263_619)
  const april = await run('2025-04-07')
  assert.equal(figures(april).kev, [1315, 1315, 0])
})

test('a day’s delta on an older baseline touches its 107 records and no other', async () => {
  const path = corpus('delta')
  const baseline = feedsWith('baseline', ['2024-09-30_all_CVEs.zip'])
  await ingest({ feeds: baseline, corpus: path }, quietEffects())
  const before = new Map(corpusContents(path).records.map(({ cveId, digest }) => [cveId, digest]))
  const both = feedsWith('both', ['2024-09-30_all_CVEs.zip', '2024-10-24_delta_CVEs.zip'])
  const report = await ingest({ feeds: both, corpus: path }, quietEffects())
  const list = report.feeds.find(({ name }) => name === 'cvelist')!
  assert.is(list.added + list.changed, 107)
  assert.is(list.read, 8027 + 107)
  const { records } = corpusContents(path)
  const touched = records.filter(({ cveId, digest }) => before.get(cveId) !== digest)
  assert.is(touched.length, report.records.added + report.records.changed)
})

test.after(folder.remove)
test.run()
