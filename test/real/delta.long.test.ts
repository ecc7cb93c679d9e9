/** A real day: the baseline of 2024-09-30 and the delta of 2024-10-24, built incrementally and from scratch. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ingest } from '../../builder/ingest/ingest.ts'
import { build } from '../../builder/snapshot/build.ts'
import { noProgress } from '../../corpus/command/progress.ts'
import { verify } from '../../corpus/snapshot/verify/verify.ts'
import { openCorpus } from '../../corpus/store/corpus.ts'
import { quietEffects, temporaryFolder } from '../support/dist.ts'
import { needs } from '../support/needs.ts'
import { BASELINE, DELTA, linkFeeds, SMALL_FEEDS } from './feeds-folder.ts'

needs('real feeds')

/** Returns the digest of every record of a corpus, by id. */
function recordsOf(path: string): Map<string, string> {
  const corpus = openCorpus(path)
  const records = corpus
    .blocks()
    .flatMap(({ block }) => corpus.digests(block))
    .map(({ cveId, digest }): [string, string] => [cveId, Buffer.from(digest).toString('hex')])
  corpus.close()
  return new Map(records)
}

/** Builds with the command, in a separate process. */
function buildElsewhere(corpus: string, dist: string, jobs: number): { snapshot: string } {
  const cli = join(import.meta.dirname, '../../builder/bin.js')
  const args = [cli, 'build', '--corpus', corpus, '--out', dist, '--jobs', String(jobs), '--json']
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))
}

const folder = temporaryFolder('delta')
const at = (name: string) => join(folder.path, name)
const [feeds, corpus, dist] = [at('feeds'), at('corpus.db'), at('dist')]
const make = (out: string) => build({ corpus, dist: out, jobs: 2 }, quietEffects(), noProgress)
linkFeeds(feeds, [BASELINE, ...SMALL_FEEDS])
await ingest({ feeds, corpus }, quietEffects())
const baseline = recordsOf(corpus)
const full = await make(dist)
linkFeeds(feeds, [DELTA])
const report = await ingest({ feeds, corpus }, quietEffects())
const after = recordsOf(corpus)
const night = await make(dist)

test('the baseline is compressed whole', () => {
  assert.is(full.members.encoded, full.members.total)
  assert.is(full.members.total, baseline.size)
})

test('the delta touches its 107 records and no other', () => {
  const { records, rejected } = report
  const changed = [...after].filter(([id, digest]) => baseline.get(id) !== digest)
  assert.is(records.added + records.changed + records.removed, changed.length)
  assert.is(records.merged, 107)
  assert.is(after.size, baseline.size + records.added)
  assert.is(records.removed, 0)
  assert.ok(changed.length <= 107 && rejected >= 0)
})

test('the night compresses the members of records that are new or changed, and no other', () => {
  const changed = [...after].filter(([id, digest]) => baseline.get(id) !== digest).length
  assert.is(night.members.encoded, changed)
  assert.is(night.parent, full.snapshot)
  assert.ok(night.members.encodedBytes < full.members.encodedBytes / 20)
  assert.ok(night.shards.unchanged > night.shards.total / 2)
  console.log(
    `full: ${full.members.encoded} members, ${full.members.encodedBytes} bytes, ${full.seconds.total.toFixed(1)} s; ` +
      `delta: ${night.members.encoded} members, ${night.members.encodedBytes} bytes, ${night.seconds.total.toFixed(1)} s, ` +
      `${night.shards.total - night.shards.unchanged} of ${night.shards.total} shards`,
  )
})

test('built from scratch, in other processes, with any number of jobs, the same corpus has the same id', () => {
  assert.is(buildElsewhere(corpus, at('scratch-1'), 1).snapshot, night.snapshot)
  assert.is(buildElsewhere(corpus, at('scratch-3'), 3).snapshot, night.snapshot)
  assert.is.not(night.snapshot, full.snapshot)
})

test('what was built upon the baseline verifies', async () => {
  assert.equal((await verify(dist, { jobs: 2 })).faults, [])
})

test.after(() => folder.remove())

test.run()
