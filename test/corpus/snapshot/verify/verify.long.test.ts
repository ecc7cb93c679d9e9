/** Damage to whole files, also with recomputed checksums: `verify` reports a file that contradicts the others. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Stats } from '../../../../corpus/model/stats.ts'
import { sha256 } from '../../../../corpus/runtime/digest.ts'
import { gzipFile } from '../../../../corpus/snapshot/codec/deflate.ts'
import { gunzipFile } from '../../../../corpus/snapshot/codec/inflate.ts'
import { plainBytes } from '../../../../corpus/snapshot/codec/segment-bytes.ts'
import { decodeTable, encodeTable, type Table, tableContent } from '../../../../corpus/snapshot/codec/table.ts'
import { decodeIndex, encodeIndex, type Index } from '../../../../corpus/snapshot/derive/index-table.ts'
import type { About } from '../../../../corpus/snapshot/files/about.ts'
import { fileOf, objectPath, pointerPath } from '../../../../corpus/snapshot/files/layout.ts'
import type { Role } from '../../../../corpus/snapshot/files/manifest.ts'
import { encodePointer } from '../../../../corpus/snapshot/files/pointer.ts'
import { queryDigest } from '../../../../corpus/snapshot/query/digest.ts'
import { appendPageCrcs } from '../../../../corpus/snapshot/query/page-crcs.ts'
import { checkQuerySchema } from '../../../../corpus/snapshot/query/schema.ts'
import { decodeEpss, type EpssColumns, encodeEpss, NO_EPSS } from '../../../../corpus/snapshot/record/epss.ts'
import { encodeMember } from '../../../../corpus/snapshot/record/member.ts'
import { membersOf } from '../../../../corpus/snapshot/record/shard.ts'
import { verify } from '../../../../corpus/snapshot/verify/verify.ts'
import { CONTRADICTS, contentOf, goodSnapshot, oneFault, someFileOf } from '../forgery.ts'

const good = await goodSnapshot('verify')
const { manifest, pointer, bytesOf, copy, faultsAfter, forge, activate } = good
const shard = manifest.files.find(({ role, count }) => role === 'cve' && count > 2)!

test('the snapshot of a build has no faults, with threads as without', async () => {
  assert.equal((await verify(good.dist)).faults, [])
  assert.equal((await verify(good.dist, { jobs: 2 })).faults, [])
})

function forgeIndex(dist: string, change: (index: Index) => void): void {
  const index = decodeIndex(Buffer.from(bytesOf('index', 'cve')))
  change(index)
  const bytes = encodeIndex(index)
  forge(dist, fileOf(manifest, 'index', 'cve'), bytes, tableContent(decodeTable(bytes)))
}

test('an index that leads elsewhere', async () => {
  for (const name of ['at', 'length', 'coreSegments', 'numberLow', 'sources'] as const) {
    const faults = await faultsAfter((dist) =>
      forgeIndex(dist, (index) => {
        index[name][3]! ^= 1
      }),
    )
    oneFault(faults, 'index', new RegExp(`does not match the files it is derived from \\(${name}\\)$`))
  }
})

test('columns that say something else of a CVE', async () => {
  const file = fileOf(manifest, 'columns')
  const { about, columns } = decodeTable(Buffer.from(bytesOf('columns')))
  for (const name of Object.keys(columns)) {
    if (name.endsWith('.starts')) continue
    const changed = columns[name]!.slice()
    if (changed.length === 0) continue
    changed[0] = changed[0] === 1 ? 0 : 1
    const bytes = encodeTable({ about, columns: { ...columns, [name]: changed } })
    const faults = await faultsAfter((dist) => forge(dist, file, bytes, sha256(bytes)))
    oneFault(faults, 'columns', new RegExp(`does not match the files it is derived from \\(${name}\\)$`))
  }
})

test('aliases, EPSS scores in the index, page starts and orders that other files contradict', async () => {
  const changes: [Role, string, (table: Table) => unknown][] = [
    ['aliases', 'cve', ({ columns }) => columns.setCrc!.fill(1, 0, 1)],
    ['index', 'cve', ({ columns }) => columns.score!.fill(7, 1, 2)],
    ['orders', 'epss', ({ columns }) => columns.key!.fill(5, 0, 1)],
    ['orders', 'cvss', ({ columns }) => columns.numberLow!.fill(5, 0, 1)],
    ['orders', 'updated', ({ columns }) => columns.pagesAt!.fill(5, 0, 1)],
  ]
  await good.expectTableFaults(...changes.map(([role, name, change]) => ({ role, name, change })))
  const another: typeof changes = [
    // No permutation.
    ['orders', 'cvss', ({ columns }) => columns.ordinals!.copyWithin(1, 0, 1)],
    ['orders', 'epss', ({ columns }) => columns.ordinals!.subarray(4, 6).reverse()],
    [
      'orders',
      'updated',
      ({ about }) => {
        about.keyed = (about.keyed as number) - 1
      },
    ],
  ]
  const contradicts = new RegExp(`${CONTRADICTS.source}|the page starts are damaged`)
  for (const [role, name, change] of another) {
    await good.expectTableFaults({ role, name, change, line: contradicts })
  }
})

test('figures that say something else, are no object, or are not JSON', async () => {
  const file = fileOf(manifest, 'stats')
  const forged = (text: string) =>
    faultsAfter((dist) => forge(dist, file, gzipFile(Buffer.from(text)), sha256(Buffer.from(text))))
  const stats = JSON.parse(gunzipFile('stats', bytesOf('stats')).toString()) as Stats
  const another = JSON.stringify({ ...stats, totals: { ...stats.totals, kev: stats.totals.kev + 1 } })
  oneFault(await forged(another), 'stats', CONTRADICTS)
  oneFault(await forged('[]'), 'stats', /the figures of the snapshot are damaged$/)
  oneFault(await forged('{"totals":'), 'stats', /the figures of the snapshot are not JSON$/)
})

function forgeEpss(dist: string, change: (epss: EpssColumns) => EpssColumns): void {
  const file = fileOf(manifest, 'epss')
  const epss = change(decodeEpss(gunzipFile('epss', bytesOf('epss'))))
  const plain = encodeEpss(epss)
  forge(dist, file, gzipFile(plain), sha256(plain), epss.scores.length)
}

test('EPSS with a row too few, half a value, more than certainty, or another score', async () => {
  const oneLess = ({ scores, percentiles, ...epss }: EpssColumns) => ({
    ...epss,
    scores: scores.slice(1),
    percentiles: percentiles.slice(1),
  })
  oneFault(await faultsAfter((dist) => forgeEpss(dist, oneLess)), 'epss', /has \d+ rows for \d+ CVEs$/)
  const withScore = (score: number) => (epss: EpssColumns) => {
    const row = epss.scores.findIndex((one) => one !== NO_EPSS)
    return { ...epss, scores: epss.scores.with(row, score) }
  }
  for (const score of [NO_EPSS, 1_000_000_001]) {
    oneFault(
      await faultsAfter((dist) => forgeEpss(dist, withScore(score))),
      'epss',
      /no valid probability and percentile in row/,
    )
  }
  const stale = await faultsAfter((dist) => forgeEpss(dist, withScore(123_456_789)))
  const stalePages = stale.filter((line) => line.startsWith('file pages ') && CONTRADICTS.test(line))
  assert.is(stalePages.length, 6, 'the pages still hold the EPSS that was')
})

test('pages with their rows in another order, or with one row less', async () => {
  const file = fileOf(manifest, 'pages', 'cvss')
  const bytes = bytesOf('pages', 'cvss')
  const [page, ...others] = [...membersOf(bytes)]
  const texts = page!.segments.map((segment) => plainBytes(bytes, segment).toString())
  const rest = others.map(({ at, length }) => bytes.subarray(at, at + length))
  const repaged = (changed: string[]) => {
    const parts = changed.flatMap((text, i) => [
      Buffer.from(i === 0 ? '{"rows":[' : ','),
      { kind: 64, count: (JSON.parse(`[${text}]`) as unknown[]).length, plain: Buffer.from(text) },
    ])
    return Buffer.concat([encodeMember(page!.key, [...parts, Buffer.from(']}\n')]).bytes, ...rest])
  }
  const rows = JSON.parse(`[${texts[0]}]`) as unknown[]
  const text = (some: unknown[]) => JSON.stringify(some).slice(1, -1)
  assert.is(text(rows), texts[0], 'rows survive being read and written')
  const damaged = [text([rows[1], rows[0], ...rows.slice(2)]), text(rows.slice(1))]
  for (const first of damaged) {
    const forged = repaged([first, ...texts.slice(1)])
    // Later members can have other offsets now, so the orders can contradict too.
    const faults = await faultsAfter((dist) => forge(dist, file, forged, contentOf(forged)))
    assert.ok(
      faults.some((line) => line.startsWith('file pages cvss ') && CONTRADICTS.test(line)),
      faults.join('\n'),
    )
  }
})

test('a query.db with other entries or another index', async () => {
  const file = fileOf(manifest, 'query')
  for (const change of [
    "UPDATE entries SET text = text || 'x' WHERE n = (SELECT max(n) FROM entries)",
    "UPDATE entries SET label = ifnull(label, '') || 'x' WHERE n = (SELECT max(n) FROM entries)",
    "INSERT INTO cve_index(rowid, tokens) VALUES (16777216, 'forged')",
    "INSERT INTO words(rowid, tokens) VALUES (16777216, 'forged')",
  ]) {
    const path = join(good.folder, 'forged.db')
    const bytes = bytesOf('query')
    const { pageSize, pages } = checkQuerySchema(bytes)
    writeFileSync(path, bytes.subarray(0, pageSize * pages))
    const database = new Database(path)
    database.exec(change)
    const { content, count } = queryDigest(database)
    database.close()
    appendPageCrcs(path)
    const faults = await faultsAfter((dist) => forge(dist, file, readFileSync(path), content, count))
    oneFault(faults, 'query', CONTRADICTS)
  }
})

test('bytes that are none of what their role says, under digests that fit', async () => {
  const junk = Buffer.from('neither gzip nor table nor database, whatever its digests say '.repeat(300))
  for (const role of ['about', 'epss', 'rejected', 'index', 'columns', 'orders', 'query', 'cve', 'pages'] as const) {
    const file = someFileOf(manifest, role)
    for (const bytes of [junk, gzipFile(junk), gzipFile(Buffer.from('null'))]) {
      const faults = await faultsAfter((dist) => forge(dist, file, bytes, sha256(bytes)))
      oneFault(faults, role, /./)
    }
  }
})

test('counts in the manifest and in what the snapshot says of itself', async () => {
  for (const role of ['cve', 'pages', 'index', 'epss', 'rejected', 'query'] as const) {
    const file = someFileOf(manifest, role)
    const files = manifest.files.map((one) => (one === file ? { ...one, count: one.count + 1 } : one))
    const faults = await faultsAfter((dist) => activate(dist, files))
    oneFault(faults, role, /it contains \d+ items, but the manifest states \d+$/)
  }
  const faultsOfAbout = (change: (about: About) => void) => {
    const about = JSON.parse(gunzipFile('about', bytesOf('about')).toString())
    change(about)
    const plain = Buffer.from(JSON.stringify(about))
    return faultsAfter((dist) => forge(dist, fileOf(manifest, 'about'), gzipFile(plain), sha256(plain)))
  }
  for (const name of ['cves', 'vendors', 'products']) {
    const faults = await faultsOfAbout(({ counts }) => counts[name]!++)
    oneFault(faults, 'about', new RegExp(`counts \\d+ ${name}, but there are \\d+$`))
  }
  oneFault(
    await faultsOfAbout((about) => Object.assign(about, { ecosystems: [...about.ecosystems, 'X'] })),
    'about',
    /states the ecosystems .*"X".*, but there/,
  )
  oneFault(
    await faultsOfAbout(({ releases }) => Object.assign(releases, { Debian: ['99'] })),
    'about',
    /states the ecosystems .*"Debian":\["99"\].*, but there/,
  )
})

test('a rejected id with a record, or that is no id', async () => {
  const file = fileOf(manifest, 'rejected')
  const rejected = JSON.parse(gunzipFile('rejected', bytesOf('rejected')).toString()) as Record<string, string | null>
  const recordId = [...membersOf(bytesOf('cve', someFileOf(manifest, 'cve').name))][0]!.key
  const cases: [Record<string, unknown>, RegExp][] = [
    [{ [recordId]: null }, /which has a record$/],
    [{ 'CVE-x': null }, /which is not a CVE id$/],
    [{ ...rejected, [Object.keys(rejected)[0]!]: 'yesterday' }, /have no valid entry for CVE-/],
  ]
  for (const [value, line] of cases) {
    const plain = Buffer.from(JSON.stringify(value))
    const count = Object.keys(value).length
    const faults = await faultsAfter((dist) => forge(dist, file, gzipFile(plain), sha256(plain), count))
    oneFault(faults, 'rejected', line)
  }
})

test('a role that is missing, one that nothing derives, and a wrong mark of what is derived', async () => {
  const without = manifest.files.filter(({ role }) => role !== 'orders')
  oneFault(await faultsAfter((dist) => activate(dist, without)), null, /lists no file orders published: /)
  const pages = someFileOf(manifest, 'pages')
  const more = [...manifest.files, { ...pages, name: 'severity' }]
  oneFault(await faultsAfter((dist) => activate(dist, more)), 'pages', /is marked as derived, but is unknown$/)
  const marked = manifest.files.map((file) => (file === shard ? { ...file, derived: true } : file))
  oneFault(
    await faultsAfter((dist) => activate(dist, marked)),
    'cve',
    /the manifest states derived: true, which is wrong for this role$/,
  )
})

test('a pointer that states a different size or time of its manifest', async () => {
  for (const other of [{ manifest: { ...pointer.manifest, size: 1 } }, { created_at: '2020-01-01T00:00:00.000Z' }]) {
    const faults = await faultsAfter((dist) =>
      writeFileSync(pointerPath(dist), encodePointer({ ...pointer, ...other })),
    )
    oneFault(faults, null, /^latest\.json states a different size or time/)
  }
})

test('one bit anywhere in any file', async () => {
  const dist = copy()
  // A list of a catalog without a feed is an empty file.
  const files = manifest.files.filter(({ size }) => size > 0)
  for (const file of files) {
    const path = objectPath(dist, file.sha256)
    const bytes = readFileSync(path)
    const damaged = Buffer.from(bytes)
    damaged[(file.size * 7919) % file.size]! ^= 0x10
    writeFileSync(path, damaged)
  }
  assert.is((await verify(dist)).faults.length, files.length)
})

test.after(() => good.remove())

test.run()
