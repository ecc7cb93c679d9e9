/** The bundle for browsers, run by Node: no module of Node is left in it, and it answers as the reader in Node. */

import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { listCves } from '../../../corpus/answers/routes/cves.ts'
import { bundleReader } from '../../../corpus/reader/browser/bundle.ts'
import type * as browser from '../../../corpus/reader/browser/reader.ts'
import { type CveSummary, openReader, type Reader } from '../../../corpus/reader/reader.ts'
import { LIST_NAMES } from '../../../corpus/snapshot/cursor/lists.ts'
import { pointerPath, readCurrent } from '../../../corpus/snapshot/files/layout.ts'
import { makeKeyPair, readSigningKey, signPointer } from '../../../corpus/snapshot/files/signature.ts'
import { SECTION_NAMES } from '../../../corpus/snapshot/record/cve-pieces.ts'
import { all } from '../../support/all.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { advisoryIds, packageQuestions } from '../../support/package-questions.ts'
import { failed } from '../../support/refusal.ts'
import { sharedSample } from '../../support/samples.ts'
import { serveFolder } from '../../support/web-folder.ts'

/**
 * It has the routes of the API and their validation, without the schemas and the description of the API. Searches and the
 * comparison of versions are scripts of their own.
 */
const MOST_GZIP = 90_000

const folder = temporaryFolder('reader-browser')
const { dist } = await sharedSample('usual')
const { files, licences } = await bundleReader()
for (const [path, bytes] of files) writeFileSync(join(folder.path, path), bytes)
const file = join(folder.path, 'reader.js')
/** What a page loads at once: `reader.js` and what it imports. */
const initial = [...files].filter(([path]) => /^(reader|chunk-\w+)\.js$/.test(path)).map(([, bytes]) => bytes)
const code = Buffer.concat(initial).toString()
const { openReader: openInBrowser, ...bundled } = (await import(file)) as typeof browser
const local = await openReader(dist)
const web = await serveFolder(dist)
const whole = await serveFolder(dist, { ranges: false })

/** Pages and entries of each list, documents of CVEs, and products that a CPE name states. */
async function listsOf(reader: Pick<Reader, 'entries' | 'entry' | 'request'>, rows: CveSummary[]) {
  const request = (targets: readonly string[]) => Promise.all(targets.map((target) => reader.request(target)))
  const { data: vendors } = await reader.entries('vendors', { sort: 'name', limit: 5 })
  const { data: packages } = await reader.entries('packages', { limit: 3 })
  return {
    pages: await Promise.all(
      LIST_NAMES.filter((list) => list !== 'products').map((list) => reader.entries(list, { limit: 30 })),
    ),
    vendors: await Promise.all(vendors.map(({ slug }) => reader.entry('vendors', slug))),
    products: await reader.entries('products', { vendor: vendors[0]!.slug }),
    packages: await Promise.all(
      packages.map(({ ecosystem, name }) => reader.entry('packages', `${ecosystem}/${name}`)),
    ),
    weakness: [await reader.entry('cwes', 'CWE-79'), await reader.entry('cwes', 999_999)],
    documents: await request(
      rows.slice(0, 40).flatMap(({ cve_id: id }) => [`/cves/${id}/advisory`, `/cves/${id}/reports?full=true`]),
    ),
    others: await request([
      '/cwes/79/cves?scope=any',
      '/cnas/stats',
      '/reports/types?include_schema=true',
      '/affected?cpe=cpe:2.3:a:none:none:1:*:*:*:*:*:*:*',
      '/nothing',
    ]),
  }
}

