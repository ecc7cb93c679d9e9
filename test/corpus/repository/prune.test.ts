/** What `prune` removes from a `dist`, what it protects, and that a dry run states the same. */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { keepNewest, removeSnapshots } from '../../../corpus/repository/prune.ts'
import { keptBy } from '../../../corpus/repository/retention.ts'
import { manifestPath, objectPath, readCurrent } from '../../../corpus/snapshot/files/layout.ts'
import { openAncestors } from '../../../corpus/snapshot/memory/ancestors.ts'
import { quietEffects, temporaryFolder } from '../../support/dist.ts'
import { type BuiltNight, type HistoryNight, writeHistory } from '../../support/histories.ts'
import { Killed, killedEffects } from '../../support/killed-effects.ts'

const folder = temporaryFolder('prune')
const effects = quietEffects()
let count = 0

function history(nights: readonly HistoryNight[]): { dist: string; built: BuiltNight[] } {
  const dist = join(folder.path, String(count++))
  mkdirSync(dist)
  return { dist, built: writeHistory(dist, nights) }
}

/** Nights at noon of consecutive days, from a day of June 2026 on. */
const days = (length: number, from = 1): HistoryNight[] =>
  Array.from({ length }, (_, i) => ({
    createdAt: new Date(Date.UTC(2026, 5, from + i, 12)).toISOString(),
    shard: `shard ${i}`,
  }))

