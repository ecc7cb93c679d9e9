/** Publishing to a folder: a mirror finds it complete at any moment, with the nights that lead to it. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { prune } from '../../../builder/prune.ts'
import { publish } from '../../../builder/publish/publish.ts'
import { lockDist } from '../../../builder/snapshot/lock.ts'
import { noProgress } from '../../../corpus/command/progress.ts'
import { openSource } from '../../../corpus/repository/source.ts'
import {
  manifestDigests,
  manifestPath,
  objectPath,
  pointerPath,
  readCurrent,
} from '../../../corpus/snapshot/files/layout.ts'
import type { FileEntry, Stored } from '../../../corpus/snapshot/files/manifest.ts'
import { encodePointer, type Pointer } from '../../../corpus/snapshot/files/pointer.ts'
import { verify } from '../../../corpus/snapshot/verify/verify.ts'
import type { NetworkEffects } from '../../../corpus/transfer/network.ts'
import { mirror } from '../../../gateway/mirror/mirror.ts'
import { makeSigner, signDist } from '../../gateway/mirror/repository.ts'
import { quietEffects, temporaryFolder } from '../../support/dist.ts'
import { Killed, killedEffects } from '../../support/killed-effects.ts'
import { NOW, openWorld, type World } from '../../support/publisher.ts'
import { refusal } from '../../support/refusal.ts'
import { currentFilesOf, filesOf } from '../../support/repository-files.ts'
import { sampleNights } from '../../support/samples.ts'

const folder = temporaryFolder('publish')
const test = suite('publish to a folder')
const at = (name: string) => join(folder.path, name)

const { first, second, third } = await sampleNights()

let world: World
let count = 0
test.before.each(() => {
  world = openWorld()
})
test.after.each(() => world.close())
test.after(() => folder.remove())

const newFolder = () => at(`target-${count++}`)
const run = (dist: string, to: string, effects: NetworkEffects = world.effects) =>
  publish({ dist, to }, effects, noProgress)
const mirrored = (from: string, dist: string) =>
  mirror(openSource(from, world.effects), { dist, keys: null }, world.effects, noProgress)
const idOf = (dist: string) => readCurrent(dist).pointer.snapshot
const bytesOf = (files: Iterable<Stored>) => [...files].reduce((sum, { size }) => sum + size, 0)
/** Returns the objects of the current snapshot, each once. */
const objectsOf = (dist: string) => new Map(readCurrent(dist).manifest.files.map((file) => [file.sha256, file]))

/** Returns a copy of a `dist` with another pointer. */
function pointing(dist: string, other: Partial<Pointer>): string {
  const copy = newFolder()
  cpSync(dist, copy, { recursive: true })
  writeFileSync(pointerPath(copy), encodePointer({ ...readCurrent(dist).pointer, ...other }))
  return copy
}

/** Asserts that a publish fails and leaves the target unchanged, byte for byte. */
async function refused(dist: string, to: string): Promise<string> {
  const before = filesOf(to)
  const why = await refusal(run(dist, to))
  assert.equal(filesOf(to), before)
  assert.not.ok(existsSync(join(to, 'publishing')), 'nothing is left behind')
  return why
}

test('what others keep in the folder stays: the parts of a mirror, say', async () => {
  const to = newFolder()
  mkdirSync(join(to, 'tmp'), { recursive: true })
  for (const name of ['lock', 'tmp/mine']) writeFileSync(join(to, name), '')
  await run(first, to)
  assert.ok(existsSync(join(to, 'tmp/mine')))
  assert.is(idOf(to), idOf(first))
})

