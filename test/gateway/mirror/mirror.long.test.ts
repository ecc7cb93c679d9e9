/** A mirror is a copy, byte for byte, got with as few bytes as can be, however the way there behaves. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { lockDist } from '../../../builder/snapshot/lock.ts'
import { noProgress } from '../../../corpus/command/progress.ts'
import { openSource } from '../../../corpus/repository/source.ts'
import {
  manifestPath,
  objectName,
  objectPath,
  temporaryFolder as partsOf,
  pointerPath,
  readCurrent,
} from '../../../corpus/snapshot/files/layout.ts'
import type { FileEntry } from '../../../corpus/snapshot/files/manifest.ts'
import { verify } from '../../../corpus/snapshot/verify/verify.ts'
import { makeRoom } from '../../../gateway/mirror/folder.ts'
import { follow } from '../../../gateway/mirror/follow.ts'
import { type MirrorOptions, mirror } from '../../../gateway/mirror/mirror.ts'
import { stateOf } from '../../cli/command.ts'
import { ingestAndBuild, temporaryFolder } from '../../support/dist.ts'
import { NOW, openWorld, type World } from '../../support/publisher.ts'
import { refusal } from '../../support/refusal.ts'
import { currentFilesOf, filesOf } from '../../support/repository-files.ts'
import { ownSample } from '../../support/samples.ts'
import { serveFolder, type WebFolder } from '../../support/web-folder.ts'
import { makeSigner, signDist } from './repository.ts'

const folder = temporaryFolder('mirror')
const test = suite('mirror')
const signer = await makeSigner()
const keys = [signer.publicKey]
const first = await ownSample('small', folder.path)
const [, second] = first.nights as [string, string]
await signDist(first.dist, signer)
/** The origin, with its second night. */
const later = join(folder.path, 'later')
cpSync(first.dist, later, { recursive: true })
cpSync(first.corpus, join(folder.path, 'later.db'))
await ingestAndBuild({ feeds: first.feeds, corpus: join(folder.path, 'later.db'), dist: later, asOf: second })
await signDist(later, signer)

let repository: WebFolder
let world: World
let count = 0

test.before.each(async () => {
  repository = await serveFolder(first.dist)
  world = openWorld()
})
test.after.each(async () => {
  await world.close()
  await repository.close()
})
test.after(() => folder.remove())

const newDist = () => join(folder.path, `mirror-${count++}`)
const run = (dist: string, from = repository.url, options: Partial<MirrorOptions> = {}) =>
  mirror(openSource(from, world.effects), { dist, keys, ...options }, world.effects, noProgress)

const objectsOf = (dist: string): Map<string, FileEntry> =>
  new Map(readCurrent(dist).manifest.files.map((file) => [file.sha256, file]))
const bytesOf = (files: Iterable<{ size: number }>) => [...files].reduce((sum, { size }) => sum + size, 0)

test('a new mirror is the repository, byte for byte, and verify believes it', async () => {
  const dist = newDist()
  const report = await run(dist)
  assert.equal(filesOf(dist), currentFilesOf(first.dist))
  assert.equal((await verify(dist, { keys })).faults, [])
  const objects = objectsOf(first.dist)
  assert.equal(report.fetched, { files: objects.size, bytes: bytesOf(objects.values()) })
  assert.equal([report.changed, report.reused.files, report.received], [true, 0, report.fetched.bytes])
  assert.equal(report.signatures, [{ kid: signer.publicKey.kid, status: 'valid', reason: null }])
  assert.equal(readdirSync(partsOf(dist)), [])
})

test('a folder is mirrored as a web server is', async () => {
  for (const from of [first.dist, `file://${first.dist}`]) {
    const dist = newDist()
    await run(dist, from)
    assert.equal(filesOf(dist), currentFilesOf(first.dist))
  }
})

