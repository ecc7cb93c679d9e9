/** A build of an unchanged corpus: it builds nothing, unless a file is damaged. */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { build } from '../../../builder/snapshot/build.ts'
import { blocksOf } from '../../../builder/snapshot/shards.ts'
import { sourceOf } from '../../../builder/snapshot/unchanged.ts'
import { noProgress } from '../../../corpus/command/progress.ts'
import { sha256 } from '../../../corpus/runtime/digest.ts'
import { manifestPath, objectPath, pointerPath, readCurrent } from '../../../corpus/snapshot/files/layout.ts'
import { decodeManifest, encodeManifest, type Manifest } from '../../../corpus/snapshot/files/manifest.ts'
import { verify } from '../../../corpus/snapshot/verify/verify.ts'
import { openCorpus } from '../../../corpus/store/corpus.ts'
import { quietEffects, temporaryFolder } from '../../support/dist.ts'
import { sharedSample } from '../../support/samples.ts'

const folder = temporaryFolder('unchanged')
const { corpus, dist } = await sharedSample('small')
const first = readCurrent(dist).manifest

let copies = 0
/** Returns a copy of the corpus and the dist. */
function copied() {
  const to = join(folder.path, `copy-${copies++}`)
  cpSync(dist, join(to, 'dist'), { recursive: true })
  cpSync(corpus, join(to, 'corpus.db'))
  return { dist: join(to, 'dist'), corpus: join(to, 'corpus.db') }
}

const make = (options: { dist: string; corpus: string }) => build({ ...options, jobs: 0 }, quietEffects(), noProgress)
/** Whether files were derived: a build that has nothing to do derives none. */
const didBuild = async (options: { dist: string; corpus: string }) => (await make(options)).seconds.derived > 0

test('it builds nothing, and reports the whole snapshot', async () => {
  const copy = copied()
  const { seconds, objects, members, shards, counts, ...report } = await make(copy)
  assert.is(seconds.derived, 0)
  assert.equal(
    [report.changed, report.snapshot, report.parent, report.leftOut],
    [false, first.snapshot, first.snapshot, []],
  )
  const size = first.files.reduce((sum, file) => sum + file.size, 0)
  assert.equal(objects, { written: 0, writtenBytes: 0, reused: first.files.length, reusedBytes: size })
  assert.equal([members.total, members.encoded, shards.unchanged], [counts.cves, 0, shards.total])
  assert.equal(readFileSync(pointerPath(copy.dist)), readFileSync(pointerPath(dist)))
})

test('a damaged or missing file is written again', async () => {
  for (const role of ['cve', 'pages', 'query'] as const) {
    const { sha256: name, size } = first.files.find((file) => file.role === role && file.size > 0)!
    for (const spoil of [
      (path: string) => rmSync(path),
      (path: string) => writeFileSync(path, Buffer.alloc(size)),
      (path: string) => writeFileSync(path, readFileSync(path).subarray(1)),
    ]) {
      const copy = copied()
      spoil(objectPath(copy.dist, name))
      assert.is(await didBuild(copy), true)
      assert.equal((await verify(copy.dist)).faults, [])
      assert.is(readCurrent(copy.dist).manifest.snapshot, first.snapshot)
    }
  }
})

test('a change in any table is a change of the corpus', async () => {
  const changes = [
    "UPDATE meta SET value = '1999-01-01T00:00:00.000Z' WHERE name = 'corpus_date'",
    "UPDATE feed SET state = json_set(state, '$.version', 'x') WHERE name = 'kev'",
    'UPDATE record SET digest = randomblob(32) WHERE rowid = 1',
    'DELETE FROM record WHERE rowid = 1',
    'UPDATE rejected SET date_rejected = NULL WHERE date_rejected IS NOT NULL',
    'UPDATE epss SET score = score / 2 WHERE cve_key = (SELECT min(cve_key) FROM epss)',
    'UPDATE epss_history SET digest = randomblob(16) WHERE rowid = 1',
    "UPDATE claim SET digest = randomblob(32) WHERE feed = 'cwe' AND item = (SELECT min(item) FROM claim WHERE feed = 'cwe')",
    "DELETE FROM claim WHERE feed = 'metasploit'",
  ]
  const digest = (path: string) => {
    const open = openCorpus(path)
    try {
      return sourceOf(open, blocksOf(open))
    } finally {
      open.close()
    }
  }
  assert.is(digest(copied().corpus), digest(corpus))
  const digests = new Set([digest(corpus)])
  for (const change of changes) {
    const copy = copied()
    const database = new Database(copy.corpus)
    assert.ok(database.prepare(change).run().changes > 0, change)
    database.close()
    digests.add(digest(copy.corpus))
  }
  assert.is(digests.size, 1 + changes.length)
})

test('a changed score is built', async () => {
  const copy = copied()
  const database = new Database(copy.corpus)
  database.prepare('UPDATE epss SET score = 0.987654321').run()
  database.close()
  assert.is(await didBuild(copy), true)
  assert.is.not(readCurrent(copy.dist).manifest.snapshot, first.snapshot)
  assert.is(await didBuild(copy), false)
})

test('a snapshot of another builder, or without a source, is built again', async () => {
  for (const source of ['f'.repeat(64), undefined]) {
    const copy = copied()
    const { source: _, ...rest } = first
    const bytes = encodeManifest({ ...rest, ...(source === undefined ? {} : { source }) } as Manifest)
    assert.is(decodeManifest(bytes).source, source)
    const digest = sha256(bytes)
    writeFileSync(manifestPath(copy.dist, digest), bytes)
    const pointer = JSON.parse(readFileSync(pointerPath(copy.dist), 'utf8')) as object
    writeFileSync(
      pointerPath(copy.dist),
      JSON.stringify({ ...pointer, manifest: { sha256: digest, size: bytes.length } }),
    )
    assert.is(await didBuild(copy), true)
  }
})

test.after(folder.remove)
test.run()
