/** The twelve real editions of EPSS: the history of each CVE is that of an independent reading of the files. */
import { readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ingest } from '../../../builder/ingest/ingest.ts'
import { pointsIn } from '../../../corpus/model/epss/history.ts'
import { type CveId, cveBlock } from '../../../corpus/model/ids/cve-id.ts'
import { openCorpus } from '../../../corpus/store/corpus.ts'
import { quietEffects, temporaryFolder } from '../../support/dist.ts'
import { baselineZip, putFeeds } from '../../support/feeds.ts'
import { EPSS_EDITIONS, needs } from '../../support/needs.ts'

needs('past editions of EPSS')

const root = temporaryFolder('epss-real')
test.after(root.remove)

/** Returns the points of each CVE: date, score, percentile and model where score or model changed. */
function bruteForce(names: readonly string[]): Map<string, unknown[][]> {
  const points = new Map<string, unknown[][]>()
  for (const name of names) {
    const [head, , ...lines] = gunzipSync(readFileSync(join(EPSS_EDITIONS, name)))
      .toString()
      .trimEnd()
      .split('\n')
    const [, model, date] = /model_version:(.*),score_date:(.{10})/.exec(head!)!
    for (const line of lines) {
      const [id, score, percentile] = line.split(',')
      const all = points.get(id!) ?? []
      points.set(id!, all)
      const last = all.at(-1)
      if (last?.[1] !== Number(score) || last[3] !== model) all.push([date, Number(score), Number(percentile), model])
    }
  }
  return points
}

test('the history of each CVE over twelve editions', async () => {
  const names = readdirSync(EPSS_EDITIONS).sort()
  const expected = bruteForce(names)
  const feeds = putFeeds(join(root.path, 'feeds'), {
    'cvelistv5/2026-07-19_all_CVEs.zip': baselineZip([{ id: 'CVE-2024-0001' }]),
    'epss/older/x': '',
  })
  const put = (name: string) => symlinkSync(join(EPSS_EDITIONS, name), join(feeds, 'epss', name))
  // The older half comes later.
  for (const part of [names.slice(6), names.slice(0, 6)]) {
    for (const name of part) put(name)
    await ingest({ feeds, corpus: join(root.path, 'corpus.db'), jobs: 0 }, quietEffects())
  }
  const corpus = openCorpus(join(root.path, 'corpus.db'))
  try {
    const { epssHistory } = corpus
    const blocks = Map.groupBy(expected.keys(), (id) => cveBlock(id as CveId))
    let compared = 0
    for (const [block, ids] of blocks) {
      const texts = epssHistory.segments(block).map(({ text }) => text)
      for (const id of ids) {
        const found = pointsIn(texts, Number(id.slice(-3)))!
        const rows = found.map(({ date, score, percentile, modelVersion }) => [date, score, percentile, modelVersion])
        assert.is(JSON.stringify(rows), JSON.stringify(expected.get(id)), id)
        compared++
      }
    }
    assert.is(compared, expected.size)
    assert.ok(compared > 340_000)
  } finally {
    corpus.close()
  }
})

test.run()