test('a new folder is the repository, byte for byte; verify, mirrors and prune take it for one', async () => {
  const to = newFolder()
  const report = await run(first, to)
  assert.equal(filesOf(to), currentFilesOf(first))
  assert.equal((await verify(to)).faults, [])
  const { pointer } = readCurrent(first)
  const objects = objectsOf(first)
  assert.equal(report.uploaded, {
    files: objects.size + 1,
    bytes: bytesOf(objects.values()) + pointer.manifest.size,
  })
  assert.equal([report.changed, report.version, report.reused.files], [true, pointer.version, 0])
  assert.equal(readdirSync(to).sort(), ['latest.json', 'lock', 'manifests', 'objects'])
  await mirrored(to, newFolder())
  await run(third, to)
  const pruned = await prune(to, { keep: { last: 1 } }, quietEffects())
  assert.ok(pruned.removed.objects > 0)
  assert.equal((await verify(to)).faults, [])
})

test('what is there already is not touched', async () => {
  const to = newFolder()
  await run(first, to)
  const { effects, steps } = killedEffects()
  const report = await run(first, to, { ...world.effects, ...effects })
  assert.equal([report.changed, report.uploaded.files], [false, 0])
  assert.not.ok(steps.includes('rename'))
  assert.equal(filesOf(to), currentFilesOf(first))
})

test('of the next night goes what is new, its delta pack, and its manifest', async () => {
  const to = newFolder()
  await run(first, to)
  const report = await run(second, to)
  const { pointer, manifest } = readCurrent(second)
  const before = objectsOf(first)
  const fresh = [...objectsOf(second).values()].filter(({ sha256 }) => !before.has(sha256))
  const news = [...fresh, manifest.delta!, pointer.manifest]
  assert.ok(fresh.length < before.size)
  assert.equal(report.uploaded, { files: news.length, bytes: bytesOf(news) })
  assert.equal((await verify(to)).faults, [])
  assert.is(idOf(to), idOf(second))
})

test('a mirror several nights behind is led by packs, though those nights were never published', async () => {
  const [to, behind, ofDist] = [newFolder(), newFolder(), newFolder()]
  for (const mirror of [behind, ofDist]) await mirrored(first, mirror)
  await run(third, to)
  assert.is(manifestDigests(to).length, 3)
  const { made, fetched } = await mirrored(to, behind)
  assert.ok(made.files > 0)
  // The result equals that of a mirror of the dist itself.
  const straight = await mirrored(third, ofDist)
  assert.equal([made, fetched], [straight.made, straight.fetched])
  assert.equal((await verify(behind)).faults, [])
  assert.is(idOf(behind), idOf(third))
})

test('where packs or manifests of the nights before are gone or damaged, the rest is published all the same', async () => {
  const { pointer, manifest } = readCurrent(third)
  const parent = manifest.parent!.manifest
  for (const [spoil, manifests, line] of [
    [(dist: string) => rmSync(objectPath(dist, manifest.delta!.sha256)), [pointer.manifest.sha256], null],
    [(dist: string) => rmSync(manifestPath(dist, parent)), [pointer.manifest.sha256], null],
    [
      (dist: string) => writeFileSync(manifestPath(dist, parent), '{}'),
      [pointer.manifest.sha256],
      /^manifest [0-9a-f]{64}.*; publishing only the delta packs before it$/,
    ],
    [
      (dist: string) => rmSync(objectPath(dist, readCurrent(second).manifest.delta!.sha256)),
      [pointer.manifest.sha256, parent],
      null,
    ],
  ] as const) {
    const [dist, to] = [newFolder(), newFolder()]
    cpSync(third, dist, { recursive: true })
    spoil(dist)
    world.log.length = 0
    await run(dist, to)
    assert.equal(manifestDigests(to).sort(), [...manifests].sort())
    if (line) assert.match(world.log.join('\n'), line)
    else assert.equal(world.log, [])
    assert.equal((await verify(to)).faults, [])
  }
})

