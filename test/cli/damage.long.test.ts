/** Snapshots that rotted on disk: `verify` names what is damaged, `serve` refuses it or answers 500, never other data. */
import { cpSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { decodeIndex, idAt } from '../../corpus/snapshot/derive/index-table.ts'
import {
  fileOf,
  manifestPath,
  objectPath,
  pointerPath,
  readCurrent,
  readObject,
} from '../../corpus/snapshot/files/layout.ts'
import { type FileEntry, ROLES, type Role } from '../../corpus/snapshot/files/manifest.ts'
import { membersOf } from '../../corpus/snapshot/record/shard.ts'
import { someFileOf } from '../corpus/snapshot/forgery.ts'
import { CONTRACT, heldFetch } from '../support/contract.ts'
import { temporaryFolder } from '../support/dist.ts'
import { flipBit } from '../support/flip-bit.ts'
import { sharedSample } from '../support/samples.ts'
import { serving } from '../support/serving.ts'
import { done, endAll, failed, gateway, stateOf, vulnshelf } from './command.ts'

const folder = temporaryFolder('damage')
const good = await sharedSample('small')
const keys = join(folder.path, 'keys')
const jwks = join(keys, 'jwks.json')
done(await gateway(['token', '--keys', keys]))
const { manifest, pointer } = readCurrent(good.dist)
const ask = heldFetch(CONTRACT)

/** Returns a copy of the intact snapshot. */
function copy(name: string): string {
  const dist = join(folder.path, name)
  cpSync(good.dist, dist, { recursive: true })
  return dist
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

/** Serves `dist`; `get` holds every answer against its description. */
async function served(dist: string) {
  const process = await serving(folder.path, dist, [])
  return {
    ...process,
    async get(path: string) {
      const answer = await ask(`${process.url}/api/v1${path}`, {
        headers: { authorization: `Bearer ${process.token}` },
      })
      return { status: answer.status, text: await answer.text() }
    },
  }
}

/** The files that the gateway checks before its first answer: data in memory, and the SQLite file. */
const CHECKED: readonly Role[] = ['about', 'rejected', 'index', 'columns', 'orders', 'query']

for (const role of ROLES) {
  test(`a flipped bit in a file of role ${role}: verify names it${CHECKED.includes(role) ? ', serve refuses' : ''}`, async () => {
    const dist = copy(`flipped-${role}`)
    const file = someFileOf(manifest, role)
    flipBit(objectPath(dist, file.sha256))
    const line = new RegExp(
      `file ${role} ${file.name} \\(object ${file.sha256}\\) is damaged: its digest differs from its name$`,
    )
    assert.match(await verifyLine(dist), line)
    if (CHECKED.includes(role)) assert.match(failed(await gateway(serve(dist))), line)
  })
}

test('verify names a missing file, and serve does not start', async () => {
  for (const role of ['cve', 'pages', 'index'] as const) {
    const dist = copy(`missing-${role}`)
    const file = someFileOf(manifest, role)
    rmSync(objectPath(dist, file.sha256))
    assert.match(
      await verifyLine(dist),
      new RegExp(`file ${role} ${file.name} \\(object ${file.sha256}\\) is missing$`),
    )
    assert.match(failed(await gateway(serve(dist))), / is missing$/)
  }
})

test('every command reports a missing, cut or changed manifest or pointer, and writes nothing', async () => {
  const manifestOf = (dist: string) => manifestPath(dist, pointer.manifest.sha256)
  const cases: [name: string, spoil: (dist: string) => void, line: RegExp][] = [
    ['no-manifest', (dist) => rmSync(manifestOf(dist)), /^manifest [0-9a-f]{64} is missing$/],
    ['flipped-manifest', (dist) => flipBit(manifestOf(dist)), /^manifest [0-9a-f]{64} is damaged: its digest differs/],
    [
      'cut-manifest',
      (dist) => truncateSync(manifestOf(dist), 900),
      /^manifest [0-9a-f]{64} is damaged: its digest differs/,
    ],
    [
      'no-pointer',
      (dist) => rmSync(pointerPath(dist)),
      /contains no snapshot: latest\.json is missing; use a folder that /,
    ],
    ['cut-pointer', (dist) => truncateSync(pointerPath(dist), 60), /^latest\.json is not JSON: it begins with "/],
    ['empty-pointer', (dist) => truncateSync(pointerPath(dist), 0), /^latest\.json is not JSON: it begins with "/],
    [
      'other-pointer',
      (dist) => writeFileSync(pointerPath(dist), '{"format":1}'),
      /^latest\.json lacks required fields of a pointer$/,
    ],
    [
      'newer-pointer',
      (dist) => writeFileSync(pointerPath(dist), '{"format":2}'),
      /^latest\.json has format 2; this program requires 1$/,
    ],
  ]
  for (const [name, spoil, line] of cases) {
    const dist = copy(name)
    spoil(dist)
    const before = stateOf(dist)
    for (const args of [
      ['verify', dist],
      ['show', dist],
      ['prune', dist, '--keep-last', '1'],
    ]) {
      assert.match(failed(await vulnshelf(args)), line, `${name}: ${args[0]}`)
    }
    assert.match(failed(await gateway(serve(dist))), line, `${name}: serve`)
    assert.equal(stateOf(dist), before, name)
  }
})

test('a build stops at a damaged pointer; with a damaged manifest it builds everything again', async () => {
  const build = (dist: string) => vulnshelf(['build', '--corpus', good.corpus, '--out', dist])
  const cut = copy('build-cut-pointer')
  truncateSync(pointerPath(cut), 60)
  const before = stateOf(cut)
  assert.match(
    failed(await build(cut)),
    /build-cut-pointer is damaged: latest\.json is not JSON: .*; restore it, or build into/,
  )
  assert.equal(stateOf(cut), { ...before, lock: before.lock })
  const flipped = copy('build-flipped-manifest')
  flipBit(manifestPath(flipped, pointer.manifest.sha256))
  const { code, out, err } = await build(flipped)
  assert.is(code, 0, err.join('\n'))
  assert.match(out, new RegExp(`^snapshot ${manifest.snapshot} activated as version 2\n`))
  assert.match(err.join('\n'), /is unusable as a base; building everything again: manifest/)
  done(await vulnshelf(['verify', flipped]))
})

test('a damaged segment gives 500 and a log line for that CVE only; other answers are unchanged', async () => {
  const file = manifest.files.find((one) => one.role === 'cve' && one.count > 2) as FileEntry
  const members = [...membersOf(readObject(good.dist, file))]
  // A member with every part that is requested below.
  const rotten = members.find(({ segments }) => [1, 2, 3, 4].every((kind) => segments.some((one) => one.kind === kind)))
  const other = members.find((member) => member !== rotten)
  const dist = copy('rotten-segment')
  for (const segment of rotten!.segments) {
    flipBit(objectPath(dist, file.sha256), rotten!.at + segment.offset + (segment.length >> 1))
  }
  const [sound, rotting] = [await served(good.dist), await served(dist)]
  for (const path of ['', '?include=affected,references,cvss', '/cvss', '/affected', '/references']) {
    const { status, text } = await rotting.get(`/cves/${rotten!.key}${path}`)
    assert.is(status, 500, path)
    assert.equal(JSON.parse(text), { error: 'internal', message: 'internal error' })
    assert.equal(await rotting.get(`/cves/${other!.key}${path}`), await sound.get(`/cves/${other!.key}${path}`), path)
  }
  const { status } = await rotting.get(`/cves?ids=${rotten!.key}`)
  assert.is(status, 500)
  assert.equal(await rotting.get('/cves?limit=50'), await sound.get('/cves?limit=50'))
  await sound.stop()
  // The check of the big files ends after the first answers.
  const namesShard = (line: object) => JSON.stringify(line).includes(`object ${file.sha256}`)
  await rotting.logged(namesShard)
  const errors = (await rotting.stop()).log.filter(({ level }) => Number(level) >= 50)
  const said = errors.map((line) => JSON.stringify(line))
  assert.ok(
    said.some((line) => line.includes('a segment is damaged') && line.includes(rotten!.key)),
    said.join('\n'),
  )
  assert.ok(errors.some(namesShard), 'the check of the big files names the shard')
})

test('a damaged page gives 500; its rows are still served one by one', async () => {
  const dist = copy('rotten-page')
  const file = fileOf(manifest, 'pages', 'published')
  const [page] = [...membersOf(readObject(good.dist, file))]
  const { offset, length } = page!.segments[0]!
  flipBit(objectPath(dist, file.sha256), page!.at + offset + (length >> 1))
  const index = decodeIndex(readObject(dist, fileOf(manifest, 'index', 'cve')))
  const rotting = await served(dist)
  assert.is((await rotting.get('/cves')).status, 500)
  assert.is((await rotting.get('/cves?sort=published')).status, 200)
  assert.is((await rotting.get(`/cves/${idAt(index, 0)}`)).status, 200)
  await rotting.stop()
})

test.after(() => {
  endAll()
  folder.remove()
})

test.run()