function filesIn(dist: string): Map<string, number> {
  const files = readdirSync(dist, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return new Map(
    files.map((entry) => join(entry.parentPath, entry.name)).map((path) => [path, statSync(path).size] as const),
  )
}

const idsOf = (built: readonly BuiltNight[]) => built.map(({ manifest }) => manifest.snapshot)
const isWhole = (dist: string, { manifest }: BuiltNight) =>
  manifest.files.every(({ sha256 }) => existsSync(objectPath(dist, sha256)))
const hasManifest = (dist: string, { digest }: BuiltNight) => existsSync(manifestPath(dist, digest))
const hasPack = (dist: string, { manifest }: BuiltNight) => existsSync(objectPath(dist, manifest.delta!.sha256))

test('kept snapshots stay whole, others lose their files, and a dry run states exactly that', async () => {
  const night = fc.record({ hours: fc.integer({ min: 1, max: 60 }), shard: fc.constantFrom('a', 'b', 'c') })
  const some = fc.integer({ min: 1, max: 4 })
  const rules = fc.record({ last: some, daily: some, weekly: some, monthly: some }, { requiredKeys: [] })
  await fc.assert(
    fc.asyncProperty(fc.array(night, { minLength: 1, maxLength: 12 }), rules, async (nights, keep) => {
      const { dist, built } = history(
        nights.map(({ shard }, i) => {
          const hours = nights.slice(0, i + 1).reduce((sum, { hours }) => sum + hours, 0)
          return { createdAt: new Date(Date.UTC(2026, 4, 25, hours)).toISOString(), shard }
        }),
      )
      const newest = built.toReversed()
      const expected = keptBy(
        newest.map(({ manifest }) => Date.parse(manifest.created_at)),
        keep,
      ).map((reasons, i) => (i === 0 ? ['current', ...reasons] : reasons))
      const kept = newest.filter((_, i) => expected[i]!.length > 0)
      const before = filesIn(dist)
      const dry = await removeSnapshots(dist, { keep, dryRun: true }, effects)
      assert.equal(filesIn(dist), before, 'a dry run removes nothing')
      const report = await removeSnapshots(dist, { keep }, effects)
      assert.equal({ ...report, dryRun: true }, dry)
      assert.equal(report.kept, idsOf(kept))
      assert.equal(
        report.snapshots.map(({ reasons }) => reasons),
        expected.map((reasons) => (reasons.length > 0 ? reasons : ['no rule keeps it'])),
      )
      for (const one of kept) assert.ok(isWhole(dist, one))
      const oldest = newest.indexOf(kept.at(-1)!)
      for (const [i, one] of newest.entries()) {
        assert.is(hasManifest(dist, one), i <= oldest, 'manifests lead to the oldest kept snapshot')
        if (!kept.includes(one)) assert.not.ok(isWhole(dist, one))
      }
      assert.is(report.manifestsWithoutFiles, oldest + 1 - kept.length)
      const after = filesIn(dist)
      const gone = [...before].filter(([path]) => !after.has(path))
      assert.is(report.removed.manifests + report.removed.objects, gone.length)
      assert.is(
        report.removed.bytes,
        gone.reduce((sum, [, size]) => sum + size, 0),
      )
      assert.is(report.removed.snapshots, built.length - kept.length)
      const again = await removeSnapshots(dist, { keep }, effects)
      assert.equal([again.kept, again.removed.objects, again.removed.bytes], [report.kept, 0, 0])
      rmSync(dist, { recursive: true })
    }),
    { numRuns: 30 },
  )
})

test('the current snapshot stays without any rule, also if it is incomplete; so does a protected one', async () => {
  const { dist, built } = history(days(4))
  rmSync(objectPath(dist, built[3]!.manifest.files[0]!.sha256))
  const protect = new Map([[built[1]!.digest, 'a test needs it']])
  const { snapshots, manifestsWithoutFiles } = await removeSnapshots(dist, { keep: {}, protect }, effects)
  assert.equal(
    snapshots.map(({ kept, reasons }) => [kept, ...reasons]),
    [
      [true, 'current'],
      [false, 'no rule keeps it'],
      [true, 'a test needs it'],
      [false, 'no rule keeps it'],
    ],
  )
  assert.is(manifestsWithoutFiles, 1)
  assert.is(readCurrent(dist).manifest.snapshot, built[3]!.manifest.snapshot)
  assert.equal(
    built[3]!.manifest.files.map(({ sha256 }) => existsSync(objectPath(dist, sha256))),
    [false, true, true, true],
  )
})

test('the current snapshot and protected ones keep their derived files; others keep what cannot be derived and the index', async () => {
  const { dist, built } = history(days(6))
  const protect = new Map([[built[1]!.digest, 'a test needs it']])
  const rolesIn = ({ manifest }: BuiltNight) =>
    manifest.files.filter(({ sha256 }) => existsSync(objectPath(dist, sha256))).map(({ role }) => role)
  const [all, lean] = [
    ['about', 'cve', 'index', 'pages'],
    ['about', 'cve', 'index'],
  ]
  const { snapshots } = await removeSnapshots(dist, { keep: { last: 5 }, keepDerived: 2, protect }, effects)
  assert.equal(built.map(rolesIn), [[], all, lean, lean, all, all])
  assert.equal(
    snapshots.map(({ derived }) => derived),
    [true, true, false, false, true, false],
  )
  const { kept } = await removeSnapshots(dist, { keep: { last: 5 }, keepDerived: 1 }, effects)
  assert.equal([built.map(rolesIn), kept.length], [[[], lean, lean, lean, lean, all], 5])
  const { summaries } = await openAncestors(dist, readCurrent(dist).manifest).lineage()
  assert.equal(
    summaries.map(({ id }) => id),
    idsOf(built.slice(1, 5).toReversed()),
  )
})

test('a kept snapshot behind removed ones is found through their manifests', async () => {
  const { dist, built } = history(days(40))
  await removeSnapshots(dist, { keep: { last: 2, monthly: 2 } }, effects)
  const { summaries, damage } = await openAncestors(dist, readCurrent(dist).manifest).lineage()
  assert.is(damage, null)
  assert.equal(
    summaries.map(({ id }) => id),
    // 10 July is current, 9 July is the second of the last two, and 30 June is the newest of June.
    idsOf([built[38]!, built[29]!]),
  )
})

test('packs of the nights that a mirror can catch up with stay, as far as their manifests', async () => {
  const { dist, built } = history(days(40))
  const newest = built.toReversed()
  await removeSnapshots(dist, { keep: { yearly: 1, last: 36 } }, effects)
  assert.equal(
    newest.slice(0, -1).map((night) => hasPack(dist, night)),
    newest.slice(0, -1).map((_, i) => i < 30),
  )
  await removeSnapshots(dist, { keep: { last: 3 } }, effects)
  assert.equal(
    newest.slice(0, 6).map((night) => hasPack(dist, night)),
    [true, true, true, false, false, false],
  )
})

test('skipped nights count for no rule; a snapshot that is no ancestor counts after all ancestors', async () => {
  const nights = days(6)
  nights[2]!.isSkipped = true
  nights[4]!.isAside = true
  const { dist, built } = history(nights)
  const three = await removeSnapshots(dist, { keep: { daily: 3 }, dryRun: true }, effects)
  assert.equal(three.kept, idsOf([built[5]!, built[3]!, built[1]!]))
  assert.equal(
    three.snapshots.filter(({ kept }) => !kept).map(({ id, reasons }) => [id, ...reasons]),
    [
      [built[0]!.manifest.snapshot, 'no rule keeps it'],
      [built[4]!.manifest.snapshot, 'no rule keeps it, and the current snapshot was not built on it'],
    ],
  )
  const five = await keepNewest(dist, 5, effects)
  assert.equal(five.kept, idsOf([built[5]!, built[3]!, built[1]!, built[0]!, built[4]!]))
  assert.is(five.manifestsWithoutFiles, 1)
})

test('a killed run leaves kept snapshots whole and no removed one with an index; the next run completes it', async () => {
  const keep = { last: 1, monthly: 2 }
  for (let steps = 0, ended = false; !ended; steps++) {
    const { dist, built } = history(days(6, 28))
    const [kept, gone] = [[built[5]!, built[2]!], built.filter((_, i) => i !== 5 && i !== 2)]
    try {
      await removeSnapshots(dist, { keep }, killedEffects(steps).effects)
      ended = true
    } catch (error) {
      if (!(error instanceof Killed)) throw error
    }
    for (const night of kept) assert.ok(isWhole(dist, night) && hasManifest(dist, night))
    const hasIndex = gone.filter(({ manifest }) => existsSync(objectPath(dist, manifest.files[2]!.sha256)))
    for (const night of hasIndex) assert.ok(isWhole(dist, night))
    const { kept: ids } = await removeSnapshots(dist, { keep }, effects)
    assert.equal(ids, idsOf(kept))
    for (const night of gone) assert.not.ok(isWhole(dist, night))
    rmSync(dist, { recursive: true })
  }
})

test('an unreadable manifest goes; without a readable current one, nothing does', async () => {
  const { dist, built } = history(days(3))
  const path = manifestPath(dist, '5'.repeat(64))
  writeFileSync(path, '{')
  assert.is((await removeSnapshots(dist, { keep: { last: 3 } }, effects)).removed.manifests, 1)
  assert.not.ok(existsSync(path))
  writeFileSync(manifestPath(dist, built[2]!.digest), '{')
  const before = filesIn(dist)
  let message = ''
  await removeSnapshots(dist, { keep: {} }, effects).catch((error: Error) => (message = error.message))
  assert.match(message, /^manifest [0-9a-f]{64} is damaged/)
  assert.equal(filesIn(dist), before)
})

test.after(() => folder.remove())
test.run()
