/** Derived files that were removed are made again, byte for byte; what cannot be made again is named. */
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { derive } from '../../builder/derive.ts'
import { prune } from '../../builder/prune.ts'
import { formatDeriveReport, formatVerifyReport } from '../../builder/report.ts'
import { lockDist } from '../../builder/snapshot/lock.ts'
import { findSnapshot } from '../../builder/snapshots.ts'
import { openReader } from '../../corpus/reader/reader.ts'
import { sha256 } from '../../corpus/runtime/digest.ts'
import {
  fileOf,
  manifestPath,
  objectPath,
  temporaryFolder as partsOf,
  readCurrent,
} from '../../corpus/snapshot/files/layout.ts'
import { encodeManifest, snapshotId } from '../../corpus/snapshot/files/manifest.ts'
import { verify } from '../../corpus/snapshot/verify/verify.ts'
import { quietEffects, temporaryFolder } from '../support/dist.ts'
import { flipBit } from '../support/flip-bit.ts'
import { writeHistory } from '../support/histories.ts'
import { refusal } from '../support/refusal.ts'
import { filesOf } from '../support/repository-files.ts'
import { sampleNights } from '../support/samples.ts'

const folder = temporaryFolder('derive')
const effects = quietEffects()
const nights = await sampleNights()
const [{ manifest: old }, { manifest: first }] = [readCurrent(nights.third), readCurrent(nights.first)]
let count = 0

/** Returns a copy of four nights in which the current one alone has derived files. */
async function leanCopy(): Promise<string> {
  const dist = join(folder.path, String(count++))
  cpSync(nights.fourth, dist, { recursive: true })
  await prune(dist, { keep: { last: 4 }, keepDerived: 1 }, effects)
  return dist
}

const missingIn = (dist: string) => old.files.filter(({ sha256 }) => !existsSync(objectPath(dist, sha256)))
const verifyAt = (dist: string, id: string) => verify(dist, { earlier: findSnapshot(dist, id) })

test('what is removed can be derived, all of it comes back as it was, and nothing else is written', async () => {
  const dist = await leanCopy()
  const missing = missingIn(dist)
  assert.ok(missing.length > 20)
  assert.ok(missing.every(({ derived }) => derived))
  const report = await derive(dist, old.snapshot.slice(0, 12), 0, effects)
  const objects = new Map(missing.map(({ sha256, size }) => [sha256, size]))
  assert.equal(report.derived, { files: objects.size, bytes: [...objects.values()].reduce((a, b) => a + b) })
  assert.match(
    formatDeriveReport(report),
    /^snapshot [0-9a-f]{64} has all files; \d+ derived \(\d+\.\d MB\)\n {2}\d+\.\d s$/,
  )
  for (const { sha256 } of old.files)
    assert.equal(readFileSync(objectPath(dist, sha256)), readFileSync(objectPath(nights.fourth, sha256)))
  const all = filesOf(nights.fourth)
  for (const [name, digest] of Object.entries(filesOf(dist))) assert.is(digest, all[name])
  assert.not.ok(existsSync(join(partsOf(dist), 'derived')))
  const { derivable, faults } = await verifyAt(dist, old.snapshot)
  assert.equal([derivable, faults], [0, []])
  assert.equal((await derive(dist, old.snapshot, 0, effects)).derived, { files: 0, bytes: 0 })
})

test('verify states that derived files were removed and how to get them back, and finds damage of the others', async () => {
  const dist = await leanCopy()
  const report = await verifyAt(dist, old.snapshot)
  assert.equal([report.version, report.faults, report.derivable], [null, [], missingIn(dist).length])
  assert.equal(report.files, old.files.length - report.derivable)
  const id = old.snapshot.slice(0, 12)
  assert.match(
    formatVerifyReport(report, dist),
    `  ${report.derivable} derived files not here; \`vulnshelf derive ${dist} ${id}\` makes them again\n`,
  )
  assert.equal((await verify(dist)).faults, [], 'the current snapshot is whole')
  flipBit(objectPath(dist, fileOf(old, 'epss').sha256))
  const damaged = await verifyAt(dist, old.snapshot)
  assert.is(damaged.faults.length, 1)
  assert.match(damaged.faults[0]!, /^file epss /)
})

test('missing derived files are faults of the current snapshot, and can be derived too', async () => {
  const dist = await leanCopy()
  const { manifest } = readCurrent(dist)
  rmSync(objectPath(dist, fileOf(manifest, 'stats').sha256))
  const report = await verify(dist)
  assert.equal([report.faults.length, report.derivable], [1, 1])
  assert.match(formatVerifyReport(report, dist), /\n {2}1 derived file not here; .* makes it again\n/)
  await derive(dist, manifest.snapshot, 0, effects)
  assert.equal((await verify(dist)).faults, [])
})

