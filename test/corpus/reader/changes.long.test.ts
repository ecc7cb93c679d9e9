/** Changes and snapshots of a reader are those of a gateway on the same folder. */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { prune } from '../../../builder/prune.ts'
import {
  type ChangePage,
  type ChangesOptions,
  openReader,
  type Reader,
  SnapshotError,
} from '../../../corpus/reader/reader.ts'
import { removeSnapshots } from '../../../corpus/repository/prune.ts'
import { fileOf, type Manifest, manifestPath, objectPath, readCurrent } from '../../../corpus/snapshot/index.ts'
import { askDirectly } from '../../support/ask.ts'
import { quietEffects, temporaryFolder } from '../../support/dist.ts'
import { failed } from '../../support/refusal.ts'
import { sampleNights } from '../../support/samples.ts'
import { serveFolder } from '../../support/web-folder.ts'
import { gatewayAnswers } from './gateway-answers.ts'

const folder = temporaryFolder('reader-changes')
const { first, second, third, fourth } = await sampleNights()
const dists = [first, second, third, fourth]
const dist = dists.at(-1)!
const asked = askDirectly(dist)
const { compare, compareWalks } = gatewayAnswers(asked)
const reader = await openReader(dist)
/** Newest first. */
const nights = dists.map((path) => readCurrent(path).manifest).toReversed()

async function all(of: Reader, since: string | Date, options: ChangesOptions = {}): Promise<ChangePage['data']> {
  const rows: ChangePage['data'] = []
  for (let cursor: string | undefined; ; ) {
    const page = await of.changes(since, { ...options, cursor })
    rows.push(...page.data)
    cursor = page.pagination.next_cursor ?? undefined
    if (cursor === undefined) return rows
  }
}

test('every page since every night is that of the gateway, at any limit', async () => {
  let changes = 0
  for (const { snapshot: since } of nights) {
    for (const limit of [1, 7, 100]) {
      for (let cursor = ''; ; ) {
        const page = await compare<ChangePage>(
          reader,
          `/changes?since=${since}&limit=${limit}${cursor && `&cursor=${cursor}`}`,
        )
        assert.equal(await reader.changes(since, { limit, ...(cursor && { cursor }) }), page)
        if (!page) throw new Error(`no changes since ${since}`)
        changes += page.data.length
        if (page.pagination.next_cursor === null) break
        cursor = page.pagination.next_cursor
      }
    }
  }
  assert.ok(changes > 200, `only ${changes} changes`)
  assert.ok(new Set((await all(reader, nights.at(-1)!.snapshot)).map(({ change }) => change)).size > 1)
})

test('rows with facts are those of the gateway', async () => {
  for (const { snapshot: since } of nights) {
    const page = await compare<ChangePage>(reader, `/changes?since=${since}&limit=100&include=facts`)
    assert.equal(await reader.changes(since, { limit: 100, include: ['facts'] }), page)
  }
})

test('every form of `since` selects the snapshot that it selects in the gateway', async () => {
  for (const { snapshot, created_at } of nights) {
    const ms = Date.parse(created_at)
    for (const since of [snapshot.slice(0, 7).toUpperCase(), snapshot.slice(0, 20), created_at, new Date(ms + 999)]) {
      const text = since instanceof Date ? since.toISOString() : since
      const expected = await compare(reader, `/changes?since=${encodeURIComponent(text)}&limit=3`)
      assert.equal(await reader.changes(since, { limit: 3 }), expected, text)
    }
  }
})

test('the snapshots are those of the gateway', async () => {
  // One that opens the current snapshot alone: a gateway also retains those that it served before.
  const fresh = askDirectly(dist)
  const { compare, compareWalks } = gatewayAnswers(fresh)
  const { rows } = await compareWalks(reader, '/snapshots?limit=2')
  assert.equal(
    rows.map(({ id }) => id),
    nights.map(({ snapshot }) => snapshot),
  )
  assert.equal(await reader.snapshots(), await compare(reader, '/snapshots'))
  assert.equal((await reader.snapshots({ limit: 2 })).data, rows.slice(0, 2))
  await fresh.close()
})

test('between two earlier snapshots, the changes are those of the reader of the later one', async () => {
  const [, later, middle, earliest] = nights
  for (const until of [later!.snapshot, later!.created_at, middle!.snapshot.slice(0, 9), earliest!.snapshot]) {
    const query = `since=${earliest!.snapshot}&until=${encodeURIComponent(until)}`
    await compareWalks(reader, `/changes?${query}&limit=3`)
  }
  assert.is(await compare(reader, `/changes?since=${later!.snapshot}&until=${earliest!.snapshot}`), null)
  const then = await openReader(dists.at(-2)!)
  const expected = await all(then, earliest!.snapshot)
  assert.ok(expected.length > 10)
  for (const limit of [2, 100]) {
    assert.equal(await all(reader, earliest!.snapshot, { until: later!.snapshot.slice(0, 9), limit }), expected)
  }
  const page = await reader.changes(earliest!.snapshot, { until: later!.snapshot, limit: 1 })
  assert.equal([page.since, page.snapshot], [earliest!.snapshot, later!.snapshot])
  const other = await failed(reader.changes(earliest!.snapshot, { cursor: page.pagination.next_cursor! }))
  assert.match(other!.message, /belongs to other filters/)
  await then.close()
})

test('over a web server, only parts of what differs are read', async () => {
  const web = await serveFolder(dist)
  const far = await openReader(web.url)
  const before = web.asked.length
  assert.equal(await all(far, nights[1]!.snapshot, { limit: 100 }), await all(reader, nights[1]!.snapshot))
  const paths = web.asked.slice(before).filter(({ range }) => range === null)
  assert.equal(
    paths.map(({ path }) => path.split('/')[0]),
    ['manifests'],
  )
  await far.close()
  await web.close()
})