test('where the disk has too little room, what runs for other snapshots left behind gives way, and nothing else', async () => {
  const dist = newDist()
  await run(dist)
  const { manifest } = readCurrent(later)
  const isHere = objectsOf(first.dist)
  const [missing] = manifest.files.filter(({ sha256 }) => !isHere.has(sha256)) as [FileEntry]
  const part = (digest: string) => join(partsOf(dist), `${digest}.part`)
  const stray = objectPath(dist, 'ab'.repeat(32))
  mkdirSync(dirname(stray), { recursive: true })
  for (const path of [stray, part('cd'.repeat(32)), part(missing.sha256)]) writeFileSync(path, 'begun')
  await makeRoom(dist, manifest, [missing], world.effects)
  assert.ok(existsSync(stray), 'there was room')
  const huge = [{ ...missing, size: 9e15 }]
  assert.match(
    await refusal(makeRoom(dist, manifest, huge, world.effects)),
    /^no_space: .* or remove older snapshots with vulnshelf prune$/,
  )
  assert.equal(readdirSync(partsOf(dist)), [`${missing.sha256}.part`])
  assert.not.ok(existsSync(stray))
  const unreadable = manifestPath(dist, 'ef'.repeat(32))
  for (const path of [stray, unreadable]) writeFileSync(path, 'begun')
  assert.match(await refusal(makeRoom(dist, manifest, huge, world.effects)), /^no_space: /)
  assert.ok(existsSync(stray), 'the manifest that cannot be read may name it')
  rmSync(unreadable)
  assert.equal((await verify(dist, { keys })).faults, [])
  // A new folder has neither objects nor manifests yet.
  const fresh = newDist()
  mkdirSync(partsOf(fresh), { recursive: true })
  assert.match(
    await refusal(makeRoom(fresh, manifest, huge, world.effects)),
    new RegExp(`^no_space: not enough disk space for ${fresh}: `),
  )
})

test('what is here already is not asked for again: the pointer is all', async () => {
  const dist = newDist()
  await run(dist)
  repository.asked.length = 0
  const report = await run(dist)
  assert.equal(
    repository.asked.map(({ path }) => path),
    ['latest.json'],
  )
  assert.equal([report.changed, report.fetched.files, report.received], [false, 0, 0])
})

test('of the next night come objects that are new, and of shards what is new in them', async () => {
  const dist = newDist()
  await run(dist)
  const night = await serveFolder(later)
  try {
    const report = await run(dist, night.url)
    const fresh = [...objectsOf(later).values()].filter(({ sha256 }) => !objectsOf(first.dist).has(sha256))
    assert.ok(fresh.length > 5 && fresh.length < objectsOf(later).size)
    const asked = night.asked.map(({ path }) => path).filter((path) => path.startsWith('objects/'))
    const made = fresh.filter(({ sha256 }) => !asked.includes(objectName(sha256)))
    assert.ok(
      made.length > 0 &&
        made.every(({ role }) => ['cve', 'epss-history', 'catalog', 'advisories', 'packages'].includes(role)),
    )
    const pack = readCurrent(later).manifest.delta!
    const came = [pack, ...fresh.filter((file) => !made.includes(file))]
    assert.equal(asked.sort(), came.map(({ sha256 }) => objectName(sha256)).sort())
    assert.equal(report.fetched, { files: came.length, bytes: bytesOf(came) })
    assert.equal(report.made, { files: made.length, bytes: bytesOf(made) })
    assert.ok(pack.size < bytesOf(made))
    assert.is(night.sent(), bytesOf(came) + sizeOfHeads(later))
    assert.equal(currentFilesOf(dist), currentFilesOf(later))
    assert.equal((await verify(dist, { keys })).faults, [])
  } finally {
    await night.close()
  }
})

/** Pointer and manifest. */
const sizeOfHeads = (dist: string) => readFileSync(pointerPath(dist)).length + readCurrent(dist).pointer.manifest.size

test('connections that break off are taken up where they were: no byte comes twice', async () => {
  const dist = newDist()
  repository.fault = ({ path, before }) =>
    path.startsWith('objects/') && before < 3 ? { kind: 'cut', after: 700 } : null
  const report = await run(dist)
  assert.equal(filesOf(dist), currentFilesOf(first.dist))
  assert.is(report.received, report.fetched.bytes)
  assert.is(repository.sent(), report.fetched.bytes + sizeOfHeads(first.dist))
  assert.ok(repository.asked.some(({ from, before }) => before === 1 && from === 700))
})

/** Bytes that arrive before a run is ended: two thirds of the snapshot. */
const SENT = 1_000_000