test('a snapshot without derived files is listed, and compared by `/changes`; it answers others again after `derive`', async () => {
  const dist = await leanCopy()
  const [lean, whole] = [await openReader(dist), await openReader(nights.fourth)]
  const changes = `/changes?since=${first.snapshot}&until=${old.snapshot}`
  for (const target of [changes, '/snapshots']) assert.equal(await lean.request(target), await whole.request(target))
  const list = `/cves?snapshot=${old.snapshot}`
  const { status, body } = await lean.request(list)
  assert.equal([status, JSON.parse(body).error], [410, 'gone'])
  assert.match(body, `snapshot ${old.snapshot} lacks files that this answer needs; `)
  assert.match(body, "'vulnshelf derive'")
  await derive(dist, old.snapshot, 0, effects)
  assert.equal(await lean.request(list), await whole.request(list))
  await lean.close()
  await whole.close()
})

test('a file that is derived with other content is refused, and the others are kept', async () => {
  const dist = await leanCopy()
  // As another version of the program would have built it.
  const files = old.files.map((file) =>
    file.role === 'stats' ? { ...file, content: '7'.repeat(64), sha256: '7'.repeat(64) } : file,
  )
  const other = { ...old, files, snapshot: snapshotId(files) }
  const bytes = encodeManifest(other)
  writeFileSync(manifestPath(dist, sha256(bytes)), bytes)
  assert.match(
    await refusal(derive(dist, other.snapshot, 0, effects)),
    /^different: 1 derived file of snapshot [0-9a-f]{64} would differ from its manifest: another version of vulnshelf, Node or SQLite/,
  )
  assert.not.ok(existsSync(objectPath(dist, '7'.repeat(64))))
  assert.is(missingIn(dist).length, 1)
})

test('a snapshot is selected by its id, the first digits, or a time; a removed one is named', async () => {
  const dist = join(folder.path, 'selected')
  const built = writeHistory(dist, [
    { createdAt: '2026-06-01T02:00:00.000Z', shard: 'a' },
    { createdAt: '2026-06-02T02:00:00.000Z', shard: 'b' },
    { createdAt: '2026-06-02T03:00:00.000Z', shard: 'c', isAside: true },
    { createdAt: '2026-06-03T02:00:00.000Z', shard: 'd' },
    { createdAt: '2026-07-01T02:00:00.000Z', shard: 'e' },
  ])
  await prune(dist, { keep: { last: 4, yearly: 1 } }, effects)
  const found = (choice: string) => built.findIndex(({ digest }) => digest === findSnapshot(dist, choice).digest)
  const ids = built.map(({ manifest }) => manifest.snapshot)
  assert.equal([found(ids[0]!), found(ids[1]!.slice(0, 7)), found(ids[4]!.toUpperCase())], [0, 1, 4])
  assert.equal(
    ['2026-06-01', '2026-06-02', '2026-06-02T01:59:59Z', '2026-06-02T02:00:00Z', '2026-06-30', '2030-01-01'].map(found),
    [0, 1, 0, 1, 3, 4],
  )
  assert.throws(() => found('2026-05-31'), /has no snapshot that was created at or before 2026-05-31/)
  await prune(dist, { keep: { monthly: 2 } }, effects)
  assert.is(found('2026-06-30'), 3)
  await prune(dist, { keep: { last: 1 } }, effects)
  assert.throws(() => found(ids[3]!), /has no snapshot/)
})

test('a snapshot of which the manifest alone is here was removed', async () => {
  const dist = join(folder.path, 'manifest-alone')
  const [oldest, removed] = writeHistory(dist, [
    { createdAt: '2026-05-31T02:00:00.000Z', shard: 'a' },
    { createdAt: '2026-06-01T02:00:00.000Z', shard: 'b' },
    { createdAt: '2026-06-02T02:00:00.000Z', shard: 'c' },
  ])
  await prune(dist, { keep: { monthly: 2 } }, effects)
  const { snapshot } = removed!.manifest
  assert.throws(() => findSnapshot(dist, snapshot), `snapshot ${snapshot} was removed: only its manifest is in ${dist}`)
  assert.is(findSnapshot(dist, '2026-06-01').digest, oldest!.digest)
})

test('a snapshot that is unknown, ambiguous or incomplete is named', async () => {
  const dist = await leanCopy()
  for (const [id, message] of [
    ['0'.repeat(12), /^missing: \S+ has no snapshot 000000000000; `vulnshelf snapshots \S+` lists the kept ones$/],
    [old.snapshot.slice(0, 6), /^missing: '\w{6}' is no id of a snapshot, nor a date \(/],
    ['../latest', / is no id /],
    ['', / is no id /],
    ['2001-01-01', / has no snapshot that was created at or before 2001-01-01; /],
  ] as const)
    assert.match(await refusal(derive(dist, id, 0, effects)), message)
  const unlock = lockDist(dist)
  assert.match(await refusal(derive(dist, old.snapshot, 0, effects)), /^busy: /)
  unlock()
  rmSync(objectPath(dist, fileOf(old, 'about').sha256))
  assert.match(
    await refusal(derive(dist, old.snapshot, 0, effects)),
    /^incomplete: snapshot \w+ lacks 1 file that cannot be derived/,
  )
})

test.after(() => folder.remove())
test.run()
