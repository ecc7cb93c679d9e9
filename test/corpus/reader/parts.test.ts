/** Reading in parts: few requests and bytes, the same results from any server, and damage is found. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { cveBlock } from '../../../corpus/model/ids/cve-id.ts'
import { type Objects, openObjects, type Progress } from '../../../corpus/reader/objects.ts'
import { type CveListOptions, openReader, type Reader } from '../../../corpus/reader/reader.ts'
import { folderSource } from '../../../corpus/repository/folder-source.ts'
import { sha256 } from '../../../corpus/runtime/digest.ts'
import { gzipFile } from '../../../corpus/snapshot/codec/deflate.ts'
import { gunzipFile } from '../../../corpus/snapshot/codec/inflate.ts'
import {
  blockRows,
  blockSpan,
  column,
  decodeTable,
  locateTable,
  partSpan,
  type TableHeader,
} from '../../../corpus/snapshot/codec/table.ts'
import { byStoredSort, STORED_SORTS, type StoredSort } from '../../../corpus/snapshot/cursor/order.ts'
import { aliasesOf, decodeAliases } from '../../../corpus/snapshot/derive/aliases.ts'
import { decodeOrder } from '../../../corpus/snapshot/derive/orders.ts'
import { fileOf, readObject } from '../../../corpus/snapshot/files/layout.ts'
import type { FileEntry } from '../../../corpus/snapshot/files/manifest.ts'
import { openAliasLookup } from '../../../corpus/snapshot/ranges/alias-lookup.ts'
import { openHashedLookup } from '../../../corpus/snapshot/ranges/hashed-lookup.ts'
import { openRows } from '../../../corpus/snapshot/ranges/rows.ts'
import { openStoredOrders } from '../../../corpus/snapshot/ranges/stored-orders.ts'
import { openTables } from '../../../corpus/snapshot/ranges/tables.ts'
import { SECTION_NAMES } from '../../../corpus/snapshot/record/cve-pieces.ts'
import { all } from '../../support/all.ts'
import { advisoryIds } from '../../support/package-questions.ts'
import { openWorld } from '../../support/publisher.ts'
import { failed } from '../../support/refusal.ts'
import { serveFolder } from '../../support/web-folder.ts'
import { goodSnapshot } from '../snapshot/forgery.ts'

const good = await goodSnapshot('reader-parts', 'usual')
const { dist, manifest } = good
const local = await openReader(dist)
const rows = await all(local.walk())
const world = openWorld()
const web = await serveFolder(dist)

const orders = byStoredSort((sort) => decodeOrder(readObject(dist, fileOf(manifest, 'orders', sort)), rows.length))
const headerOf = (file: FileEntry) => locateTable(readObject(dist, file)) as TableHeader

const SORTS = STORED_SORTS.flatMap((key) => [key, `-${key}`] as const)

/** Returns the ids of a list read page by page. Each page with another reader if `open` returns one. */
async function paged(options: CveListOptions, open: () => Promise<Reader>): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | undefined
  do {
    const reader = await open()
    const { data, pagination } = await reader.list({ ...options, cursor })
    ids.push(...data.map(({ cve_id }) => cve_id))
    cursor = pagination.next_cursor ?? undefined
    if (reader !== local) await reader.close()
  } while (cursor !== undefined)
  return ids
}

/** Returns the objects of the folder, with changes to what they read. */
function objectsOf(changes: (objects: Objects) => Partial<Objects> = () => ({})): Objects {
  const objects = openObjects(folderSource(dist), world.effects, { verify: null })
  return { ...objects, ...changes(objects) }
}

/** Returns the objects of the folder with other bits in the byte `at` of a file. */
const objectsWithFlip = (file: FileEntry, at: number, mask: number) =>
  objectsOf(({ parts }) => ({
    parts: async (read, spans) =>
      (await parts(read, spans)).map((bytes, i) => {
        const copy = Buffer.from(bytes)
        const inside = at - spans[i]!.at
        if (read.sha256 === file.sha256 && inside >= 0 && inside < copy.length) copy[inside]! ^= mask
        return copy
      }),
  }))

