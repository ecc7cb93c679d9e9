/** A bundle that is written on one machine and read on another, without a network, gives the same snapshot. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { noProgress } from '../../../corpus/command/progress.ts'
import { openSource } from '../../../corpus/repository/source.ts'
import { objectPath, pointerPath, readCurrent } from '../../../corpus/snapshot/files/layout.ts'
import { verify } from '../../../corpus/snapshot/verify/verify.ts'
import type { NetworkEffects } from '../../../corpus/transfer/network.ts'
import { type MirrorOptions, type MirrorReport, mirror } from '../../../gateway/mirror/mirror.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { NOW, openWorld, type World } from '../../support/publisher.ts'
import { refusal } from '../../support/refusal.ts'
import { ownNights } from '../../support/samples.ts'
import { serveFolder } from '../../support/web-folder.ts'
import { makeSigner, signDist } from './repository.ts'

const folder = temporaryFolder('bundle')
const test = suite('bundles')
const signer = await makeSigner()
const keys = [signer.publicKey]
const at = (name: string) => join(folder.path, name)

/** The same origin after each of three nights. */
const { first, second, third: last } = await ownNights(folder.path, (dist) => signDist(dist, signer))

let world: World
let count = 0
test.before.each(() => {
  world = openWorld()
})
test.after.each(() => world.close())
test.after(() => folder.remove())

const newDist = () => at(`mirror-${count++}`)
const newBundle = () => at(`bundle-${count++}.tar`)

const copy = (source: string, dist: string, options: Partial<MirrorOptions> = {}): Promise<MirrorReport> =>
  mirror(openSource(source, world.effects), { dist, keys, ...options }, world.effects, noProgress)

/** As `copy`, over HTTP: what is here comes with packs and by ranges as it would from far away. */
async function copyFromWeb(night: string, dist: string, options: Partial<MirrorOptions> = {}): Promise<MirrorReport> {
  const repository = await serveFolder(night)
  try {
    return await copy(repository.url, dist, options)
  } finally {
    await repository.close()
  }
}

async function assertSame(dist: string, night: string): Promise<void> {
  assert.equal(readFileSync(pointerPath(dist)), readFileSync(pointerPath(night)))
  assert.equal((await verify(dist, { keys })).faults, [])
}

test('a bundle of a pointer that expires while it is written is not put in its place', async () => {
  const origin = newDist()
  cpSync(first, origin, { recursive: true })
  await signDist(origin, signer, { expires_at: new Date(NOW.getTime() + 8000).toISOString() })
  const [dist, bundle] = [newDist(), newBundle()]
  let isLate = false
  const effects: NetworkEffects = {
    ...world.effects,
    now: () => new Date(NOW.getTime() + (isLate ? 8000 : 0)),
    async grow(path, offset) {
      isLate ||= path.startsWith(bundle)
      return world.effects.grow(path, offset)
    },
  }
  assert.match(
    await refusal(mirror(openSource(origin, effects), { dist, keys, bundle }, effects, noProgress)),
    /^expired: latest\.json expired at /,
  )
  assert.equal([bundle, `${bundle}.part`, pointerPath(dist)].filter(existsSync), [])
})

test('a whole snapshot', async () => {
  const bundle = newBundle()
  const report = await copyFromWeb(first, newDist(), { bundle })
  assert.is(report.bundle?.file, bundle)
  assert.is(report.bundle?.bytes, readFileSync(bundle).length)
  const dist = newDist()
  const read = await copy(bundle, dist)
  assert.is(read.snapshot, readCurrent(first).pointer.snapshot)
  await assertSame(dist, first)
})

test('the difference between two snapshots, over one night and over two, in a fraction of the bytes', async () => {
  for (const night of [second, last]) {
    const [here, there, bundle] = [newDist(), newDist(), newBundle()]
    await copyFromWeb(first, here)
    cpSync(here, there, { recursive: true })
    const { bundle: written, made } = await copyFromWeb(night, here, { bundle })
    assert.ok(made.files > 0)
    const whole = readCurrent(night).manifest.files.reduce((sum, { size }) => sum + size, 0)
    assert.ok(written!.bytes < whole, `${written!.bytes} of ${whole}`)
    const report = await copy(bundle, there)
    assert.is(report.made.files, made.files)
    await assertSame(there, night)
  }
})

