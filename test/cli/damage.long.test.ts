/** Snapshots damaged on disk: `verify` names the damage; `serve` rejects it or answers 500, never wrong data. */
import { cpSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { sha256 } from '../../corpus/runtime/digest.ts'
import { decodeIndex, idAt } from '../../corpus/snapshot/derive/index-table.ts'
import {
  fileOf,
  manifestPath,
  objectPath,
  pointerPath,
  readCurrent,
  readObject,
} from '../../corpus/snapshot/files/layout.ts'
import { encodeManifest, type FileEntry, ROLES, type Role } from '../../corpus/snapshot/files/manifest.ts'
import { encodePointer } from '../../corpus/snapshot/files/pointer.ts'
import { membersOf } from '../../corpus/snapshot/record/shard.ts'
import { CONTRACT, heldFetch } from '../support/contract.ts'
import { sampleDist, temporaryFolder } from '../support/dist.ts'
import { done, endAll, failed, gateway, start, stateOf, vulnshelf } from './command.ts'

const folder = temporaryFolder('damage')
const good = await sampleDist(folder.path, 200)
const keys = join(folder.path, 'keys')
const jwks = join(keys, 'jwks.json')
const token = done(await gateway(['token', '--keys', keys])).trim()
const { manifest, pointer } = readCurrent(good.dist)
const ask = heldFetch(CONTRACT)

/** Returns a copy of the intact snapshot. */
function copy(name: string): string {
  const dist = join(folder.path, name)
  cpSync(good.dist, dist, { recursive: true })
  return dist
}

function flipBit(path: string, at?: number): void {
  const bytes = readFileSync(path)
  bytes[at ?? bytes.length >> 1]! ^= 4
  writeFileSync(path, bytes)
}

/** Returns the last line that `verify` prints for an invalid snapshot. */
async function verifyLine(dist: string): Promise<string> {
  const { code, out, err } = await vulnshelf(['verify', dist, '--jobs', '0'])
  assert.is(code, 1)
  assert.match(out, /^snapshot [0-9a-f]{64} \(version 1\) has 1 fault\n/)
  assert.is(err.length, 1, err.join('\n'))
  return err[0]!
}

const serve = (dist: string, port = '0') => ['serve', dist, '--port', port, '--jwks', jwks]

interface Serving {
  get(path: string): Promise<{ status: number; text: string }>
  /** Stops the gateway and returns its log lines. */
  stop(): Promise<{ level: number; msg: string; [field: string]: unknown }[]>
}

async function serving(dist: string): Promise<Serving> {
  const child = start('vulnshelf-gateway', serve(dist))
  let log = ''
  child.stdout!.on('data', (text) => (log += text))
  const url = await new Promise<string>((resolve, reject) => {
    let err = ''
    child.stderr!.on('data', (text) => {
      err += text
      const found = /listening on (\S+)/.exec(err)?.[1]
      if (found) resolve(found)
    })
    child.on('close', () => reject(new Error(err)))
  })
  return {
    async get(path) {
      const answer = await ask(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } })
      return { status: answer.status, text: await answer.text() }
    },
    async stop() {
      const closed = new Promise((resolve) => child.on('close', resolve))
      child.kill('SIGTERM')
      await closed
      return log
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    },
  }
}

/** The files that the gateway checks before its first answer: data in memory, and the SQLite file. */
const CHECKED: readonly Role[] = ['about', 'epss', 'rejected', 'index', 'columns', 'orders', 'query']

for (const role of ROLES) {
  test(`a flipped bit in a file of role ${role}: verify names it${CHECKED.includes(role) ? ', serve refuses' : ''}`, async () => {
    const dist = copy(`flipped-${role}`)
    const file = fileOf(manifest, role)
    flipBit(objectPath(dist, file.sha256))
    const line = new RegExp(
      `file ${role} ${file.name} \\(object ${file.sha256}\\) does not have the digest it is named by$`,
    )
    assert.match(await verifyLine(dist), line)
    if (CHECKED.includes(role)) assert.match(failed(await gateway(serve(dist))), line)
  })
}