test('a step back, and another repository, are refused', async () => {
  const to = newFolder()
  await run(second, to)
  assert.match(
    await refused(first, to),
    /^rollback: cannot replace version 2 at \S+ with the older version 1; publish another repository elsewhere$/,
  )
  const { version, created_at } = readCurrent(second).pointer
  assert.match(
    await refused(pointing(third, { version }), to),
    /^contradiction: \S+ has another snapshot with the same version 2, so it is another repository/,
  )
  assert.match(
    await refused(pointing(third, { created_at }), to),
    /^contradiction: version 2 at \S+ was created at (\S+), after version 3 \(\1\), so it is another repository/,
  )
})

test('an unsigned snapshot takes the place of a signed one only where that is said', async () => {
  const to = newFolder()
  const signed = pointing(first, {})
  await signDist(signed, await makeSigner(), { version: 1 })
  await run(signed, to)
  assert.match(await refused(second, to), /^unsigned: the snapshot at \S+ is signed, .* Sign it .* use --unsigned$/)
  const report = await publish({ dist: second, to, unsigned: true }, world.effects, noProgress)
  assert.ok(report.changed)
  assert.is((await run(third, to)).version, 3)
})

test('the same snapshot under a later pointer: only the pointer is put', async () => {
  const to = newFolder()
  await run(second, to)
  const report = await run(pointing(second, { version: 9 }), to)
  assert.equal([report.changed, report.version, report.uploaded.files], [true, 9, 0])
  assert.is(readCurrent(to).pointer.version, 9)
})

test('a pointer that has expired is of no use to anybody, and is not published', async () => {
  const expired = pointing(second, { expires_at: new Date(NOW.getTime() - 1).toISOString() })
  const to = newFolder()
  assert.match(
    await refusal(run(expired, to)),
    /^expired: the pointer of \S+ expired at \S+; renew it with vulnshelf sign$/,
  )
  assert.not.ok(existsSync(to))
})

test('a pointer that expires while files are published is not published', async () => {
  const to = newFolder()
  await run(first, to)
  const before = readFileSync(pointerPath(to))
  const soon = pointing(second, { version: 9, expires_at: new Date(NOW.getTime() + 8000).toISOString() })
  let isLate = false
  const effects: NetworkEffects = {
    ...world.effects,
    now: () => new Date(NOW.getTime() + (isLate ? 8000 : 0)),
    async grow(path, offset) {
      isLate = true
      return world.effects.grow(path, offset)
    },
  }
  assert.match(
    await refusal(run(soon, to, effects)),
    /^expired: the pointer of \S+ expired at \S+; renew it with vulnshelf sign/,
  )
  assert.equal(readFileSync(pointerPath(to)), before)
  assert.equal((await verify(to)).faults, [])
})

test('an object that rotted, was cut short or is gone is named, and what was published stays', async () => {
  const isHere = objectsOf(first)
  const fresh = [...objectsOf(second).values()].filter(({ sha256 }) => !isHere.has(sha256))
  const [file] = fresh.sort((a, b) => b.size - a.size) as [FileEntry]
  const bytes = readFileSync(objectPath(second, file.sha256))
  const flipped = Buffer.from(bytes)
  flipped[flipped.length >> 1]! ^= 1
  for (const [other, code] of [
    [flipped, 'digest'],
    [bytes.subarray(1), 'digest'],
    [null, 'missing'],
  ] as const) {
    const [dist, to] = [newFolder(), newFolder()]
    cpSync(second, dist, { recursive: true })
    if (other) writeFileSync(objectPath(dist, file.sha256), other)
    else rmSync(objectPath(dist, file.sha256))
    await run(first, to)
    const why = await refusal(run(dist, to))
    assert.match(why, new RegExp(`^${code}: file ${file.role} ${file.name} \\(object ${file.sha256}\\) `))
    assert.not.ok(existsSync(objectPath(to, file.sha256)))
    assert.equal(readFileSync(pointerPath(to)), readFileSync(pointerPath(first)))
    assert.equal((await verify(to)).faults, [])
    // The next run completes it.
    await run(second, to)
    assert.equal((await verify(to)).faults, [])
  }
})