test('the requests and bytes of a new reader', async () => {
  const figures = async (call: (reader: Reader) => Promise<unknown>) => {
    const reader = await openReader(web.url)
    const [asked, sent] = [web.asked.length, web.sent()]
    await call(reader)
    const figure = { requests: web.asked.length - asked, bytes: web.sent() - sent }
    await reader.close()
    return figure
  }
  const last = rows.at(-1)!
  const cursor = (await local.list({ sort: 'epss' })).pagination.next_cursor!
  for (const [name, requests, bytes, call] of [
    ['a record', 5, 60_000, (reader) => reader.get(last.cve_id, { include: SECTION_NAMES })],
    ['no record', 4, 30_000, (reader) => reader.get(last.cve_id.replace(/\d$/, (digit) => `${9 - Number(digit)}`))],
    ['the first page', 2, 40_000, (reader) => reader.list()],
    ['the first page, ascending', 3, 60_000, (reader) => reader.list({ sort: 'epss', limit: 100 })],
    ['the largest EPSS changes', 8, 60_000, (reader) => reader.list({ sort: '-epss_change', limit: 8 })],
    ['a page by its cursor', 3, 60_000, (reader) => reader.list({ sort: 'epss', cursor })],
    ['a filtered page', 8, 90_000, (reader) => reader.list({ has_patch: true })],
  ] as readonly [string, number, number, (reader: Reader) => Promise<unknown>][]) {
    const figure = await figures(call)
    console.log(`# ${name}: ${figure.requests} requests, ${figure.bytes} bytes`)
    assert.ok(figure.requests <= requests && figure.bytes <= bytes, `${name}: ${JSON.stringify(figure)}`)
  }
})

test('pages of all CVEs by cursors, in every order and length, each page with another reader', async () => {
  for (const sort of SORTS) {
    const expected = (await all(local.walk({ sort }))).map(({ cve_id }) => cve_id)
    assert.is(new Set(expected).size, rows.length)
    if (sort.startsWith('-')) {
      // Ordinals are positions in the order of publication, newest first.
      const { ordinals } = orders[sort.slice(1) as StoredSort]
      assert.equal(
        Array.from(ordinals, (ordinal) => rows[ordinal]!.cve_id),
        expected,
      )
    }
    for (const limit of [100, 33]) {
      assert.equal(await paged({ sort, limit }, async () => local), expected, `${sort} by ${limit}`)
    }
    assert.equal(await paged({ sort, limit: 50 }, () => openReader(web.url)), expected, `${sort} over HTTP`)
  }
})

test('a cursor of another snapshot continues after the same row', async () => {
  const other = good.copy()
  const about = JSON.parse(gunzipFile('about', good.bytesOf('about')).toString())
  const plain = Buffer.from(JSON.stringify({ ...about, corpus_date: '2020-01-01' }))
  good.forge(other, fileOf(manifest, 'about'), gzipFile(plain), sha256(plain))
  const another = await openReader(other)
  for (const sort of SORTS) {
    let cursor: string | undefined
    let ofAnother: string | undefined
    for (let page = 0; page < 4; page++) {
      const [a, b] = await Promise.all([
        local.list({ sort, limit: 31, cursor: ofAnother ?? cursor }),
        another.list({ sort, limit: 31, cursor: cursor ?? ofAnother }),
      ])
      assert.equal(a.data, b.data, `${sort}, page ${page}`)
      cursor = a.pagination.next_cursor!
      ofAnother = b.pagination.next_cursor!
    }
  }
  await another.close()
})