test('a missing file is named by verify, and serve does not start without it', async () => {
  for (const role of ['cve', 'pages', 'index'] as const) {
    const dist = copy(`missing-${role}`)
    const file = fileOf(manifest, role)
    rmSync(objectPath(dist, file.sha256))
    assert.match(
      await verifyLine(dist),
      new RegExp(`file ${role} ${file.name} \\(object ${file.sha256}\\) is missing$`),
    )
    assert.match(failed(await gateway(serve(dist))), / is missing$/)
  }
})

test('a manifest or pointer that is missing, cut or changed: every command says so, and touches nothing', async () => {
  const manifestOf = (dist: string) => manifestPath(dist, pointer.manifest.sha256)
  const cases: [name: string, spoil: (dist: string) => void, line: RegExp][] = [
    ['no-manifest', (dist) => rmSync(manifestOf(dist)), /^manifest [0-9a-f]{64} is missing$/],
    ['flipped-manifest', (dist) => flipBit(manifestOf(dist)), /^manifest [0-9a-f]{64} does not have the digest/],
    ['cut-manifest', (dist) => truncateSync(manifestOf(dist), 900), /^manifest [0-9a-f]{64} does not have the digest/],
    [
      'no-pointer',
      (dist) => rmSync(pointerPath(dist)),
      /holds no snapshot: latest\.json is missing; name a folder that /,
    ],
    ['cut-pointer', (dist) => truncateSync(pointerPath(dist), 60), /^latest\.json is no JSON: it begins with "/],
    ['empty-pointer', (dist) => truncateSync(pointerPath(dist), 0), /^latest\.json is no JSON: it begins with "/],
    [
      'other-pointer',
      (dist) => writeFileSync(pointerPath(dist), '{"format":1}'),
      /^latest\.json lacks what a pointer says$/,
    ],
    [
      'newer-pointer',
      (dist) => writeFileSync(pointerPath(dist), '{"format":2}'),
      /^latest\.json is of format 2; known is 1$/,
    ],
  ]
  for (const [name, spoil, line] of cases) {
    const dist = copy(name)
    spoil(dist)
    const before = stateOf(dist)
    for (const args of [
      ['verify', dist],
      ['show', dist],
      ['prune', dist, '--keep', '1'],
    ]) {
      assert.match(failed(await vulnshelf(args)), line, `${name}: ${args[0]}`)
    }
    assert.match(failed(await gateway(serve(dist))), line, `${name}: serve`)
    assert.equal(stateOf(dist), before, name)
  }
})

test('a build into a folder with a damaged pointer stops; one with a damaged manifest is built anew', async () => {
  const build = (dist: string) => vulnshelf(['build', '--corpus', good.corpus, '--out', dist])
  const cut = copy('build-cut-pointer')
  truncateSync(pointerPath(cut), 60)
  const before = stateOf(cut)
  assert.match(
    failed(await build(cut)),
    /build-cut-pointer is damaged: latest\.json is no JSON: .*; restore it, or build into/,
  )
  assert.equal(stateOf(cut), { ...before, lock: before.lock })
  const flipped = copy('build-flipped-manifest')
  flipBit(manifestPath(flipped, pointer.manifest.sha256))
  const { code, out, err } = await build(flipped)
  assert.is(code, 0, err.join('\n'))
  assert.match(out, new RegExp(`^snapshot ${manifest.snapshot} activated as version 2\n`))
  assert.match(err.join('\n'), /cannot be built upon, so all of it is made anew: manifest/)
  done(await vulnshelf(['verify', flipped]))
})

test('a rotten segment is a 500 and a line in the log, for that CVE only; everything else is answered as it is', async () => {
  const file = manifest.files.find((one) => one.role === 'cve' && one.count > 2) as FileEntry
  const members = [...membersOf(readObject(good.dist, file))]
  // A member with every part that is requested below.
  const rotten = members.find(({ segments }) => [1, 2, 3, 4].every((kind) => segments.some((one) => one.kind === kind)))
  const other = members.find((member) => member !== rotten)
  const dist = copy('rotten-segment')
  for (const segment of rotten!.segments) {
    flipBit(objectPath(dist, file.sha256), rotten!.at + segment.offset + (segment.length >> 1))
  }
  const [sound, served] = [await serving(good.dist), await serving(dist)]
  for (const path of ['', '?include=affected,references,cvss', '/cvss', '/affected', '/references']) {
    const { status, text } = await served.get(`/cves/${rotten!.key}${path}`)
    assert.is(status, 500, path)
    assert.equal(JSON.parse(text), { error: 'internal', message: 'something went wrong on our side' })
    assert.equal(await served.get(`/cves/${other!.key}${path}`), await sound.get(`/cves/${other!.key}${path}`), path)
  }
  const { status } = await served.get(`/cves?ids=${rotten!.key}`)
  assert.is(status, 500)
  assert.equal(await served.get('/cves?limit=50'), await sound.get('/cves?limit=50'))
  await sound.stop()
  const errors = (await served.stop()).filter(({ level }) => level >= 50)
  const said = errors.map((line) => JSON.stringify(line))
  assert.ok(
    said.some((line) => line.includes('a segment is damaged') && line.includes(rotten!.key)),
    said.join('\n'),
  )
  assert.ok(
    said.some((line) => line.includes(`object ${file.sha256}`)),
    'the check of the big files names the shard',
  )
})

test('a rotten page is a 500, and the rows it holds are still answered one by one', async () => {
  const dist = copy('rotten-page')
  const file = fileOf(manifest, 'pages', 'published')
  const [page] = [...membersOf(readObject(good.dist, file))]
  const { offset, length } = page!.segments[0]!
  flipBit(objectPath(dist, file.sha256), page!.at + offset + (length >> 1))
  const index = decodeIndex(readObject(dist, fileOf(manifest, 'index')))
  const served = await serving(dist)
  assert.is((await served.get('/cves')).status, 500)
  assert.is((await served.get('/cves?sort=published')).status, 200)
  assert.is((await served.get(`/cves/${idAt(index, 0)}`)).status, 200)
  await served.stop()
})

test('a query.db with a view that never ends: verify names it, and serve refuses it', async () => {
  const dist = copy('endless-query')
  const file = fileOf(manifest, 'query')
  const made = join(folder.path, 'endless.db')
  writeFileSync(made, readObject(good.dist, file))
  const database = new Database(made)
  database.exec('ALTER TABLE sets RENAME TO others')
  const endless = '(WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n)'
  database.exec(`CREATE VIEW sets AS SELECT key, ${endless} AS crc, bytes FROM others`)
  database.close()
  const bytes = readFileSync(made)
  const forged = { ...file, sha256: sha256(bytes), size: bytes.length }
  mkdirSync(dirname(objectPath(dist, forged.sha256)), { recursive: true })
  writeFileSync(objectPath(dist, forged.sha256), bytes)
  const manifestBytes = encodeManifest({
    ...manifest,
    files: manifest.files.map((one) => (one === file ? forged : one)),
  })
  const about = { sha256: sha256(manifestBytes), size: manifestBytes.length }
  writeFileSync(manifestPath(dist, about.sha256), manifestBytes)
  writeFileSync(pointerPath(dist), encodePointer({ ...pointer, manifest: about }))
  const line = /query\.db is refused: it must have exactly the tables sets, texts, items, grams, bests/
  assert.match(await verifyLine(dist), line)
  assert.match(failed(await gateway(serve(dist))), line)
})

test('a port that is taken is told in one line', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const { out: _log, ...outcome } = await gateway(serve(good.dist, String(port)))
  assert.is(
    failed({ ...outcome, out: '' }),
    `port ${port} on 127.0.0.1 is already in use; --port and --metrics-port (VULNSHELF_PORT, VULNSHELF_METRICS_PORT) name others`,
  )
  server.close()
})

test.after(() => {
  endAll()
  folder.remove()
})

test.run()
