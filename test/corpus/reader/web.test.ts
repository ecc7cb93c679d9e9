/** Reading over HTTP: the same as from the folder, with few requests, for any features and faults of the server. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type CveWalkOptions, openReader, type Reader } from '../../../corpus/reader/reader.ts'
import { fileOf, objectName, readCurrent } from '../../../corpus/snapshot/files/layout.ts'
import { SECTION_NAMES } from '../../../corpus/snapshot/record/cve-pieces.ts'
import { all } from '../../support/all.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { openWorld } from '../../support/publisher.ts'
import { failed } from '../../support/refusal.ts'
import { sharedSample } from '../../support/samples.ts'
import { type ManyRanges, serveFolder } from '../../support/web-folder.ts'

const folder = temporaryFolder('reader-web')
const { dist } = await sharedSample('usual')
const { manifest } = readCurrent(dist)
const local = await openReader(dist)
const web = await serveFolder(dist)
const whole = await serveFolder(dist, { ranges: false })
const world = openWorld()
const open = (url: string) => openReader(url, { effects: world.effects })
const remote = await open(web.url)

const walked = (reader: Reader, options: CveWalkOptions = {}) => all(reader.walk(options))
/** Returns the requests that `work` sends to the server. */
async function requestsOf(work: () => Promise<unknown>) {
  const before = web.asked.length
  await work()
  return web.asked.slice(before)
}

test('opening takes pointer, manifest and description, and the first filter the tables of CVEs, each once', async () => {
  const opening = web.asked.map(({ path }) => path)
  assert.is(new Set(opening).size, opening.length)
  assert.is(opening.length, 3)
  const tables = await requestsOf(() => remote.list({ ids: ['CVE-1999-9999'] }))
  const single = [fileOf(manifest, 'columns'), fileOf(manifest, 'epss-changes')]
  const files = [...single, ...manifest.files.filter(({ role }) => role === 'orders')]
  const index = objectName(fileOf(manifest, 'index').sha256)
  assert.equal(tables.map(({ path }) => path).sort(), [...files.map(({ sha256 }) => objectName(sha256)), index].sort())
})

test('walks and records over HTTP are those of the folder', async () => {
  for (const options of [{}, { sort: 'epss' }, { has_detection: true }, { has_patch: false, sort: '-cvss' }] as const) {
    assert.equal(await walked(remote, options), await walked(local, options))
  }
  for (const { cve_id } of (await walked(local)).slice(0, 60)) {
    const options = { include: SECTION_NAMES }
    assert.equal(await remote.get(cve_id, options), await local.get(cve_id, options))
  }
})

test('a walk through everything asks once for each page', async () => {
  const fresh = await open(web.url)
  const asked = await requestsOf(() => walked(fresh))
  const pages = Math.ceil(fresh.snapshot.counts.cves! / 100)
  // The page starts, and the pages.
  assert.is(asked.length, pages + 1)
  const short = await requestsOf(async () => {
    for (let cursor: string | undefined, i = 0; i < 4; i++) {
      cursor = (await fresh.list({ limit: 25, cursor })).pagination.next_cursor!
    }
  })
  assert.equal(short, [], 'short pages lie in pages that were read')
  await fresh.close()
})

test('rows on many pages take one request', async () => {
  // On every other page of the order.
  const rows = (await walked(local)).filter((_, position) => position % 200 === 7)
  const ids = rows.map(({ cve_id }) => cve_id)
  const fresh = await open(web.url)
  await fresh.list({ ids: ['CVE-1999-9999'] })
  const asked = await requestsOf(async () => assert.equal(await walked(fresh, { ids }), rows))
  assert.equal(
    asked.map(({ range }) => range?.split(',').length),
    [rows.length],
  )
  await fresh.close()
})

test('a record is one request, and an unknown one is none, after what all records share', async () => {
  const { cve_id } = (await local.list({ limit: 1 })).data[0]!
  const fresh = await open(web.url)
  const record = async (id = cve_id) => (await requestsOf(() => fresh.get(id, { include: SECTION_NAMES }))).length
  // The header of the index with the first blocks, and the member.
  assert.is(await record(), 2)
  assert.is(await record(), 0)
  assert.is(await record('CVE-1999-99999'), 0)
  await fresh.close()
})

test('a server that ignores ranges gives whole objects, each once', async () => {
  const reader = await open(whole.url)
  // The first request for a part shows that there are none.
  await reader.list({ limit: 1 })
  whole.asked.length = 0
  for (const options of [{}, { kev: true }, { has_detection: true }, { sort: 'cvss' }] as const) {
    assert.equal(await walked(reader, options), await walked(local, options))
  }
  const objects = whole.asked.map(({ path }) => path).filter((path) => path !== 'latest.json')
  assert.ok(objects.length > 2)
  assert.is(new Set(objects).size, objects.length)
  const { cve_id } = (await local.list({ limit: 1 })).data[0]!
  assert.equal(await reader.get(cve_id), await local.get(cve_id))
  await reader.close()
})

