/** Builds: the same corpus gives the same id; unchanged files are not built again; a kill loses nothing. */

import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ingest } from '../../../builder/ingest/ingest.ts'
import { prune } from '../../../builder/prune.ts'
import { build } from '../../../builder/snapshot/build.ts'
import { BuildError } from '../../../builder/snapshot/error.ts'
import { lockDist } from '../../../builder/snapshot/lock.ts'
import { noProgress } from '../../../corpus/command/progress.ts'
import { sha256 } from '../../../corpus/runtime/digest.ts'
import { manifestPath, objectPath, readCurrent } from '../../../corpus/snapshot/files/layout.ts'
import { encodeManifest } from '../../../corpus/snapshot/files/manifest.ts'
import { verify } from '../../../corpus/snapshot/verify/verify.ts'
import { ingestAndBuild, quietEffects, temporaryFolder } from '../../support/dist.ts'
import { Killed, killedEffects } from '../../support/killed-effects.ts'
import { sharedSample } from '../../support/samples.ts'

const folder = temporaryFolder('build')
const first = await sharedSample('small')
const [firstNight, secondNight] = first.nights as [string, string]

/** Returns a copy of the first night's files for a test. */
function copyOfFirstNight(name: string) {
  const to = (part: string) => join(folder.path, name, part)
  cpSync(first.dist, to('dist'), { recursive: true })
  cpSync(first.corpus, to('corpus.db'))
  return { feeds: first.feeds, corpus: to('corpus.db'), dist: to('dist') }
}

const idOf = (dist: string) => readCurrent(dist).manifest.snapshot
const make = (corpus: string, dist: string, effects = quietEffects(), jobs = 0) =>
  build({ corpus, dist, jobs }, effects, noProgress)

test('the snapshot of a build is intact and has every record of the corpus', async () => {
  const report = await verify(first.dist)
  assert.equal(report.faults, [])
  assert.ok(report.cves > 48)
})

test('the same corpus has the same id with any number of jobs, from scratch or upon itself, in any process', async () => {
  const id = idOf(first.dist)
  for (const jobs of [1, 3]) {
    const dist = join(folder.path, `jobs-${jobs}`)
    assert.is((await make(first.corpus, dist, quietEffects(), jobs)).snapshot, id)
  }
  const cli = join(import.meta.dirname, '../../../builder/bin.js')
  const dist = join(folder.path, 'other-process')
  const args = [cli, 'build', '--corpus', first.corpus, '--out', dist, '--json', '--jobs', '2']
  const output = execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  assert.is((JSON.parse(output) as { snapshot: string }).snapshot, id)
})

test('building the same corpus again writes nothing and leaves the pointer as it was', async () => {
  const { corpus, dist } = copyOfFirstNight('again')
  const pointer = readFileSync(join(dist, 'latest.json'))
  const { effects, steps } = killedEffects()
  const report = await make(corpus, dist, effects)
  assert.is(report.changed, false)
  assert.is(report.members.encoded, 0)
  assert.is(steps.includes('rename'), false)
  assert.equal(readFileSync(join(dist, 'latest.json')), pointer)
  assert.equal(readdirSync(dist).sort(), ['latest.json', 'lock', 'manifests', 'objects'])
})

test('the night after compresses only the members that changed, and has the id of a build from scratch', async () => {
  const { corpus, dist, feeds } = copyOfFirstNight('night-after')
  const { records } = await ingest({ feeds, corpus, asOf: secondNight }, quietEffects())
  const built = await make(corpus, dist)
  assert.ok(records.added > 0 && records.changed > 0, JSON.stringify(records))
  assert.ok(records.added + records.changed < records.total / 2, JSON.stringify(records))
  assert.is(built.members.encoded, records.added + records.changed)
  assert.is(built.parent, idOf(first.dist))
  const shardsOf = (dist: string) => readCurrent(dist).manifest.files.filter(({ role }) => role === 'cve')
  const before = new Set(shardsOf(first.dist).map(({ sha256 }) => sha256))
  assert.is(built.shards.unchanged, shardsOf(dist).filter(({ sha256 }) => before.has(sha256)).length)
  assert.ok(built.shards.unchanged > 0)
  const scratch = await make(corpus, join(folder.path, 'from-scratch'))
  assert.is(scratch.snapshot, built.snapshot)
  assert.equal((await verify(dist)).faults, [])
})

/** The first and the last steps, and some between: those write one file after the other. The first ones create folders. */
const isKilledAt = (at: number, steps: number) => at < 3 || at >= steps - 12 || at % 29 === 0

test('killed before a step, a build leaves the old snapshot whole, and the next run ends as if nothing had been', async () => {
  const base = copyOfFirstNight('killed-base')
  await ingest({ feeds: base.feeds, corpus: base.corpus, asOf: secondNight }, quietEffects())
  const undisturbed = join(folder.path, 'undisturbed')
  cpSync(first.dist, undisturbed, { recursive: true })
  const counted = killedEffects()
  const { snapshot } = await make(base.corpus, undisturbed, counted.effects)
  assert.ok(counted.steps.length > 30, `${counted.steps.length} steps`)
  const old = idOf(first.dist)
  assert.is.not(snapshot, old)

  const dist = join(folder.path, 'killed')
  for (let at = 0; at < counted.steps.length; at++) {
    if (!isKilledAt(at, counted.steps.length)) continue
    rmSync(dist, { recursive: true, force: true })
    cpSync(first.dist, dist, { recursive: true })
    let killed = false
    try {
      await make(base.corpus, dist, killedEffects(at).effects)
    } catch (error) {
      if (!(error instanceof Killed)) throw error
      killed = true
    }
    assert.ok(killed, `step ${at} was not reached`)
    const what = `killed before step ${at}, ${counted.steps[at]}`
    const pointerIsUp = counted.steps.slice(0, at).filter((step) => step === 'rename').length === renames(counted.steps)
    assert.is(idOf(dist), pointerIsUp ? snapshot : old, what)
    assert.equal((await verify(dist)).faults, [], what)
    assert.is((await make(base.corpus, dist)).snapshot, snapshot, what)
    assert.equal(readdirSync(dist).sort(), ['latest.json', 'lock', 'manifests', 'objects'], what)
  }
})

