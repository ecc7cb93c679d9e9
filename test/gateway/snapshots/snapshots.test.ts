/** `/snapshots`, and what `since` of `/changes` may name: an id, the beginning of one, a day or an instant. */
import { rmSync, writeFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ErrorBody } from '../../../corpus/answers/errors.ts'
import { sha256 } from '../../../corpus/runtime/digest.ts'
import { manifestPath, pointerPath } from '../../../corpus/snapshot/files/layout.ts'
import { encodeManifest, type FileEntry, type Manifest, snapshotId } from '../../../corpus/snapshot/files/manifest.ts'
import { encodePointer } from '../../../corpus/snapshot/files/pointer.ts'
import { openRegistry } from '../../../gateway/snapshots/registry.ts'
import { goodSnapshot } from '../../corpus/snapshot/forgery.ts'
import { testGateway } from '../../support/gateway.ts'
import { listLog } from '../../support/server.ts'

interface Row {
  id: string
  created_at: string
  parent: string | null
  cves: number
  retained: boolean
}
interface Page {
  data: Row[]
  pagination: { limit: number; next_cursor: string | null }
}

const test = suite('kept snapshots')
const good = await goodSnapshot('kept-snapshots')
const DAY = 86_400_000
const createdAt = (night: number) => new Date(Date.parse('2024-06-01T06:00:00.000Z') + night * DAY).toISOString()

/** The files of a night: its `about` tells it from other nights. */
const filesOf = (tag: string, change: (file: FileEntry) => FileEntry = (file) => file): FileEntry[] =>
  good.manifest.files.map((file) => change(file.role === 'about' ? { ...file, content: sha256(tag) } : file))

interface Night {
  manifest: Manifest
  digest: string
}

/** Writes a snapshot upon another one and makes it current. */
function writeNight(dist: string, files: FileEntry[], night: number, before: Night | undefined): Night {
  const parent = before ? { snapshot: before.manifest.snapshot, manifest: before.digest } : null
  const manifest = { ...good.manifest, files, snapshot: snapshotId(files), parent, created_at: createdAt(night) }
  const bytes = encodeManifest(manifest)
  const digest = sha256(bytes)
  writeFileSync(manifestPath(dist, digest), bytes)
  const { snapshot, created_at } = manifest
  const pointer = { ...good.pointer, snapshot, created_at, manifest: { sha256: digest, size: bytes.length } }
  writeFileSync(pointerPath(dist), encodePointer(pointer))
  return { manifest, digest }
}

/** Writes a chain of snapshots, one for each list of files, a day apart; the last one becomes current. */
function writeNights(dist: string, nights: readonly FileEntry[][]): Night[] {
  const written: Night[] = []
  for (const [i, files] of nights.entries()) written.push(writeNight(dist, files, i, written.at(-1)))
  return written
}

const fiveNights = (dist: string) =>
  writeNights(
    dist,
    [0, 1, 2, 3, 4].map((night) => filesOf(`night ${night}`)),
  )

async function served(dist: string) {
  const gateway = await testGateway(good.folder, dist)
  await gateway.registry.settled
  return {
    ...gateway,
    page: async (query = '') => JSON.parse(await gateway.body(`/snapshots${query}`)) as Page,
    since: async (text: string) => {
      const response = await gateway.get(`/changes?since=${text}`)
      const body = JSON.parse(await response.text()) as { since?: string } & ErrorBody
      return response.status === 200 ? body.since! : `${response.status} ${body.error}: ${body.message}`
    },
  }
}

const dist = good.copy()
const nights = fiveNights(dist)
const ids = nights.map(({ manifest }) => manifest.snapshot)
const gateway = await served(dist)

test('lists the snapshots that are kept, newest first, and marks those that cursors can go on in', async () => {
  const { counts } = JSON.parse(await gateway.body('/snapshot')) as { counts: { cves: number } }
  const { data, pagination } = await gateway.page()
  assert.equal(pagination, { limit: 25, next_cursor: null })
  assert.equal(
    data,
    [4, 3, 2, 1, 0].map((night) => ({
      id: ids[night]!,
      created_at: createdAt(night),
      parent: ids[night - 1] ?? null,
      cves: counts.cves,
      retained: night >= 2,
    })),
  )
  for (const { id } of data) assert.is(await gateway.since(id), id)
})

test('pages are the same list, whatever their size', async () => {
  const whole = await gateway.page()
  const rows: Row[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { data, pagination }: Page = await gateway.page(`?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`)
    rows.push(...data)
    cursor = pagination.next_cursor
  }
  assert.equal(rows, whole.data)
  const { pagination } = await gateway.page('?limit=2')
  const other = await gateway.get(`/changes?since=${ids[0]}&cursor=${pagination.next_cursor}`)
  assert.is(other.status, 400)
})

test('a snapshot that lost its manifest ends the list; one without files is left out', async () => {
  const copy = good.copy()
  const passedOver = (file: FileEntry) => (file.role === 'index' ? { ...file, sha256: sha256('not here') } : file)
  const chain = writeNights(copy, [
    ...[0, 1].map((night) => filesOf(`night ${night}`)),
    filesOf('night 2', passedOver),
    ...[3, 4, 5, 6].map((night) => filesOf(`night ${night}`)),
  ])
  const other = await served(copy)
  try {
    const listed = async () =>
      (await other.page()).data.map(({ id }) => chain.findIndex((one) => one.manifest.snapshot === id))
    assert.equal(await listed(), [6, 5, 4, 3, 1, 0])
    rmSync(manifestPath(copy, chain[1]!.digest))
    assert.equal(await listed(), [6, 5, 4, 3])
    // What is open is kept, whatever prune has removed.
    for (const { digest } of chain.slice(0, -1)) rmSync(manifestPath(copy, digest), { force: true })
    assert.equal(await listed(), [6, 5, 4])
    assert.is(await other.since(chain[4]!.manifest.snapshot.slice(0, 7)), chain[4]!.manifest.snapshot)
    assert.match(await other.since(chain[3]!.manifest.snapshot.slice(0, 7)), /^410 gone: /)
  } finally {
    await other.close()
  }
})

