/** The changes of EPSS scores over the twelve real editions: each CVE as an independent reading of the files has it. */
import { readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CveId } from '../../corpus/model/ids/cve-id.ts'
import { fileOf, readCurrent } from '../../corpus/snapshot/index.ts'
import { verify } from '../../corpus/snapshot/verify/verify.ts'
import { askDirectly, walk } from '../support/ask.ts'
import { ingestAndBuild, temporaryFolder } from '../support/dist.ts'
import { baselineZip, putFeeds } from '../support/feeds.ts'
import { EPSS_EDITIONS, needs } from '../support/needs.ts'

needs('past editions of EPSS')

const root = temporaryFolder('epss-changes')
test.after(root.remove)

const names = readdirSync(EPSS_EDITIONS).sort()
const editions = names.map((name) => {
  const [head, , ...lines] = gunzipSync(readFileSync(join(EPSS_EDITIONS, name)))
    .toString()
    .trimEnd()
    .split('\n')
  const [, model, date] = /model_version:(.*),score_date:(.{10})/.exec(head!)!
  const scores = new Map(lines.map((line) => [line.split(',')[0]!, Math.round(1e5 * Number(line.split(',')[1]))]))
  return { model, date: date!, scores }
})
const last = editions.at(-1)!
/** A part of the CVEs, which takes a minute. */
const ids = [...last.scores.keys()].filter((_, i) => i % 50 === 0) as CveId[]
const dayBefore = (days: number) => new Date(Date.parse(last.date) - days * 86_400_000).toISOString().slice(0, 10)

const [corpus, dist] = [join(root.path, 'corpus.db'), join(root.path, 'dist')]
const feeds = putFeeds(join(root.path, 'feeds'), {
  [`cvelistv5/${last.date}_all_CVEs.zip`]: baselineZip(ids.map((id) => ({ id }))),
  'epss/older/x': '',
})
for (const name of names) symlinkSync(join(EPSS_EDITIONS, name), join(feeds, 'epss', name))
await ingestAndBuild({ feeds, corpus, dist })

test('the change of each CVE over 7 and 30 days', async () => {
  const service = askDirectly(dist)
  try {
    for (const days of [7, 30] as const) {
      const base = editions.findLast(({ date }) => date <= dayBefore(days))!
      const isComparable = base.model === last.model && base.date >= dayBefore(days + 7)
      const expected = new Map(
        ids.map((id) => {
          const before = base.scores.get(id)
          return [id, isComparable && before !== undefined ? (last.scores.get(id)! - before) / 1e5 : null]
        }),
      )
      const found = new Map<string, number | null>()
      const rows = await walk<{ cve_id: string; epss_change: number | null }>(
        async (page) =>
          (await service.ask('/cves', `sort=-epss_change&epss_change_days=${days}&fields=epss_change&${page}`)).text,
      )
      for (const { cve_id, epss_change } of rows) found.set(cve_id, epss_change)
      const order = rows.map(({ epss_change }) => epss_change)
      assert.is(found.size, ids.length)
      const wrong = ids.filter((id) => found.get(id) !== expected.get(id))
      assert.equal(wrong, [])
      const known = order.filter((change) => change !== null)
      assert.ok(known.every((change, i) => i === 0 || change <= known[i - 1]!))
      assert.ok(order.slice(known.length).every((change) => change === null))
      const rising = known.filter((change) => change > 0).length
      console.log(`# ${days} days, since ${base.date}: ${known.length} of ${ids.length} known, ${rising} rising`)
      assert.ok(isComparable ? rising > 100 : known.length === 0)
    }
  } finally {
    service.close()
  }
})

test('the table is small, and verify finds no fault', async () => {
  const { size } = fileOf(readCurrent(dist).manifest, 'epss-changes')
  console.log(`# ${ids.length} CVEs: ${size} bytes`)
  assert.ok(size < ids.length * 3)
  assert.equal((await verify(dist)).faults, [])
})

test.run()
