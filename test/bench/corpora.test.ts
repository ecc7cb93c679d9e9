/** Selection of the measured nights in a folder of feeds. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { temporaryFolder } from '../support/dist.ts'
import { lastNights } from './corpora.ts'

const folder = temporaryFolder('bench-corpora')
test.after(() => folder.remove())

function feedsOf(name: string, files: readonly string[]): string {
  const feeds = join(folder.path, name)
  for (const file of files) {
    mkdirSync(dirname(join(feeds, file)), { recursive: true })
    writeFileSync(join(feeds, file), '')
  }
  return feeds
}

test('the last two days on which the CVE list or EPSS came out, from the first CVE list on', async () => {
  const list = ['cvelistv5/2026-05-31_all_CVEs.zip', 'cvelistv5/2026-06-01_all_CVEs.zip']
  const scores = (...days: string[]) => days.map((day) => `epss/epss_scores-${day}.csv.gz`)
  assert.equal(await lastNights(feedsOf('both', [...list, ...scores('2026-05-31', '2026-06-01')])), [
    '2026-05-31',
    '2026-06-01',
  ])
  assert.equal(await lastNights(feedsOf('later', [...list, ...scores('2026-07-01')])), ['2026-06-01', '2026-07-01'])
})

test('a day before the first CVE list is no night, and one night is too few', async () => {
  const feeds = feedsOf('one', ['cvelistv5/2026-06-01_all_CVEs.zip', 'epss/epss_scores-2026-05-31.csv.gz'])
  const refusal = await lastNights(feeds).catch((error: unknown) => error)
  assert.ok(refusal instanceof Error && refusal.message.includes('no two nights'), String(refusal))
})

test.run()