test('a damaged manifest ends the list, and fails only what needs it', async () => {
  const copy = good.copy()
  // Content of its own: the process remembers manifests that it has read by their digest.
  const chain = writeNights(
    copy,
    [0, 1, 2, 3, 4].map((night) => filesOf(`damaged ${night}`)),
  )
  const own = chain.map(({ manifest }) => manifest.snapshot)
  writeFileSync(manifestPath(copy, chain[2]!.digest), '{}')
  const other = await served(copy)
  try {
    const { data } = await other.page()
    assert.equal(
      data.map(({ id }) => id),
      [own[4], own[3]],
    )
    assert.is(await other.since(own[3]!.slice(0, 7)), own[3])
    assert.is(await other.since(createdAt(4)), own[4])
    assert.match(await other.since(createdAt(1)), /^500 internal: /)
  } finally {
    await other.close()
  }
})

test('a snapshot outside the chain is listed by its time while it is open', async () => {
  const copy = good.copy()
  const [first] = writeNights(copy, [filesOf('night 0'), filesOf('night 1')])
  const other = await served(copy)
  try {
    const aside = (await other.page()).data[0]!.id
    const { manifest } = writeNight(copy, filesOf('night 2'), 2, first)
    await other.refresh()
    assert.equal(
      (await other.page()).data.map(({ id }) => id),
      [manifest.snapshot, aside, first!.manifest.snapshot],
    )
    assert.is(await other.since(createdAt(1)), aside)
  } finally {
    await other.close()
  }
})

test('each current snapshot is announced, earlier ones are not', async () => {
  const dist = good.copy()
  const nights = writeNights(dist, [filesOf('night 0'), filesOf('night 1')])
  const announced: string[] = []
  const registry = openRegistry(dist, { log: listLog().log, pollMs: 0, onServe: ({ id }) => void announced.push(id) })
  try {
    await registry.settled
    assert.is(registry.opened.length, 2)
    assert.equal(announced, [nights[1]!.manifest.snapshot])
    const third = writeNight(dist, filesOf('night 2'), 2, nights[1])
    await registry.refresh()
    assert.equal(announced, [nights[1]!.manifest.snapshot, third.manifest.snapshot])
  } finally {
    registry.close()
  }
})

test('`since` takes the first seven digits of an id or more, in any case, and answers with the whole id', async () => {
  for (const id of ids) {
    for (const digits of [7, 12, 63]) assert.is(await gateway.since(id.slice(0, digits)), id)
    assert.is(await gateway.since(id.slice(0, 9).toUpperCase()), id)
  }
  assert.match(
    await gateway.since('0000000'),
    /^410 gone: no available snapshot has an id that begins with 0000000; `\/snapshots` lists the available ones/,
  )
  for (const bad of ['000000', ids[0]!.slice(0, 6), `${ids[0]}0`, 'latest', '2024-06']) {
    assert.match(await gateway.since(bad), /^400 invalid_parameter: parameter 'since' must be /, bad)
  }
})

test('the beginning of two ids is refused, and both are named', async () => {
  const [one, other] = likeIds()
  const copy = good.copy()
  const chain = writeNights(copy, [one, filesOf('between'), other]).map(({ manifest }) => manifest.snapshot)
  const prefix = chain[0]!.slice(0, 7)
  assert.is(chain[2]!.slice(0, 7), prefix)
  const collided = await served(copy)
  try {
    const answer = await collided.since(prefix)
    assert.match(answer, /^400 invalid_parameter: parameter 'since' is ambiguous: /)
    for (const id of [chain[0]!, chain[2]!]) assert.ok(answer.includes(id.slice(0, 12)), answer)
    assert.is(await collided.since(chain[0]!.slice(0, 20)), chain[0])
  } finally {
    await collided.close()
  }
})

/** Files of two nights whose ids begin alike: among some 20,000 there are two with the same seven digits. */
function likeIds(): [FileEntry[], FileEntry[]] {
  const tags = new Map<string, string>()
  for (let i = 0; ; i++) {
    const tag = `like ${i}`
    const prefix = snapshotId(filesOf(tag)).slice(0, 7)
    const before = tags.get(prefix)
    if (before !== undefined) return [filesOf(before), filesOf(tag)]
    tags.set(prefix, tag)
  }
}

test('a time means the newest snapshot created not later than it; a day means its first instant', async () => {
  // Each snapshot is of six o'clock.
  for (const [since, night] of [
    ['2024-06-03T06:00:00Z', 2],
    ['2024-06-03T05:59:59.999Z', 1],
    ['2024-06-03T08:00:00%2B02:00', 2],
    ['2024-06-03', 1],
    ['2024-06-04', 2],
    ['2024-06-02', 0],
    ['2099-01-01', 4],
  ] as const) {
    assert.is(await gateway.since(since), ids[night], since)
  }
  for (const since of ['2024-06-01', '2024-06-01T05:59:59Z', '1999-12-31']) {
    assert.match(await gateway.since(since), /^410 gone: no available snapshot was created at or before /)
  }
  for (const since of ['2024-02-30', '2024-06-03T06:00:00', '2024-06-03T06:00:00+02:00']) {
    assert.match(await gateway.since(since), /^400 invalid_parameter: parameter 'since' must be a date/)
  }
})

test.after(async () => {
  await gateway.close()
  good.remove()
})
test.run()
