/** Delta packs on their way to a mirror: a night, several nights, and what happens where they are of no use. */
import { cpSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { noProgress } from '../../../corpus/command/progress.ts'
import { openSource } from '../../../corpus/repository/source.ts'
import { sha256 } from '../../../corpus/runtime/digest.ts'
import { decodePack, encodePack } from '../../../corpus/snapshot/files/delta.ts'
import {
  manifestDigests,
  manifestName,
  manifestPath,
  objectName,
  objectPath,
  readCurrent,
  readStored,
} from '../../../corpus/snapshot/files/layout.ts'
import { encodeManifest, type Manifest } from '../../../corpus/snapshot/files/manifest.ts'
import { verify } from '../../../corpus/snapshot/verify/verify.ts'
import { type MirrorReport, mirror } from '../../../gateway/mirror/mirror.ts'
import { linksTo } from '../../../gateway/mirror/rebuild-from-packs.ts'
import { ingestAndBuild, temporaryFolder } from '../../support/dist.ts'
import { openWorld, type World } from '../../support/publisher.ts'
import { refusal } from '../../support/refusal.ts'
import { ownNights, sampleNights } from '../../support/samples.ts'
import { serveFolder, type WebFolder } from '../../support/web-folder.ts'
import { makeSigner, signDist } from './repository.ts'

const folder = temporaryFolder('deltas')
const test = suite('delta packs of a mirror')
const signer = await makeSigner()
const keys = [signer.publicKey]

/** The same origin after each of some nights. */
const { first, second, third, fourth: last } = await ownNights(folder.path, (dist) => signDist(dist, signer))
const nights = [first, second, third, last]

let world: World
let count = 0
test.before.each(() => {
  world = openWorld()
})
test.after.each(() => world.close())
test.after(() => folder.remove())

interface Way {
  report: MirrorReport
  dist: string
  asked: string[]
}

/** Mirrors one night after the other; gives how the last one came. */
async function mirrored(ways: readonly string[], change: (repository: WebFolder) => void = () => {}): Promise<Way> {
  const dist = join(folder.path, `mirror-${count++}`)
  const run = (from: string) => mirror(openSource(from, world.effects), { dist, keys }, world.effects, noProgress)
  for (const night of ways.slice(0, -1)) await run(night)
  const repository = await serveFolder(ways.at(-1)!)
  change(repository)
  try {
    const report = await run(repository.url)
    assert.equal((await verify(dist, { keys })).faults, [])
    assert.is(report.snapshot, readCurrent(ways.at(-1)!).pointer.snapshot)
    return { report, dist, asked: repository.asked.map(({ path }) => path) }
  } finally {
    await repository.close()
  }
}

const packOf = (dist: string) => readCurrent(dist).manifest.delta!
const isAsked = ({ asked }: Way, dist: string) => asked.includes(objectName(packOf(dist).sha256))

test('every build has a pack but the first', () => {
  assert.is(readCurrent(first).manifest.delta, null)
  for (const night of nights.slice(1)) assert.ok(decodePack(readStored(night, packOf(night), 'the pack')).length > 0)
})

test('night after night', async () => {
  const way = await mirrored(nights)
  assert.ok(isAsked(way, last))
  assert.ok(way.report.made.files > 0)
})

test('several nights behind, packs lead from one to the next', async () => {
  const way = await mirrored([first, last])
  for (const night of nights.slice(1)) assert.ok(isAsked(way, night))
  // Of the nights between come manifests; the last one's comes anyway.
  assert.is(way.asked.filter((path) => path.startsWith('manifests/')).length, nights.length - 1)
  assert.ok(way.report.made.files > 0)
  assert.equal(world.log, [])
})

test('of old snapshots those stay that were whole here; nights that were passed over count for none', async () => {
  const dist = join(folder.path, `mirror-${count++}`)
  const run = (from: string, keep: number) =>
    mirror(openSource(from, world.effects), { dist, keys, keep }, world.effects, noProgress)
  const missingOf = (night: string) =>
    readCurrent(night).manifest.files.filter(({ sha256 }) => !existsSync(objectPath(dist, sha256))).length
  await run(first, 2)
  await run(last, 2)
  assert.is(missingOf(first), 0)
  assert.equal(manifestDigests(dist).length, nights.length)
  const { pruned } = await run(last, 1)
  assert.is(missingOf(last), 0)
  assert.ok(missingOf(first) > 0)
  assert.is(pruned?.manifests, nights.length - 1)
  assert.equal((await verify(dist, { keys })).faults, [])
})

test('a shard that was in no pack on the way comes whole, the others are made all the same', async () => {
  const way = await mirrored([first, third])
  assert.equal(world.log, [])
  assert.ok(way.report.made.files > 0)
  const shards = readCurrent(third).manifest.files.filter(({ role }) => role === 'cve')
  assert.ok(shards.some(({ sha256 }) => way.asked.includes(objectName(sha256))))
})

test('whoever has another snapshot than the chain leads from takes whole files', async () => {
  const dist = join(folder.path, 'other-origin')
  await ingestAndBuild({ feeds: (await sampleNights()).feeds, corpus: join(folder.path, 'other.db'), dist })
  await signDist(dist, signer, { version: 1, created_at: '2001-01-01T00:00:00.000Z' })
  const { manifest } = readCurrent(dist)
  const bytes = encodeManifest({ ...manifest, created_at: '2001-01-01T00:00:00.000Z' })
  writeFileSync(manifestPath(dist, sha256(bytes)), bytes)
  await signDist(dist, signer, {
    version: 1,
    created_at: '2001-01-01T00:00:00.000Z',
    manifest: { sha256: sha256(bytes), size: bytes.length },
  })
  const way = await mirrored([dist, second])
  assert.is(way.report.made.files, 0)
})

test('a pack that is gone, or damaged for good: files come whole', async () => {
  const pack = objectName(packOf(second).sha256)
  for (const fault of [
    { kind: 'status', code: 404 },
    { kind: 'corrupt', at: 99 },
    { kind: 'truncate', by: 5 },
  ] as const) {
    const way = await mirrored([first, second], (repository) => {
      repository.fault = ({ path }) => (path === pack ? fault : null)
    })
    assert.is(way.report.made.files, 0)
    assert.match(world.log.at(-1)!, /^cannot use delta packs, downloading files instead: /)
  }
})

test('a manifest between that is gone: files come whole', async () => {
  const between = manifestName(readCurrent(second).pointer.manifest.sha256)
  const way = await mirrored([first, last], (repository) => {
    repository.fault = ({ path }) => (path === between ? { kind: 'status', code: 404 } : null)
  })
  assert.is(way.report.made.files, 0)
})

test('a manifest between that never ends is not waited for: files come whole', async () => {
  const between = manifestName(readCurrent(second).pointer.manifest.sha256)
  let sent = 0
  const way = await mirrored([first, last], (repository) => {
    repository.fault = ({ path }) => {
      if (path === between) return { kind: 'endless' }
      sent ||= repository.sent()
      return null
    }
  })
  assert.is(way.report.made.files, 0)
  assert.ok(sent < 4 << 20, `${sent} bytes`)
})

test('packs that came with a run that broke off are not asked for again', async () => {
  const dist = join(folder.path, 'broken-off')
  const run = (from: string) => mirror(openSource(from, world.effects), { dist, keys }, world.effects, noProgress)
  await run(first)
  const repository = await serveFolder(last)
  const packs = nights.slice(1).map((night) => objectName(packOf(night).sha256))
  const asked = () => packs.filter((pack) => repository.asked.some(({ path }) => path === pack))
  try {
    // The error ends the other downloads, so it comes after them.
    repository.fault = ({ path }) => (path === packs[1] ? { kind: 'status', code: 503, afterMs: 2000 } : null)
    assert.match(await refusal(run(repository.url)), /^busy_server: /)
    assert.equal(asked(), packs)
    repository.fault = () => null
    repository.asked.length = 0
    const { fetched, made, received } = await run(repository.url)
    assert.equal(asked(), [packs[1]])
    assert.ok(made.files > 0)
    assert.is(fetched.bytes, received)
    assert.equal((await verify(dist, { keys })).faults, [])
  } finally {
    await repository.close()
  }
})

test('a pack that makes something else than its signed manifest says is found out, and files come whole', async () => {
  const dist = join(folder.path, 'wrong-pack')
  cpSync(second, dist, { recursive: true })
  const { manifest } = readCurrent(dist)
  const [one, ...others] = decodePack(readStored(dist, manifest.delta!, 'the pack'))
  const carried = Buffer.from(one!.carried)
  carried[carried.length >> 1]! ^= 1
  const pack = encodePack([{ ...one!, carried }, ...others])
  const delta = { sha256: sha256(pack), size: pack.length }
  cpSync(objectPath(dist, manifest.delta!.sha256), objectPath(dist, delta.sha256), { recursive: true })
  writeFileSync(objectPath(dist, delta.sha256), pack)
  const bytes = encodeManifest({ ...manifest, delta })
  writeFileSync(manifestPath(dist, sha256(bytes)), bytes)
  await signDist(dist, signer, { manifest: { sha256: sha256(bytes), size: bytes.length } })
  await mirrored([first, dist])
  assert.match(world.log.at(-1)!, /^cannot use delta packs, .*a delta pack produces another file than file /)
})

test('links are followed only while they cost less than what they spare, and not for ever', async () => {
  const manifestAt = (i: number): Manifest => ({
    ...readCurrent(second).manifest,
    snapshot: `${i}`,
    parent: { snapshot: `${i - 1}`, manifest: `m${i - 1}` },
    delta: { sha256: `${i}`, size: 100 },
  })
  const manifestOf = async (digest: string) => ({ manifest: manifestAt(Number(digest.slice(1))), cost: 10 })
  const links = await linksTo(manifestAt(9), 'm6', 1000, manifestOf)
  assert.equal(
    links?.map(({ pack }) => pack.sha256),
    ['7', '8', '9'],
  )
  // Three packs, and two manifests between.
  assert.is((await linksTo(manifestAt(9), 'm6', 321, manifestOf))?.length, 3)
  assert.is(await linksTo(manifestAt(9), 'm6', 320, manifestOf), null)
  assert.is(await linksTo(manifestAt(99), 'm1', 1e9, manifestOf), null)
  assert.is(await linksTo({ ...manifestAt(9), delta: null }, 'm6', 1e9, manifestOf), null)
  assert.is(await linksTo({ ...manifestAt(9), parent: null }, 'm6', 1e9, manifestOf), null)
})

test.run()