test('a run that was ended goes on with what the last one left', async () => {
  const dist = newDist()
  const ended = new AbortController()
  repository.fault = ({ path }) => {
    if (path.startsWith('objects/') && repository.sent() > SENT) ended.abort(new Error('ended'))
    return null
  }
  const error = await run(dist, repository.url, { signal: ended.signal, parallel: 2 }).catch(
    (reason: unknown) => reason,
  )
  assert.is((error as Error).message, 'ended')
  assert.not.ok(existsSync(pointerPath(dist)))
  const sentBefore = repository.sent()
  repository.fault = () => null
  const report = await run(dist)
  assert.equal(filesOf(dist), currentFilesOf(first.dist))
  // Twice come the heads, and what was on its way when it ended.
  const all = bytesOf(objectsOf(first.dist).values())
  assert.ok(report.received < all - SENT / 2, `${report.received} of ${all}`)
  assert.ok(sentBefore > SENT)
})

test('busy servers are waited for as long as they say', async () => {
  const dist = newDist()
  repository.fault = ({ path, before }) => {
    if (before > 0) return null
    if (path === 'latest.json') return { kind: 'status', code: 503, headers: { 'retry-after': '7' } }
    return { kind: 'status', code: path.startsWith('manifests/') ? 429 : 500, headers: { 'retry-after': '3' } }
  }
  await run(dist)
  assert.equal(filesOf(dist), currentFilesOf(first.dist))
  assert.equal(world.slept.slice(0, 2), [7000, 3000])
  assert.match(world.log[0]!, /^latest\.json: the server answers 503; retrying in 7 s$/)
})

/** The second night, whose pointer expires as soon as an object of it is asked for; `onExpired` is called then. */
async function expiringWhileCopied(onExpired: (origin: string) => void = () => {}) {
  const origin = newDist()
  cpSync(later, origin, { recursive: true })
  await signDist(origin, signer, { expires_at: new Date(NOW.getTime() + 8000).toISOString() })
  const own = await serveFolder(origin)
  let isLate = false
  own.fault = ({ path }) => {
    if (!isLate && path.startsWith('objects/')) {
      isLate = true
      onExpired(origin)
    }
    return null
  }
  const effects = { ...world.effects, now: () => new Date(NOW.getTime() + (isLate ? 8000 : 0)) }
  const dist = newDist()
  await run(dist)
  const copy = () => mirror(openSource(own.url, effects), { dist, keys }, effects, noProgress)
  return { origin, own, dist, copy }
}

test('a pointer that expires while its files are copied is not activated; the next run continues the copy', async () => {
  const { origin, own, dist, copy } = await expiringWhileCopied()
  const before = readFileSync(pointerPath(dist))
  assert.match(await refusal(copy()), /^expired: latest\.json expired at /)
  assert.equal(readFileSync(pointerPath(dist)), before)
  assert.equal((await verify(dist, { keys })).faults, [])
  await signDist(origin, signer)
  const { changed, fetched } = await copy()
  assert.equal([changed, fetched.files], [true, 0])
  assert.equal((await verify(dist, { keys })).faults, [])
  await own.close()
})

test('a repository that signs again before its pointer expires is copied in one run', async () => {
  const renewed = newDist()
  cpSync(later, renewed, { recursive: true })
  for (let version = 0; version < 2; version++) await signDist(renewed, signer)
  const bytes = readFileSync(pointerPath(renewed))
  const { own, dist, copy } = await expiringWhileCopied((origin) => writeFileSync(pointerPath(origin), bytes))
  assert.ok((await copy()).changed)
  assert.equal(readFileSync(pointerPath(dist)), bytes)
  await own.close()
})

test('a server that answers 103 for ever does not hold a mirror up', async () => {
  const dist = newDist()
  const own = openWorld({ timeouts: { connectMs: 200, headersMs: 1000, bodyMs: 1000, discardMs: 1000 } })
  repository.fault = ({ before }) => (before === 0 ? { kind: 'interim' } : null)
  await mirror(openSource(repository.url, own.effects), { dist, keys, parallel: 50 }, own.effects, noProgress)
  assert.equal(filesOf(dist), currentFilesOf(first.dist))
  for (const line of own.log) assert.match(line, /: no answer within 1.2 s; retrying in \d+ s$/)
  assert.is(own.log.length, repository.asked.filter(({ before }) => before === 1).length)
  await own.close()
})