test('without what is derived, for one who derives it', async () => {
  const [here, there, bundle] = [newDist(), newDist(), newBundle()]
  await copyFromWeb(first, here)
  cpSync(here, there, { recursive: true })
  const full = newBundle()
  await copyFromWeb(second, newDistLike(here), { bundle: full })
  await copyFromWeb(second, here, { bundle, derive: 0 })
  assert.ok(readFileSync(bundle).length < readFileSync(full).length / 2)
  assert.match(await refusal(copy(bundle, there)), /^missing: .* is not in bundle-\d+\.tar: .* written with --derive/)
  await copy(bundle, there, { derive: 0 })
  await assertSame(there, second)
})

function newDistLike(dist: string): string {
  const other = newDist()
  cpSync(dist, other, { recursive: true })
  return other
}

test('what came in a run that broke off is in the bundle of the one that ends well', async () => {
  const [here, there, bundle] = [newDist(), newDist(), newBundle()]
  const repository = await serveFolder(first)
  const ended = new AbortController()
  repository.fault = ({ path }) => {
    if (path.startsWith('objects/') && repository.asked.length > 20) ended.abort(new Error('ended'))
    return null
  }
  await copy(repository.url, here, { bundle, signal: ended.signal, parallel: 1 }).catch(() => {})
  await repository.close()
  assert.not.ok(existsSync(bundle))
  const { reused } = await copyFromWeb(first, here, { bundle })
  assert.ok(reused.files > 0)
  await copy(bundle, there)
  await assertSame(there, first)
})

test('where nothing is new nothing is written, and what lies there stays', async () => {
  const [dist, bundle] = [newDist(), newBundle()]
  await copyFromWeb(first, dist)
  writeFileSync(bundle, 'of yesterday')
  const report = await copyFromWeb(first, dist, { bundle })
  assert.is(report.bundle, null)
  assert.is(readFileSync(bundle, 'utf8'), 'of yesterday')
  assert.match(world.log.at(-1)!, /^no snapshot is new, so .* was not written$/)
})

test('a bundle that leads from another snapshot is refused, and the one that is here stays', async () => {
  const [here, bundle] = [newDist(), newBundle()]
  await copyFromWeb(second, here)
  await copyFromWeb(last, here, { bundle })
  const there = newDist()
  await copyFromWeb(first, there)
  assert.match(
    await refusal(copy(bundle, there)),
    /^missing: .* contains only files that are new since an earlier snapshot/,
  )
  await assertSame(there, first)
})

test('damage, an older bundle and a wrong key are refused', async () => {
  const bundle = newBundle()
  await copyFromWeb(second, newDist(), { bundle })
  const bytes = readFileSync(bundle)
  const [largest] = readCurrent(second).manifest.files.toSorted((a, b) => b.size - a.size)
  const damaged = Buffer.from(bytes)
  damaged[damaged.indexOf(readFileSync(objectPath(second, largest!.sha256)).subarray(100, 200))]! ^= 1
  const offered = (contents: Buffer) => {
    const file = newBundle()
    writeFileSync(file, contents)
    return file
  }
  assert.match(await refusal(copy(offered(damaged), newDist())), /^digest: /)
  const stranger = await makeSigner()
  assert.match(await refusal(copy(bundle, newDist(), { keys: [stranger.publicKey] })), /^untrusted: /)
  const ahead = newDist()
  await copyFromWeb(last, ahead)
  assert.match(await refusal(copy(bundle, ahead)), /^rollback: /)
})

test('tar lists it and takes it apart, and what tar packs can be read', async () => {
  const bundle = newBundle()
  await copyFromWeb(first, newDist(), { bundle })
  const unpacked = newDist()
  execFileSync('mkdir', [unpacked])
  execFileSync('tar', ['-xf', bundle, '-C', unpacked])
  await assertSame(unpacked, first)
  for (const format of ['gnu', 'posix', 'ustar']) {
    const packed = newBundle()
    execFileSync('tar', ['-cf', packed, `--format=${format}`, '-C', unpacked, '.'])
    const dist = newDist()
    await copy(packed, dist)
    await assertSame(dist, first)
  }
})

test('the same files make the same bundle', async () => {
  const [one, other] = [newBundle(), newBundle()]
  await copyFromWeb(first, newDist(), { bundle: one })
  await copyFromWeb(first, newDist(), { bundle: other })
  assert.ok(readFileSync(one).equals(readFileSync(other)))
})

test.run()
