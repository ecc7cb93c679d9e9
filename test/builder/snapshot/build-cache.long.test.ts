/** The cache for the next build saves work, and changes no byte of a snapshot, even if it is damaged. */
import { cpSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ingest } from '../../../builder/ingest/ingest.ts'
import { prune } from '../../../builder/prune.ts'
import { build } from '../../../builder/snapshot/build.ts'
import { buildCachePath, openBuildCache } from '../../../builder/snapshot/build-cache.ts'
import { noProgress } from '../../../corpus/command/progress.ts'
import { objectPath, readCurrent } from '../../../corpus/snapshot/files/layout.ts'
import { quietEffects, sampleDist, temporaryFolder } from '../../support/dist.ts'

const folder = temporaryFolder('gathered')
const first = await sampleDist(folder.path, 120)
const night = join(folder.path, 'night.db')
cpSync(first.corpus, night)
await ingest({ feeds: first.feeds, corpus: night, asOf: first.nights[1]! }, quietEffects())

/** Returns a copy of the first night's `dist` for a test. */
function copyOf(name: string): string {
  const dist = join(folder.path, name)
  cpSync(first.dist, dist, { recursive: true })
  return dist
}

/** Builds the second night. Returns all entries of its manifest, and the messages to the operator. */
async function buildNight(dist: string, jobs = 0) {
  const told: string[] = []
  const effects = { ...quietEffects(), log: (line: string) => void told.push(line) }
  await build({ corpus: night, dist, jobs }, effects, noProgress)
  return { files: readCurrent(dist).manifest.files, told }
}

const isKept = (dist: string) => openBuildCache(dist, readCurrent(dist).manifest.files) !== null

const withoutDist = copyOf('without')
rmSync(buildCachePath(withoutDist))
const without = await buildNight(withoutDist)

test('every build keeps what it gathered of its snapshot, for the next one', () => {
  assert.is(isKept(first.dist), true)
  assert.is(isKept(withoutDist), true)
})

test('a night built on what was gathered before has the bytes of one built without, with any number of jobs', async () => {
  for (const jobs of [0, 2]) {
    const dist = copyOf(`with-${jobs}`)
    const { files, told } = await buildNight(dist, jobs)
    assert.equal(files, without.files)
    assert.equal(told, [])
    assert.is(isKept(dist), true)
  }
})

test('what a night kept serves the way back to the night before as well', async () => {
  const dist = join(folder.path, 'with-0')
  const effects = quietEffects()
  await build({ corpus: first.corpus, dist, jobs: 0 }, effects, noProgress)
  assert.equal(readCurrent(dist).manifest.files, readCurrent(first.dist).manifest.files)
})

test('a byte that was flipped anywhere in it changes nothing of the snapshot, and it is then kept anew', async () => {
  const { length } = readFileSync(buildCachePath(first.dist))
  const trailerAt = length - 36
  const positions = [0, Math.floor(length / 3), Math.floor(length / 2), trailerAt - 1, trailerAt, length - 1]
  for (const at of positions) {
    const dist = copyOf(`flipped-${at}`)
    const bytes = readFileSync(buildCachePath(dist))
    bytes[at]! ^= 1
    writeFileSync(buildCachePath(dist), bytes)
    const { files } = await buildNight(dist)
    assert.equal(files, without.files, `byte ${at}`)
    assert.is(isKept(dist), true)
  }
})

test('facts that are damaged are told of: all is then gathered anew', async () => {
  const dist = copyOf('told')
  const bytes = readFileSync(buildCachePath(dist))
  bytes[100]! ^= 1
  writeFileSync(buildCachePath(dist), bytes)
  const { files, told } = await buildNight(dist)
  assert.equal(files, without.files)
  assert.is(told.length, 1)
  assert.match(told[0]!, 'is damaged')
})

test('one that was cut short, or is of another snapshot, is not built upon', async () => {
  const cut = copyOf('cut')
  truncateSync(buildCachePath(cut), 20)
  assert.is(isKept(cut), false)
  assert.equal((await buildNight(cut)).files, without.files)

  const other = copyOf('other')
  cpSync(buildCachePath(withoutDist), buildCachePath(other))
  assert.is(isKept(other), false)
  assert.equal((await buildNight(other)).files, without.files)
})

test('a parent whose shards are rotten is read without it', async () => {
  const dist = copyOf('rotten')
  const shard = readCurrent(dist).manifest.files.filter(({ role }) => role === 'cve')[3]!
  const bytes = readFileSync(objectPath(dist, shard.sha256))
  bytes[bytes.length >> 1]! ^= 1
  writeFileSync(objectPath(dist, shard.sha256), bytes)
  assert.equal((await buildNight(dist)).files, without.files)
})

test('prune keeps that of the current snapshot, and removes any other', async () => {
  const dist = copyOf('pruned')
  await prune(dist, 1, quietEffects())
  assert.is(isKept(dist), true)
  cpSync(buildCachePath(withoutDist), buildCachePath(dist))
  await prune(dist, 1, quietEffects())
  assert.is(existsSync(buildCachePath(dist)), false)
})

test.after(() => folder.remove())

test.run()
