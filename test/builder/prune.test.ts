/** `vulnshelf prune`: what it protects, and the text of its dry run. */
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { prune } from '../../builder/prune.ts'
import { formatPruneReport, formatSnapshots } from '../../builder/report.ts'
import { lockDist } from '../../builder/snapshot/lock.ts'
import { listSnapshots } from '../../builder/snapshots.ts'
import { manifestPath, pointerPath, readCurrent } from '../../corpus/snapshot/files/layout.ts'
import { quietEffects, temporaryFolder } from '../support/dist.ts'
import { type HistoryNight, writeHistory } from '../support/histories.ts'
import { refusal } from '../support/refusal.ts'
import { sampleNights } from '../support/samples.ts'

const folder = temporaryFolder('prune-command')
const effects = quietEffects()
const nights = await sampleNights()

test('the snapshot to which an unfinished night can return stays', async () => {
  const dist = join(folder.path, 'verified')
  cpSync(nights.fourth, dist, { recursive: true })
  cpSync(pointerPath(nights.second), join(dist, 'verified.json'))
  const { snapshots, kept } = await prune(dist, { keep: { last: 1 } }, effects)
  const second = readCurrent(nights.second)
  assert.equal(kept, [readCurrent(dist).pointer.snapshot, second.pointer.snapshot])
  assert.equal(
    snapshots.map(({ reasons }) => reasons),
    [['current', 'last'], ['no rule keeps it'], ['an unfinished night can return to it'], ['no rule keeps it']],
  )
  assert.ok(existsSync(manifestPath(dist, second.pointer.manifest.sha256)))
  // Without any earlier snapshot, a night leaves an empty copy.
  for (const copy of ['', '{"format":']) {
    writeFileSync(join(dist, 'verified.json'), copy)
    await prune(dist, { keep: { last: 2 } }, effects)
  }
  assert.equal((await prune(dist, { keep: { last: 1 } }, effects)).kept, [readCurrent(dist).pointer.snapshot])
})

/** Built on three Saturdays, twice on the last one, and once by a build that did not end. */
const WEEKS: HistoryNight[] = [
  { createdAt: '2025-12-20T02:00:00.000Z', shard: 'a' },
  { createdAt: '2025-12-27T02:00:00.000Z', shard: 'a' },
  { createdAt: '2026-01-03T02:00:00.000Z', shard: 'b' },
  { createdAt: '2026-01-03T03:00:00.000Z', shard: 'c', isAside: true },
  { createdAt: '2026-01-03T04:00:00.000Z', shard: 'd' },
]

test('a dry run lists every snapshot with the rules that keep it, and what would be removed', async () => {
  const dist = join(folder.path, 'dry')
  const ids = writeHistory(dist, WEEKS).map(({ manifest }) => manifest.snapshot.slice(0, 12))
  const report = await prune(dist, { keep: { daily: 1, yearly: 2 }, dryRun: true }, effects)
  const bytes = (report.removed.bytes / 1e6).toFixed(1)
  assert.is(
    formatPruneReport(report),
    `keep    ${ids[4]}  2026-01-03T04:00:00.000Z  current, daily 2026-01-03, yearly 2026
remove  ${ids[2]}  2026-01-03T02:00:00.000Z  no rule keeps it
keep    ${ids[1]}  2025-12-27T02:00:00.000Z  yearly 2025
remove  ${ids[0]}  2025-12-20T02:00:00.000Z  no rule keeps it
remove  ${ids[3]}  2026-01-03T03:00:00.000Z  no rule keeps it, and the current snapshot was not built on it
1 manifest without files would stay, because older snapshots need it
would keep 2 snapshots; would remove 3 snapshots and 14 files (${bytes} MB)`,
  )
  const done = await prune(dist, { keep: { daily: 1, yearly: 2 } }, effects)
  assert.is(formatPruneReport(done), `kept 2 snapshots; removed 3 snapshots and 14 files (${bytes} MB)`)
  const lines = formatSnapshots(await listSnapshots(dist)).split('\n')
  assert.equal(
    lines.slice(0, 2).map((line) => line.slice(0, 14)),
    [`* ${ids[4]}`, `  ${ids[1]}`],
  )
  assert.equal(lines.slice(2), ['  and 1 snapshot without files here (--json has all)'])
})

test('derived files of older snapshots go on request, and a dry run names these snapshots', async () => {
  const dist = join(folder.path, 'lean')
  const built = writeHistory(dist, WEEKS.slice(0, 3))
  const ids = built.map(({ manifest }) => manifest.snapshot.slice(0, 12))
  const options = { keep: { weekly: 9 }, keepDerived: 2 }
  const dry = formatPruneReport(await prune(dist, { ...options, dryRun: true }, effects))
  assert.is(
    dry,
    `keep  ${ids[2]}  2026-01-03T02:00:00.000Z  current, weekly 2026-W01
keep  ${ids[1]}  2025-12-27T02:00:00.000Z  weekly 2025-W52
keep  ${ids[0]}  2025-12-20T02:00:00.000Z  weekly 2025-W51; without derived files
would keep 3 snapshots; would remove 0 snapshots and 1 file (0.0 MB)`,
  )
  await prune(dist, options, effects)
  const { current, earlier } = await listSnapshots(dist)
  assert.equal(
    [current, ...earlier].map(({ complete, derivable }) => [complete, derivable]),
    [
      [true, false],
      [true, false],
      [false, true],
    ],
  )
  const lines = formatSnapshots(await listSnapshots(dist)).split('\n')
  assert.match(lines[2]!, /^ {2}[0-9a-f]{12} {2}\S+Z {2}1 CVE, 0\.0 MB without derived files$/)
  // It counts as a snapshot, and `n` is about derived files alone.
  assert.is((await prune(dist, { keep: { last: 3 }, keepDerived: 1 }, effects)).kept.length, 3)
  assert.is((await prune(dist, { keep: { last: 3 } }, effects)).removed.objects, 0)
})

test('a dry run needs the lock, because a build writes files that no manifest names yet', async () => {
  const dist = join(folder.path, 'busy')
  writeHistory(dist, WEEKS)
  const unlock = lockDist(dist)
  assert.match(await refusal(prune(dist, { keep: { last: 1 }, dryRun: true }, effects)), /^busy: /)
  unlock()
  assert.is(readFileSync(pointerPath(dist)).length > 0, true)
})

test.after(() => folder.remove())
test.run()