test('the bundle imports nothing but SQLite, evaluates no text, and is small', () => {
  const loaded = [...code.matchAll(/\b(?:from|import\(?)"\.\/([^"]+)"/g)].map(([, path]) => path!)
  assert.not.match(code, listCves.description, 'the description of the API is left out')
  assert.ok(loaded.length > 0 && loaded.every((path) => files.has(path)), loaded.join())
  assert.ok([...files.keys()].some((path) => /^sqlite3-\w+\.wasm$/.test(path)))
  const rest = code.replaceAll(/\bimport(?:\{[^}]*\}from)?\(?"\.\/[^"]+"\)?/g, '')
  assert.not.match(rest, /node:|\brequire\(|\bimport\b\s*[({"'*]|\beval\(|new Function\b/)
  const { length } = gzipSync(code, { level: 9 })
  console.log(`# the reader for browsers has ${code.length} bytes, ${length} with gzip`)
  assert.ok(length < MOST_GZIP, `${length} bytes`)
})

test('the licences of the packages in it accompany it', () => {
  for (const name of ['@noble/hashes', 'fflate', 'jose', '@sqlite.org/sqlite-wasm'])
    assert.match(licences, new RegExp(`^${name}$`, 'm'))
  assert.is(licences.match(/Permission is hereby granted/g)?.length, 3)
})

test('records, rows, packages and advisories are those of the reader in Node, with and without ranges', async () => {
  for (const { url } of [web, whole]) {
    const reader = await openInBrowser(url)
    assert.equal([reader.snapshot, reader.ecosystems], [local.snapshot, local.ecosystems])
    const options = { include: SECTION_NAMES }
    const rows = await all(local.walk())
    for (const { cve_id } of rows.slice(0, 60))
      assert.equal(await reader.get(cve_id, options), await local.get(cve_id, options))
    assert.is(await reader.get('CVE-1999-9999'), null)
    assert.equal(await all(reader.walk()), rows)
    for (const options of [
      { sort: 'epss' },
      { kev: true, limit: 5 },
      { severity: 'high', sort: '-updated' },
    ] as const) {
      const page = await local.list(options)
      assert.equal(await reader.list(options), page)
      const cursor = page.pagination.next_cursor ?? undefined
      assert.equal(await reader.list({ ...options, cursor }), await local.list({ ...options, cursor }))
    }
    for (const question of packageQuestions(dist).filter((_, i) => i % 5 === 0)) {
      assert.equal(await reader.affected(question), await local.affected(question), JSON.stringify(question))
    }
    for (const id of advisoryIds(dist).slice(0, 40)) assert.equal(await reader.advisory(id), await local.advisory(id))
    assert.equal(await listsOf(reader, rows), await listsOf(local, rows))
    await reader.close()
  }
})

test('keys are checked, and every file against its digest', async () => {
  const [ours, theirs] = await Promise.all([makeKeyPair('EdDSA'), makeKeyPair('ES256')])
  const signed = join(folder.path, 'signed')
  cpSync(dist, signed, { recursive: true })
  const { pointer, manifest } = readCurrent(dist)
  const expires_at = new Date(Date.now() + 3_600_000).toISOString()
  const key = await readSigningKey(JSON.stringify(ours.privateKey), 'key')
  writeFileSync(pointerPath(signed), await signPointer({ ...pointer, expires_at }, [key]))
  const server = await serveFolder(signed)
  const keysOf = ({ publicKey }: typeof ours) => bundled.readTrustedKeys(JSON.stringify({ keys: [publicKey] }), 'keys')
  const reader = await openInBrowser(server.url, { keys: await keysOf(ours) })
  const questions = packageQuestions(dist).slice(0, 20)
  for (const question of questions) assert.equal(await reader.affected(question), await local.affected(question))
  assert.ok(server.asked.every(({ range }) => range === null))
  assert.is((await failed(openInBrowser(server.url, { keys: await keysOf(theirs) })))?.code, 'untrusted')
  // One bit of each package shard.
  const shards = new Set(manifest.files.filter(({ role }) => role === 'packages').map(({ sha256 }) => sha256))
  server.fault = ({ path }) => (shards.has(path.slice(-64)) ? { kind: 'corrupt', at: 3000 } : null)
  const damaged = await openInBrowser(server.url, { keys: await keysOf(ours) })
  assert.is((await failed(damaged.affected(questions[0]!)))?.code, 'digest')
  await Promise.all([reader.close(), damaged.close(), server.close()])
})

test('errors have the names and codes of the reader in Node', async () => {
  const reader = await openInBrowser(web.url)
  const error = await failed(reader.affected('pkg:npm'))
  assert.instance(error, TypeError)
  assert.match(error!.message, /^parameter 'purl' is not a package URL such as .*: 'pkg:npm', it has no name$/)
  assert.instance(await failed(reader.list({ cursor: 'abc' })), bundled.CursorError)
  const described = await failed(reader.request('/openapi.json'))
  assert.instance(described, TypeError)
  assert.match(described!.message, /ask a gateway for \/openapi\.json/)
  assert.instance(await failed(reader.affected({ purl: 'pkg:npm/a', name: 'a' } as never)), TypeError)
  assert.instance(await failed(openInBrowser('ftp://example.com/')), TypeError)
  assert.instance(await failed(openInBrowser('dist')), TypeError)
  const missing = await failed(openInBrowser(`${web.url}elsewhere/`))
  assert.equal([missing?.code, missing instanceof bundled.SnapshotError], ['missing', true])
  await reader.close()
  assert.match((await failed(reader.get('CVE-2024-0001')))!.message, 'is closed')
})

test.after(async () => {
  await local.close()
  await Promise.all([web.close(), whole.close()])
  folder.remove()
})

test.run()