test('servers that send several ranges in any way, or none of them, give the same rows', async () => {
  const ids = (await walked(local)).filter((_, position) => position % 200 === 7).map(({ cve_id }) => cve_id)
  for (const manyRanges of ['all', 'reversed', 'first', 'whole', 'refused'] satisfies ManyRanges[]) {
    const server = await serveFolder(dist, { manyRanges })
    const reader = await openReader(server.url, { effects: world.effects })
    assert.equal(await all(reader.walk({ ids })), await all(local.walk({ ids })), manyRanges)
    assert.equal(
      await all(reader.walk({ ids, sort: 'epss' })),
      await all(local.walk({ ids, sort: 'epss' })),
      manyRanges,
    )
    const several = server.asked.filter(({ range }) => range?.includes(','))
    const isSupported = manyRanges === 'all' || manyRanges === 'reversed'
    assert.ok(isSupported ? several.length > 1 : several.length === 1, `${manyRanges}: ${several.length}`)
    await reader.close()
    await server.close()
  }
})

test('what is not there is named', async () => {
  const missing = await failed(open(`${web.url}elsewhere/`))
  assert.equal([missing?.name, missing?.code], ['SnapshotError', 'missing'])
  assert.match(missing!.message, /latest\.json is missing in http:\/\/127/)
  const columns = fileOf(manifest, 'columns')
  web.fault = ({ path }) => (path.endsWith(columns.sha256) ? { kind: 'status', code: 404 } : null)
  const without = await failed((await open(web.url)).list({ kev: true }))
  web.fault = () => null
  assert.equal([without?.name, without?.code], ['SnapshotError', 'missing'])
  assert.match(without!.message, columns.sha256)
})

test('a busy server is asked again; one that stays so is given up, and the error says what it answers', async () => {
  let times = 3
  web.fault = () => (times-- > 0 ? { kind: 'status', code: 503 } : null)
  world.slept.length = 0
  await (await open(web.url)).close()
  assert.is(world.slept.length, 3)
  web.fault = () => ({ kind: 'status', code: 500 })
  const error = await failed(open(web.url))
  web.fault = () => null
  assert.equal([error?.name, error?.code], ['TransferError', 'busy_server'])
  assert.match(error!.message, /latest\.json: the server answers 500/)
  web.fault = () => ({ kind: 'status', code: 403 })
  assert.is((await failed(open(web.url)))?.code, 'refused')
  web.fault = () => null
})

test('a body that breaks off is asked for again, and never taken for whole', async () => {
  const seen = new Set<string>()
  // Sends only some bytes of each answer, the first time.
  web.fault = ({ path, range }) => {
    const first = !seen.has(`${path} ${range}`)
    seen.add(`${path} ${range}`)
    return first ? { kind: 'cut', after: 40 } : null
  }
  const reader = await open(web.url)
  assert.equal(await walked(reader, { severity: 'critical' }), await walked(local, { severity: 'critical' }))
  assert.equal(await walked(reader, { sort: 'updated' }), await walked(local, { sort: 'updated' }))
  web.fault = ({ range }) => (range !== null ? { kind: 'cut', after: 10 } : null)
  const fresh = await open(web.url)
  const error = await failed(walked(fresh, { sort: '-epss' }))
  web.fault = () => null
  assert.is(error?.name, 'TransferError')
  await Promise.all([reader.close(), fresh.close()])
})

test('what another repository has under the name of an object is refused', async () => {
  const other = join(folder.path, 'other')
  cpSync(dist, other, { recursive: true })
  const objects = (role: string) => manifest.files.find((file) => file.role === role)!
  const path = (digest: string) => join(other, 'objects', digest.slice(0, 2), digest)
  cpSync(path(objects('index').sha256), path(fileOf(manifest, 'orders', 'published').sha256))
  const server = await serveFolder(other)
  const reader = await openReader(server.url)
  const error = await failed(reader.list())
  assert.equal([error?.name, error?.code], ['SnapshotError', 'malformed'])
  await reader.close()
  await server.close()
})

test('a password is in no message', async () => {
  const { port } = new URL(web.url)
  const secret = await failed(open(`http://me:secret@127.0.0.1:${port}/elsewhere`))
  assert.match(secret!.message, 'elsewhere')
  assert.not.match(secret!.message, 'secret')
})

test('what is closed reads nothing more', async () => {
  for (const address of [web.url, dist, new URL(`file://${dist}`)]) {
    const reader = await openReader(address)
    const { cve_id } = (await reader.list({ limit: 1 })).data[0]!
    await reader.close()
    assert.match((await failed(reader.get(cve_id)))!.message, /is closed/)
  }
})

test('closing ends what waits for a busy server', async () => {
  let waits = () => {}
  const waiting = new Promise<void>((resolve) => {
    waits = resolve
  })
  const patient = {
    ...world.effects,
    sleep: (_ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        signal?.addEventListener('abort', () => resolve())
        waits()
      }),
  }
  const reader = await openReader(web.url, { effects: patient })
  web.fault = () => ({ kind: 'status', code: 503 })
  try {
    const page = failed(reader.list({ limit: 1 }))
    await waiting
    await reader.close()
    assert.match((await page)!.message, /is closed/)
  } finally {
    web.fault = () => null
  }
})

test.after(async () => {
  await Promise.all([local.close(), remote.close()])
  await Promise.all([web.close(), whole.close(), world.close()])
  folder.remove()
})

test.run()