test('a body that was damaged on the way is fetched again', async () => {
  const [file] = [...objectsOf(first.dist).values()].sort((a, b) => b.size - a.size)
  const damaged = objectName(file!.sha256)
  const dist = newDist()
  repository.fault = ({ path, before }) => (path === damaged && before === 0 ? { kind: 'corrupt', at: 7919 } : null)
  const report = await run(dist)
  assert.equal(filesOf(dist), currentFilesOf(first.dist))
  assert.is(report.received, report.fetched.bytes + file!.size)
})

test('an object that rotted here, or is gone, comes anew', async () => {
  const dist = newDist()
  await run(dist)
  const [one, two, three] = [...objectsOf(dist).values()].sort((a, b) => b.size - a.size) as FileEntry[]
  const bytes = readFileSync(objectPath(dist, one!.sha256))
  bytes[bytes.length >> 1]! ^= 1
  writeFileSync(objectPath(dist, one!.sha256), bytes)
  writeFileSync(objectPath(dist, two!.sha256), 'short')
  rmSync(objectPath(dist, three!.sha256))
  const report = await run(dist)
  assert.is(report.fetched.files, 3)
  assert.equal(filesOf(dist), currentFilesOf(first.dist))
})

test('a repository that moves on while it is copied: the next pointer leads to what is there', async () => {
  const origin = join(folder.path, `origin-${count++}`)
  cpSync(first.dist, origin, { recursive: true })
  const own = await serveFolder(origin)
  own.fault = ({ path }) => {
    if (!path.startsWith('objects/') || own.asked.length < 10 || existsSync(`${origin}-before`)) return null
    // The night is put up, and what only the one before needed is pruned.
    renameSync(origin, `${origin}-before`)
    cpSync(later, origin, { recursive: true })
    const kept = objectsOf(later)
    for (const sha256 of objectsOf(first.dist).keys()) if (!kept.has(sha256)) rmSync(objectPath(origin, sha256))
    return null
  }
  const dist = newDist()
  try {
    const report = await run(dist, own.url)
    assert.is(report.snapshot, readCurrent(later).pointer.snapshot)
    assert.equal((await verify(dist, { keys })).faults, [])
  } finally {
    await own.close()
  }
})

test('what is missing at the source is told, with its name', async () => {
  const [file] = [...objectsOf(first.dist).values()].sort((a, b) => b.size - a.size)
  repository.fault = ({ path }) => (path === objectName(file!.sha256) ? { kind: 'status', code: 404 } : null)
  assert.match(await refusal(run(newDist())), new RegExp(`^missing: .*${file!.sha256}.*404`))
  repository.fault = () => ({ kind: 'status', code: 404 })
  assert.match(await refusal(run(newDist())), /^missing: \S+ has no snapshot: latest\.json: .*404; use /)
})

test('two writers, a folder of other files, and a file', async () => {
  const dist = newDist()
  await run(dist)
  const unlock = lockDist(dist)
  assert.match(await refusal(run(dist)), /^busy: another mirror or build is writing to/)
  unlock()
  const other = newDist()
  cpSync(first.feeds, other, { recursive: true })
  const before = stateOf(other)
  assert.match(await refusal(run(other)), /^unusable: .* has other files/)
  assert.equal(stateOf(other), before)
  assert.match(await refusal(run(first.corpus)), /^unusable: .* is a file/)
})

test('a bound on bytes per second holds for all transfers together', async () => {
  const report = await run(newDist(), repository.url, { maxRate: 100_000 })
  const waited = Math.max(...world.slept) / 1000
  // The clock of the test stands still, so that the last wait is for everything.
  assert.ok(Math.abs(waited - report.fetched.bytes / 100_000) < 1, `${waited} s for ${report.fetched.bytes} bytes`)
})

test('following: what goes wrong is told and tried again, and a signal ends it', async () => {
  const dist = newDist()
  const stop = new AbortController()
  const errors: string[] = []
  const versions: number[] = []
  let runs = 0
  await follow(
    () => {
      runs++
      repository.fault = () => (runs === 2 ? { kind: 'status', code: 403 } : null)
      return run(dist)
    },
    {
      intervalMs: 1,
      signal: stop.signal,
      random: () => 0.5,
      onReport({ version }) {
        versions.push(version)
        if (runs === 3) stop.abort(new Error('enough'))
      },
      onError: ({ message }) => void errors.push(message),
    },
  )
  assert.is(versions.length, 2)
  assert.is(errors.length, 1)
  assert.match(errors[0]!, /403/)
})

test.run()
