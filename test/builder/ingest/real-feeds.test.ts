/** The real feeds, whole: everything arrives, and is counted as their README counts it. */
import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type IngestReport, ingest } from '../../../builder/ingest/ingest.ts'
import { haveRealFeeds, quietEffects, REAL_FEEDS, temporaryFolder } from '../../support/dist.ts'
import { corpusContents } from '../../support/feeds.ts'

const folder = temporaryFolder('real-feeds')
const corpus = (name: string) => join(folder.path, `${name}.db`)

/** `read kept skipped` by feed. */
function figures(report: IngestReport): Record<string, number[]> {
  const skipped = (items: IngestReport['feeds'][number]) =>
    items.skipped.reduce((sum, one) => sum + one.items.length, 0)
  return Object.fromEntries(report.feeds.map((feed) => [feed.name, [feed.read, feed.kept, skipped(feed)]]))
}

/** A feeds folder with some of the real files of the CVE list, and the other feeds as they are. */
function feedsWith(name: string, files: readonly string[]): string {
  const feeds = join(folder.path, name)
  mkdirSync(join(feeds, 'cvelistv5'), { recursive: true })
  for (const feed of ['kev', 'epss', 'cna']) symlinkSync(join(REAL_FEEDS, feed), join(feeds, feed))
  for (const file of files) copyFileSync(join(REAL_FEEDS, 'cvelistv5', file), join(feeds, 'cvelistv5', file))
  return feeds
}

if (haveRealFeeds()) {
  test('every record of the newest editions arrives', async () => {
    const report = await ingest({ feeds: REAL_FEEDS, corpus: corpus('newest') }, quietEffects())
    assert.equal(figures(report), {
      kev: [1404, 1404, 0],
      cna: [412, 412, 0],
      epss: [291_657, 291_657, 0],
      cvelist: [12_280, 12_280, 0],
    })
    assert.is(report.records.total, 12_256)
    assert.is(report.rejected, 24)
    assert.is(report.corpusDate?.slice(0, 10), '2024-10-24')
    // 251 of the 12,280 ids are in KEV, 12,243 in EPSS.
    assert.equal(
      report.withoutRecord.map(({ feed, cveIds }) => [feed, cveIds.length]),
      [
        ['kev', 1404 - 251],
        ['epss', 291_657 - 12_243],
      ],
    )
  })

  test('the nights replay: as of each date the editions of that date', async () => {
    const path = corpus('replayed')
    const run = (asOf: string) => ingest({ feeds: REAL_FEEDS, corpus: path, asOf }, quietEffects())
    const june = await run('2024-06-30')
    assert.equal(figures(june), { kev: [0, 0, 0], cna: [412, 412, 0], epss: [0, 0, 0], cvelist: [2327, 2327, 0] })
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
} else {
  test('needs the real feeds beside the checkout', () => {
    assert.is(process.env.VULNSHELF_NO_FEEDS, '1', `no feeds at ${REAL_FEEDS}`)
  })
}

test.after(folder.remove)
test.run()
