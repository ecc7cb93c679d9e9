/** What is derived is made by the mirror itself, and is the same, byte for byte; where it is not, it is fetched. */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { noProgress } from '../../../corpus/command/progress.ts'
import { openSource } from '../../../corpus/repository/source.ts'
import {
  objectName,
  objectPath,
  temporaryFolder as partsOf,
  readCurrent,
} from '../../../corpus/snapshot/files/layout.ts'
import { appendPageCrcs } from '../../../corpus/snapshot/query/page-crcs.ts'
import { checkQuerySchema } from '../../../corpus/snapshot/query/schema.ts'
import { verify } from '../../../corpus/snapshot/verify/verify.ts'
import { type MirrorReport, mirror } from '../../../gateway/mirror/mirror.ts'
import { stateOf } from '../../cli/command.ts'
import { ingestAndBuild, temporaryFolder } from '../../support/dist.ts'
import { openWorld, type World } from '../../support/publisher.ts'
import { ownFirstNight } from '../../support/samples.ts'
import { serveFolder } from '../../support/web-folder.ts'
import { copyResigned, makeSigner, replaceObject, signDist } from './repository.ts'

const folder = temporaryFolder('derived')
const test = suite('deriving in a mirror')
const signer = await makeSigner()
const keys = [signer.publicKey]
const first = await ownFirstNight('plain', folder.path)
await signDist(first.dist, signer)
const later = join(folder.path, 'later')
cpSync(first.dist, later, { recursive: true })
await ingestAndBuild({ feeds: first.feeds, corpus: first.corpus, dist: later, asOf: first.nights[1]! })
await signDist(later, signer)

let world: World
let count = 0
test.before.each(() => {
  world = openWorld()
})
test.after.each(() => world.close())
test.after(() => folder.remove())

const newDist = () => join(folder.path, `mirror-${count++}`)

interface Way {
  report: MirrorReport
  asked: string[]
}

async function run(dist: string, from: string, jobs: number): Promise<Way> {
  const repository = await serveFolder(from)
  try {
    const report = await mirror(
      openSource(repository.url, world.effects),
      { dist, keys, derive: jobs },
      world.effects,
      noProgress,
    )
    assert.equal((await verify(dist, { keys })).faults, [])
    return { report, asked: repository.asked.map(({ path }) => path) }
  } finally {
    await repository.close()
  }
}

const filesOf = (dist: string) => readCurrent(dist).manifest.files
const derivedIn = (dist: string) => filesOf(dist).filter(({ derived }) => derived)

test('of a new mirror nothing that is derived is fetched, whatever the threads', async () => {
  for (const jobs of [0, 2]) {
    const dist = newDist()
    const { report, asked } = await run(dist, first.dist, jobs)
    for (const { sha256 } of derivedIn(first.dist)) assert.not.ok(asked.includes(objectName(sha256)))
    assert.is(report.derived.files, new Set(derivedIn(first.dist).map(({ sha256 }) => sha256)).size)
    for (const { sha256 } of filesOf(first.dist)) {
      assert.equal(readFileSync(objectPath(dist, sha256)), readFileSync(objectPath(first.dist, sha256)))
    }
    assert.equal(readdirSync(partsOf(dist)), [])
    assert.equal(world.log, [])
  }
})

/** Bytes of the history of EPSS of a few CVEs: the new edition is most of it. */
const MOSTLY_NEW = 1000

test('of a night come its pack and what is no shard; shards are made, the rest is derived', async () => {
  const dist = newDist()
  await run(dist, first.dist, 0)
  const { report, asked } = await run(dist, later, 0)
  const objects = asked.filter((path) => path.startsWith('objects/'))
  const before = new Set(filesOf(first.dist).map(({ role, name }) => `${role}/${name}`))
  // A pack has what changed in a shard of the night before. A new shard comes whole, and one of which most is new.
  const whole = filesOf(later)
    .filter(({ sha256 }) => objects.includes(objectName(sha256)))
    .filter(({ role }) => !['about', 'epss', 'rejected'].includes(role))
    .filter(({ size }) => size > MOSTLY_NEW)
    .map(({ role, name }) => `${role}/${name}`)
  assert.equal(
    whole.filter((file) => before.has(file)),
    [],
  )
  assert.ok(objects.includes(objectName(readCurrent(later).manifest.delta!.sha256)))
  assert.ok(report.made.files > 0)
  assert.ok(report.derived.files > 10)
})

test('what is here already is not derived again', async () => {
  const dist = newDist()
  await run(dist, first.dist, 0)
  const { report } = await run(dist, first.dist, 0)
  assert.equal([report.derived.files, report.fetched.files, report.changed], [0, 0, false])
})

test('what another version of SQLite would write is fetched, and told', async () => {
  const other = await copyResigned(first.dist, newDist(), signer, (files, dist) => {
    const query = files.find(({ role }) => role === 'query')!
    const path = objectPath(dist, query.sha256)
    const { pageSize, pages } = checkQuerySchema(readFileSync(path))
    writeFileSync(path, readFileSync(path).subarray(0, pageSize * pages))
    const database = new Database(path)
    // The same rows in another file: the content is the same, and so is the snapshot.
    database.pragma('user_version = 7')
    database.close()
    appendPageCrcs(path)
    replaceObject(dist, query, readFileSync(path))
  })
  assert.is(readCurrent(other).manifest.snapshot, readCurrent(first.dist).manifest.snapshot)
  const dist = newDist()
  const { report, asked } = await run(dist, other, 0)
  const query = filesOf(other).find(({ role }) => role === 'query')!
  assert.equal(
    asked.filter((path) => derivedIn(other).some(({ sha256 }) => path === objectName(sha256))),
    [objectName(query.sha256)],
  )
  assert.is(report.derived.files, derivedIn(other).length - 1)
  assert.match(world.log.at(-1)!, /^1 locally derived files differ from the published ones/)
})

test('where nothing can be derived everything is fetched', async () => {
  const strange = await copyResigned(first.dist, newDist(), signer, (files, dist) => {
    const shard = files.find(({ role }) => role === 'cve')!
    shard.content = 'ab'.repeat(32)
    replaceObject(dist, shard, Buffer.from('no shard at all'))
  })
  const dist = newDist()
  const repository = await serveFolder(strange)
  try {
    const options = { dist, keys, derive: 0 }
    const report = await mirror(openSource(repository.url, world.effects), options, world.effects, noProgress)
    assert.is(report.derived.files, 0)
    assert.match(world.log.at(-1)!, /^cannot derive files locally, downloading them: /)
    const state = stateOf(strange)
    for (const { sha256 } of filesOf(strange)) assert.is(stateOf(dist)[objectName(sha256)], state[objectName(sha256)])
  } finally {
    await repository.close()
  }
})

test("what a kill left of deriving is in nobody's way", async () => {
  const dist = newDist()
  mkdirSync(join(partsOf(dist), 'derived'), { recursive: true })
  writeFileSync(join(partsOf(dist), 'derived/query.db'), 'half a database')
  const { report } = await run(dist, first.dist, 0)
  assert.ok(report.derived.files > 10)
  assert.equal(readdirSync(partsOf(dist)), [])
})

test.run()