test('rows by heads and segments are those of whole pages, with fewer bytes', async () => {
  const { published } = orders
  const positions = rows.flatMap((_, position) => (position % 30 === 0 ? [position] : []))
  const read: number[] = []
  // Each page is a file of many: few pages are read whole.
  const pagesOf = (takesManyRanges: boolean) =>
    openRows(
      manifest,
      objectsOf(({ parts }) => ({
        takesManyRanges: () => takesManyRanges,
        parts: async (file, spans) => {
          read.push(spans.reduce((sum, { length }) => sum + length, 0))
          return parts(file, spans)
        },
      })),
      { fewPages: 0, worthAPage: 100 },
    )
  const expected = positions.map((position) => rows[position]!)
  assert.equal(await pagesOf(false).at('published', published.pagesAt, positions), expected)
  const whole = read.splice(0)
  const byHead = pagesOf(true)
  assert.equal(await byHead.at('published', published.pagesAt, positions.slice(0, 2)), expected.slice(0, 2))
  const heads = read.splice(0)
  assert.is(heads.length, 2, 'heads, then segments')
  assert.ok(heads[0]! + heads[1]! < whole[0]! / 2, `${heads} of ${whole}`)
  await byHead.at('published', published.pagesAt, [positions[0]! + 26])
  assert.is(read.length, 1, 'the head is known')
})

test('tables are reported while they are downloaded', async () => {
  const seen: Progress[] = []
  const reader = await openReader(web.url, { onProgress: (progress) => seen.push(progress) })
  await reader.list({ kev: true })
  const tables = ['about cve', 'columns cve', 'epss-changes cve', ...STORED_SORTS.map((sort) => `orders ${sort}`)]
  const total = manifest.files
    .filter(({ role, name }) => tables.includes(`${role} ${name}`))
    .reduce((sum, { size }) => sum + size, 0)
  assert.equal(seen.at(-1), { loaded: total, total })
  assert.ok(seen.every(({ loaded }, i) => i === 0 || loaded >= seen[i - 1]!.loaded))
  seen.length = 0
  // A table that breaks off is received again.
  const columns = fileOf(manifest, 'columns')
  let faults = 1
  web.fault = ({ path }) => (path.endsWith(columns.sha256) && faults-- > 0 ? { kind: 'cut', after: 5000 } : null)
  const other = await openReader(web.url, { effects: world.effects, onProgress: (progress) => seen.push(progress) })
  await other.list({ kev: true })
  web.fault = () => null
  assert.equal(seen.at(-1), { loaded: total, total })
  await Promise.all([reader.close(), other.close()])
  assert.match((await failed(openReader(dist, { onProgress: 1 as never })))!.message, "option 'onProgress' must be")
})

/** Returns the error of `work` with a reader of a server that changes a byte of a file. */
async function damaged(file: FileEntry, at: number, work: (reader: Reader) => Promise<unknown>) {
  web.fault = ({ path }) => (path.endsWith(file.sha256) ? { kind: 'corrupt', at } : null)
  const reader = await openReader(web.url, { effects: world.effects })
  const error = await failed(work(reader))
  await reader.close()
  web.fault = () => null
  return error
}

test('a damaged byte is found in every part that records are read from', async () => {
  const file = fileOf(manifest, 'index')
  const header = headerOf(file)
  const ids = [...Map.groupBy(rows, ({ cve_id }) => cveBlock(cve_id)).values()].map(([row]) => row!.cve_id)
  const read = blockRows(header, 'numberLow').map((_, block) => blockSpan(header, 'numberLow', block))
  for (let at = 7; at < file.size; at += at < read[0]!.at ? 17 : 173) {
    const error = await damaged(file, at, async (reader) => {
      for (const id of ids) assert.equal(await reader.get(id), await local.get(id), `${id}, byte ${at}`)
    })
    // Each block begins with its CRC and four zero bytes.
    const isRead = read.some((span) => at >= span.at && at < span.at + span.length && (at - span.at) >> 2 !== 1)
    if (error !== null || isRead) assert.is(error?.name, 'SnapshotError', `${at}: ${error?.message}`)
  }
})

