/** The figures of the real feeds: counted again from the corpus, and from the publishers' files by a program of its own. */
import { execFileSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openReader } from '../../corpus/reader/reader.ts'
import { walk } from '../support/ask.ts'
import { ingestAndBuild, temporaryFolder } from '../support/dist.ts'
import { testGateway } from '../support/gateway.ts'
import { needs, REAL_FEEDS } from '../support/needs.ts'
import { realNights } from '../support/samples.ts'
import { statsTruth } from '../support/stats-truth.ts'

needs('real feeds', 'python3')

const folder = temporaryFolder('real-stats')
const dist = join(folder.path, 'dist')
const corpus = join(folder.path, 'corpus.db')
const [, before, newest] = await realNights()
/** Editions of the CVE list; the second one is the newest. */
const nights = [before!.date, newest!.date]
cpSync(before!.corpus, corpus)
cpSync(before!.dist, dist, { recursive: true })
await ingestAndBuild({ feeds: REAL_FEEDS, corpus, dist, jobs: 2 })
const reader = await openReader(dist)
const stats = (await reader.stats())!
const gateway = await testGateway(folder.path, dist)

test('the reader and the gateway have the same figures', async () => {
  assert.equal(JSON.parse(await gateway.body('/stats')), stats)
})

test('every figure, counted from the corpus', async () => {
  const rows = <T>(path: string) => walk<T>((query) => gateway.body(`${path}?${query}`), 100)
  const { last_update, ...figures } = stats
  assert.equal(
    figures,
    statsTruth(corpus, {
      vendors: await rows('/vendors'),
      cnas: await rows('/cnas'),
      exploits: await rows('/exploits'),
    }),
  )
  assert.equal([last_update!.since.slice(0, 10), last_update!.until.slice(0, 10)], nights)
})

test('publications, CNA scores and the last update, counted from the files of the publishers', () => {
  const script = join(import.meta.dirname, 'stats.py')
  const text = execFileSync('python3', [script, REAL_FEEDS, ...nights], { maxBuffer: 1 << 26 }).toString()
  const counted = JSON.parse(text) as {
    months: Record<string, number>
    kev: Record<string, number>
    cnas: Record<string, [number, number, number, number]>
    added: number
    rejected: number
  }
  const months = stats.published_by_month.map(({ month, ...counts }) => [
    month,
    Object.values(counts).reduce((sum, count) => sum + count, 0),
  ])
  assert.equal(Object.fromEntries(months), counted.months)
  assert.equal(Object.fromEntries(stats.kev_by_month.map(({ month, cves }) => [month, cves])), counted.kev)
  const cnas = stats.cna_scores.map((row) => [
    row.slug,
    [row.total_cves, row.without_cna_cvss, row.recent_cves, row.recent_without_cna_cvss],
  ])
  assert.ok(cnas.length > 30)
  assert.equal(Object.fromEntries(cnas), counted.cnas)
  assert.is(stats.last_update!.added.cves, counted.added)
  assert.is(stats.last_update!.rejected.cves, counted.rejected)
})

test.after(async () => {
  await reader.close()
  await gateway.close()
  folder.remove()
})

test.run()
