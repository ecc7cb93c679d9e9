/**
 * Each feed in turn has its field names changed, an old copy, a date in the future, or no file, in a night in which the
 * CVE list has a new record: what the corpus then has, and what the report of the night says.
 */
import { copyFileSync, cpSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ingest } from '../../../builder/ingest/ingest.ts'
import { feedWarnings } from '../../../builder/nightly/feed-ages.ts'
import type { PublishedFeed } from '../../../corpus/feeds/table.ts'
import { quietEffects, temporaryFolder } from '../../support/dist.ts'
import { copyNewest, FEED_FAULTS, type FeedFault, SPOILED, spoilFeed } from '../../support/feed-faults.ts'
import { deltaZip, putFeeds } from '../../support/feeds.ts'
import { refusal } from '../../support/refusal.ts'
import { sharedSample } from '../../support/samples.ts'
import { rowsDigest } from './good-night.ts'

const test = suite('feed faults')
const folder = temporaryFolder('feed-faults')
const base = { feeds: join(folder.path, 'feeds'), corpus: join(folder.path, 'corpus.db') }
let records = 0
let count = 0

test.before(async () => {
  await copyNewest((await sharedSample('small')).feeds, base.feeds)
  records = (await ingest({ ...base, jobs: 0 }, quietEffects())).records.total
})

/** The feeds whose outer format names the field. */
const UNUSABLE: readonly PublishedFeed[] = ['epss', 'exploitdb']

/** The feeds of which no record is usable without the field. */
const EMPTY: readonly PublishedFeed[] = ['euvd']

/** What the first warning of the night says of a feed. */
const WARNINGS: Record<Exclude<FeedFault, 'renamed'>, RegExp> = {
  old: /^[^:]+, older than the corpus, which keeps its edition: /,
  future: /^[^:]+, dated in the future, which is not taken: /,
  missing:
    /^[^:]+(?:: its files are missing; the corpus keeps its |, without a file of the last ingest, whose records stay: )/,
}

for (const feed of Object.keys(SPOILED) as PublishedFeed[]) {
  for (const fault of FEED_FAULTS) {
    // Nothing dates these files: an old copy is found by its number of records only.
    if (SPOILED[feed].dates === null && (fault === 'old' || fault === 'future')) continue
    test(`${feed} ${fault}`, async () => {
      const night = { feeds: join(folder.path, `${++count}-feeds`), corpus: join(folder.path, `${count}.db`), jobs: 0 }
      cpSync(base.feeds, night.feeds, { recursive: true })
      copyFileSync(base.corpus, night.corpus)
      assert.ok(spoilFeed(night.feeds, feed, fault))
      if (feed !== 'cvelist') {
        const delta = deltaZip([{ id: 'CVE-2026-99999' }])
        putFeeds(night.feeds, { 'cvelistv5/2026-06-02_delta_CVEs_at_0600Z.zip': delta })
      }
      if (fault === 'renamed' || (feed === 'cvelist' && fault === 'missing')) {
        const before = rowsDigest(night.corpus)
        const message = await refusal(ingest(night, quietEffects()))
        if (fault === 'missing') assert.match(message, /^feed-missing: \S+ has no CVE list; /)
        else if (UNUSABLE.includes(feed)) assert.match(message, /^feed-unusable: .*; replace it with a valid one/)
        else if (EMPTY.includes(feed)) assert.match(message, /^feed-empty: .*no usable record .*first skipped record /)
        else assert.match(message, /^feed-lost-values: .* lost it, more than 10 %, .*--accept-shrink accepts it$/)
        return assert.is(rowsDigest(night.corpus), before, 'yesterday is served')
      }
      const report = await ingest(night, quietEffects())
      const { removed, title } = report.feeds.find(({ name }) => name === feed)!
      assert.is(removed, 0)
      const isNews = (warning: string) => warning.startsWith(title) && !warning.includes(' old, the newest edition')
      const [warning] = feedWarnings(report, quietEffects().now()).filter(isNews)
      assert.match(warning!, WARNINGS[fault])
      const { total, changed } = report.records
      assert.equal(
        [total, changed, report.changes.removed],
        [records + (feed === 'cvelist' ? 0 : 1), 0, []],
        'no record lost anything',
      )
      assert.equal(report.changes.changed, [])
    })
  }
}

test.after(() => folder.remove())
test.run()