test('damaged page starts, pages and positions are found', async () => {
  const starts = fileOf(manifest, 'orders', 'epss')
  const { at: startsAt } = partSpan(headerOf(starts), 'key')
  assert.is((await damaged(starts, startsAt + 9, (reader) => reader.list({ sort: 'epss' })))?.code, 'digest')
  const pages = fileOf(manifest, 'pages', 'epss')
  for (let at = 40; at < 5000; at += 311) {
    const error = await damaged(pages, at, async (reader) => {
      assert.equal(await reader.list({ sort: '-epss', limit: 100 }), await local.list({ sort: '-epss', limit: 100 }))
    })
    // The glue between segments is not read.
    if (error) assert.is(error.name, 'SnapshotError', `${at}: ${error.message}`)
  }
  for (const [name, order] of [
    ['published', 'epss'],
    ['updated', 'cvss'],
  ] as const) {
    const other = fileOf(manifest, 'pages', order)
    const objects = objectsOf(({ parts }) => ({
      parts: (file, spans) => parts(file.role === 'pages' ? other : file, spans),
    }))
    const tables = { of: () => openTables(objects).of(fileOf(manifest, 'orders', order)) }
    const error = await failed(
      openStoredOrders(manifest, tables, openRows(manifest, objects)).rows(name, [...Array(25).keys()]),
    )
    assert.match(error!.message, /is out of order in the sort/)
  }
})

test('every alias set is found by each of its ids, and damage shows', async () => {
  const file = fileOf(manifest, 'aliases')
  const bytes = readObject(dist, file)
  const table = decodeAliases(bytes)
  const expected = (id: string) => aliasesOf(table, id, (at, length) => bytes.subarray(at, at + length))
  const stored = Buffer.from(column(decodeTable(bytes), 'sets', 'u8')).toString()
  const sets = JSON.parse(`[${stored.replaceAll('][', '],[')}]`) as string[][]
  const ids = sets.flat()
  assert.ok(ids.length > 50 && ids.length === file.count)
  const objects = objectsOf()
  for (const set of sets) {
    for (const id of set) {
      assert.equal((await openAliasLookup(manifest, openTables(objects)).sets([id])).get(id), set)
      assert.equal(expected(id), set)
    }
  }
  const lookup = openAliasLookup(manifest, openTables(objects))
  assert.equal(await lookup.sets(['GHSA-0000-0000-0000']), new Map())
  assert.is(expected('GHSA-0000-0000-0000'), null)
  assert.equal([...(await lookup.sets(ids)).keys()].sort(), [...ids].sort())
  for (let at = 8; at < file.size; at += 97) {
    const changed = objectsWithFlip(file, at, 4)
    const id = ids[at % ids.length]!
    const found = await openAliasLookup(manifest, openTables(changed))
      .sets([id])
      .then(
        (sets) => sets.get(id) ?? null,
        ({ name }) => name,
      )
    if (found !== 'SnapshotError') assert.equal(found, expected(id), `${id}, byte ${at}`)
  }
})

test('the index of advisories has every advisory, and hides none if it is damaged', async () => {
  const objects = objectsOf()
  const lookup = openHashedLookup(manifest, objects, openTables(objects))
  const ids = advisoryIds(dist)
  for (const id of ids) assert.is((await lookup.member('advisories', id))?.key, id)
  assert.is(await lookup.member('advisories', 'GHSA-0000-0000-0000'), null)
  const file = fileOf(manifest, 'index', 'advisories')
  let refused = 0
  for (let at = 0; at < file.size; at += 13) {
    const changed = objectsWithFlip(file, at, 1 << (at % 8))
    for (const id of ids.slice(at % 7, (at % 7) + 3)) {
      const found = await openHashedLookup(manifest, changed, openTables(changed))
        .member('advisories', id)
        .then(
          (member) => member?.key ?? null,
          ({ name }) => name,
        )
      assert.ok(found === id || found === 'SnapshotError', `${id}, byte ${at}: ${found}`)
      if (found !== id) refused++
    }
  }
  assert.ok(refused > 10, `${refused}`)
})

test.after(async () => {
  await local.close()
  await web.close()
  await world.close()
  good.remove()
})

test.run()