test('snapshots that are gone, and invalid arguments, are named', async () => {
  const gone = [
    ['f'.repeat(64), /the snapshot of `since` is no longer available; read all records again/],
    ['fffffff', /no available snapshot has an id that begins with fffffff; `\/snapshots` lists/],
    ['2001-01-01', /no available snapshot was created at or before 2001-01-01T00:00:00.000Z/],
  ] as const
  for (const [since, message] of gone) {
    const error = await failed(reader.changes(since))
    assert.ok(error instanceof SnapshotError && error.code === 'missing')
    assert.match(error!.message, message)
    await compare(reader, `/changes?since=${since}`)
    await compare(reader, `/changes?since=${nights[1]!.snapshot}&until=${since}`)
  }
  for (const since of ['abc', '2024-02-30', 7 as unknown as string, undefined as unknown as string]) {
    const error = await failed(reader.changes(since))
    assert.instance(error, TypeError)
    assert.match(error!.message, /^parameter 'since' (must be (the id of a snapshot|a date)|is required)/)
    await compare(reader, `/changes?${since === undefined ? '' : `since=${since}`}`)
  }
  assert.match((await failed(reader.changes('2024-01-01', { limit: 0 })))!.message, /'limit'/)
  assert.match((await failed(reader.snapshots({ limit: 0 })))!.message, /'limit'/)
})

test('after a prune the lineage ends there; a night without its files is left out', async () => {
  const copy = join(folder.path, 'pruned')
  cpSync(dist, copy, { recursive: true })
  // A mirror that skipped a night has its manifest alone.
  rmSync(objectPath(copy, fileOf(nights[1]!, 'index').sha256))
  const mirrored = await openReader(copy)
  assert.equal(
    (await mirrored.snapshots()).data.map(({ id }) => id),
    nights.filter((_, i) => i !== 1).map(({ snapshot }) => snapshot),
  )
  const error = await failed(mirrored.changes(nights[1]!.snapshot))
  assert.is(error!.code, 'missing')
  assert.equal((await mirrored.changes(nights[1]!.created_at)).since, nights[2]!.snapshot)
  await mirrored.close()
  const pruned = join(folder.path, 'kept')
  cpSync(dist, pruned, { recursive: true })
  await prune(pruned, { keep: { last: 2 } }, quietEffects())
  const left = await openReader(pruned)
  assert.is((await left.snapshots()).data.length, 2)
  assert.is((await failed(left.changes(nights[3]!.snapshot)))!.code, 'missing')
  await left.close()
})

test('a kept night behind removed ones is listed and compared, by a reader and by a gateway', async () => {
  const gap = join(folder.path, 'gap')
  cpSync(dist, gap, { recursive: true })
  const protect = new Map([[readCurrent(first).pointer.manifest.sha256, 'this test needs it']])
  const { manifestsWithoutFiles } = await removeSnapshots(gap, { keep: { last: 1 }, protect }, quietEffects())
  assert.is(manifestsWithoutFiles, 2)
  const [now, removed, , oldest] = nights as [Manifest, Manifest, Manifest, Manifest]
  const left = await openReader(gap)
  const { compare: compareLeft } = gatewayAnswers(askDirectly(gap))
  assert.equal(
    (await left.snapshots()).data.map(({ id }) => id),
    [now.snapshot, oldest.snapshot],
  )
  const changes = await all(left, oldest.snapshot)
  assert.ok(changes.length > 0)
  assert.equal(changes, await all(reader, oldest.snapshot))
  for (const target of ['/snapshots', `/changes?since=${oldest.snapshot}`, `/changes?since=${removed.snapshot}`])
    await compareLeft(left, target)
  assert.is((await failed(left.changes(removed.snapshot)))!.code, 'missing')
  await left.close()
})

test('a flipped bit in the index or in a manifest is an error or the same answer', async () => {
  const [now, old] = nights as [(typeof nights)[0], (typeof nights)[0]]
  const expected = JSON.stringify(await reader.changes(old.snapshot, { limit: 100 }))
  const copy = join(folder.path, 'flipped')
  cpSync(dist, copy, { recursive: true })
  let refused = 0
  for (let n = 0; n < 120; n++) {
    const path = objectPath(copy, fileOf(n % 2 === 0 ? now : old, 'index').sha256)
    const good = readFileSync(path)
    const bytes = Buffer.from(good)
    const at = Math.floor((bytes.length * n) / 120) + (n % 13)
    bytes[at]! ^= 1 << (n % 8)
    writeFileSync(path, bytes)
    const far = await openReader(copy)
    try {
      assert.is(JSON.stringify(await far.changes(old.snapshot, { limit: 100 })), expected, `byte ${at}`)
    } catch (error) {
      if (!(error instanceof SnapshotError)) throw error
      refused++
    } finally {
      await far.close()
      writeFileSync(path, good)
    }
  }
  assert.ok(refused > 5, `only ${refused} were noticed`)
  const manifest = manifestPath(copy, now.parent!.manifest)
  const text = readFileSync(manifest, 'utf8')
  writeFileSync(manifest, text.replace('"size": 1', '"size": 2'))
  const far = await openReader(copy)
  assert.is((await failed(far.changes(old.snapshot)))!.code, 'digest')
  assert.is((await far.snapshots()).data.length, 1)
  await far.close()
})

test.after(async () => {
  await reader.close()
  await asked.close()
  folder.remove()
})

test.run()