const renames = (steps: string[]) => steps.filter((step) => step === 'rename').length

test('a parent with a rotten shard is not built upon where it is rotten: the new snapshot is right', async () => {
  const { corpus, dist, feeds } = copyOfFirstNight('rotten')
  await ingest({ feeds, corpus, asOf: secondNight }, quietEffects())
  const shards = readCurrent(dist).manifest.files.filter(({ role }) => role === 'cve')
  for (const file of shards.filter((_, i) => i % 3 === 0)) {
    const path = objectPath(dist, file.sha256)
    const bytes = readFileSync(path)
    bytes[bytes.length >> 1]! ^= 1
    writeFileSync(path, bytes)
  }
  const { snapshot, members } = await make(corpus, dist)
  const scratch = await make(corpus, join(folder.path, 'rotten-scratch'))
  assert.is(snapshot, scratch.snapshot)
  assert.ok(members.encoded >= scratch.members.total / 4 && members.encoded < scratch.members.total)
  assert.equal((await verify(dist)).faults, [])
})

test('the second of two builds into one folder is rejected', async () => {
  const { corpus, dist } = copyOfFirstNight('locked')
  const unlock = lockDist(dist)
  for (const second of [() => make(corpus, dist), () => prune(dist, { keep: { last: 1 } }, quietEffects())]) {
    const error = await second().then(
      () => null,
      (thrown: unknown) => thrown,
    )
    assert.instance(error, BuildError)
    assert.is((error as BuildError).code, 'busy')
  }
  unlock()
  assert.is((await make(corpus, dist)).snapshot, idOf(first.dist))
})

test('an ingest that commits during a build does not get into its snapshot, not even in part', async () => {
  const { corpus, dist, feeds } = copyOfFirstNight('meanwhile')
  const real = quietEffects()
  let ingested = false
  const effects = {
    ...real,
    // The first rename is that of a shard: half of the corpus is still unread.
    async rename(from: string, to: string) {
      if (!ingested) {
        ingested = true
        await ingest({ feeds, corpus, asOf: secondNight }, quietEffects())
      }
      await real.rename(from, to)
    },
  }
  const scratch = join(folder.path, 'meanwhile-scratch')
  assert.is((await make(corpus, scratch, effects)).snapshot, idOf(first.dist))
  assert.is.not((await make(corpus, dist)).snapshot, idOf(first.dist))
})

test('the next build writes damaged files again, with the same id', async () => {
  const { corpus, dist } = copyOfFirstNight('healed')
  const { files } = readCurrent(dist).manifest
  for (const role of ['cve', 'epss', 'pages', 'query', 'orders']) {
    const path = objectPath(dist, files.find((file) => file.role === role && file.size > 0)!.sha256)
    const bytes = readFileSync(path)
    bytes[bytes.length >> 1]! ^= 1
    writeFileSync(path, bytes)
  }
  assert.is((await verify(dist)).faults.length, 5)
  const report = await make(corpus, dist)
  assert.is(report.changed, false)
  assert.is(report.objects.written, 5)
  assert.equal((await verify(dist)).faults, [])
})

test('pruning keeps the newest snapshots whole and removes what only the others needed', async () => {
  const made = copyOfFirstNight('prune')
  await ingestAndBuild({ ...made, asOf: secondNight })
  await prune(made.dist, { keep: { last: 2 } }, quietEffects())
  assert.equal((await verify(made.dist)).faults, [])
  const before = countObjects(made.dist)
  const report = await prune(made.dist, { keep: { last: 1 } }, quietEffects())
  assert.is(report.removed.manifests, 1)
  assert.ok(report.removed.objects > 0)
  assert.is(countObjects(made.dist), before - report.removed.objects)
  assert.equal((await verify(made.dist)).faults, [])
  assert.is(firstNight < secondNight, true)
})

test('pruning counts a snapshot once, also where a build was killed before its pointer, and keeps what it was built upon', async () => {
  const made = copyOfFirstNight('prune-after-kill')
  await ingestAndBuild({ ...made, asOf: secondNight })
  const { manifest } = readCurrent(made.dist)
  // Of the same snapshot, activated a moment earlier: no pointer ever named it.
  const bytes = encodeManifest({ ...manifest, created_at: new Date(Date.parse(manifest.created_at) - 1).toISOString() })
  writeFileSync(manifestPath(made.dist, sha256(bytes)), bytes)
  const { kept, removed } = await prune(made.dist, { keep: { last: 2 } }, quietEffects())
  assert.equal(kept, [manifest.snapshot, idOf(first.dist)])
  assert.equal(removed, { snapshots: 1, manifests: 1, objects: 0, bytes: bytes.length })
  assert.equal((await verify(made.dist)).faults, [])
})

const countObjects = (dist: string) =>
  readdirSync(join(dist, 'objects'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length

test.after(() => folder.remove())

test.run()