test('what the target lost, or has in another size, is put there again', async () => {
  const to = newFolder()
  await run(second, to)
  const [lost, cut] = [...objectsOf(second).values()].filter(({ size }) => size > 100) as [FileEntry, FileEntry]
  rmSync(objectPath(to, lost.sha256))
  writeFileSync(objectPath(to, cut.sha256), 'short')
  const report = await run(second, to)
  assert.equal([report.changed, report.uploaded], [false, { files: 2, bytes: lost.size + cut.size }])
  assert.equal((await verify(to)).faults, [])
})

test('targets that are none of ours, damaged, or taken', async () => {
  const others = newFolder()
  mkdirSync(others)
  writeFileSync(join(others, 'notes.txt'), 'mine')
  assert.match(
    await refusal(run(first, others)),
    /^unusable: \S+ has other files \(notes\.txt\); publish needs an empty folder/,
  )
  assert.equal(readdirSync(others), ['notes.txt'])
  assert.match(await refusal(run(first, join(others, 'notes.txt'))), /^unusable: \S+ is a file; publish needs a folder/)
  const to = newFolder()
  await run(first, to)
  const unlock = lockDist(to)
  assert.match(await refusal(run(second, to)), /^busy: another build or prune is writing to /)
  unlock()
  writeFileSync(pointerPath(to), 'no pointer')
  assert.match(await refused(second, to), /^unusable: \S+ is damaged: latest\.json is not JSON: .*; remove that file/)
  for (const none of ['ftp://example.com/x', 's4://bucket/x']) {
    assert.match(await refusal(run(first, none)), /^usage: cannot publish to \S+; use a folder, s3:/)
  }
  assert.match(await refusal(run(first, 's3://x/y')), /^usage: the address has no bucket/)
  assert.match(await refusal(run(at('nowhere'), newFolder())), /^missing: there is no folder \S+nowhere; use /)
})

test('killed before any of its steps, it leaves the old night whole, and the next run completes', async () => {
  const base = newFolder()
  await run(first, base)
  // Most objects of the night exist already: each kind of step remains, but not a hundred of each.
  const isHere = objectsOf(first)
  const fresh = [...objectsOf(second).values()].filter(({ sha256 }) => !isHere.has(sha256))
  for (const { sha256 } of fresh.slice(2)) {
    mkdirSync(dirname(objectPath(base, sha256)), { recursive: true })
    cpSync(objectPath(second, sha256), objectPath(base, sha256))
  }
  const killedRun = async (to: string, step?: number) => {
    const { effects: disk, steps } = killedEffects(step)
    const { grow, now, log, sleep, random, request } = world.effects
    const effects: NetworkEffects = {
      ...disk,
      now,
      log,
      sleep,
      random,
      request,
      async grow(path, offset) {
        // Counts as a step too.
        await disk.mkdir(dirname(path))
        return grow(path, offset)
      },
    }
    await publish({ dist: second, to, parallel: 1 }, effects, noProgress)
    return steps
  }
  const undisturbed = newFolder()
  cpSync(base, undisturbed, { recursive: true })
  const steps = await killedRun(undisturbed)
  assert.ok(steps.length > 20, `${steps.length} steps`)
  const lastRename = steps.lastIndexOf('rename')

  const to = newFolder()
  for (let step = 0; step < steps.length; step++) {
    rmSync(to, { recursive: true, force: true })
    cpSync(base, to, { recursive: true })
    const error = await killedRun(to, step).then(
      () => null,
      (reason: unknown) => reason,
    )
    const what = `killed before step ${step}, ${steps[step]}`
    assert.instance(error, Killed, what)
    assert.is(idOf(to), step > lastRename ? idOf(second) : idOf(first), what)
    assert.equal((await verify(to)).faults, [], what)
    await run(second, to)
    assert.equal(filesOf(to), filesOf(undisturbed), what)
    assert.not.ok(existsSync(join(to, 'publishing')), what)
  }
})

test.run()
