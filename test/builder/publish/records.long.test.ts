/** Record files of a published folder: the records of the API without EPSS, kept up to date night by night. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { publish } from '../../../builder/publish/publish.ts'
import { writeSite } from '../../../builder/site/site.ts'
import { noProgress } from '../../../corpus/command/progress.ts'
import type { Explorer } from '../../../corpus/explorer/explorer.ts'
import { openReader } from '../../../corpus/reader/reader.ts'
import { sha256 } from '../../../corpus/runtime/digest.ts'
import {
  changesBetween,
  decodeIndex,
  encodeManifest,
  encodePointer,
  fileOf,
  idAt,
  manifestPath,
  objectPath,
  pointerPath,
  readCurrent,
  readObject,
  SECTION_NAMES,
} from '../../../corpus/snapshot/index.ts'
import type { NetworkEffects } from '../../../corpus/transfer/network.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { Killed, killedEffects } from '../../support/killed-effects.ts'
import { openWorld } from '../../support/publisher.ts'
import { failed } from '../../support/refusal.ts'
import { sampleNights, sharedSample } from '../../support/samples.ts'

const test = suite('record files')
const folder = temporaryFolder('records')
const world = openWorld()
const { first, second, third } = await sampleNights()
let count = 0
const newFolder = () => join(folder.path, `target-${count++}`)

test.after(async () => {
  await world.close()
  folder.remove()
})

const run = (dist: string, to: string, records = true, effects: NetworkEffects = world.effects) =>
  publish({ dist, to, records, parallel: 1 }, effects, noProgress)
const indexOf = (dist: string) => decodeIndex(readObject(dist, fileOf(readCurrent(dist).manifest, 'index')))
const idsOf = (dist: string) => {
  const index = indexOf(dist)
  return Array.from({ length: index.count }, (_, row) => idAt(index, row))
}

/** The bytes of each record file, by path. */
function recordsIn(target: string): Map<string, string> {
  const names = readdirSync(join(target, 'cves'), { recursive: true }) as string[]
  return new Map(
    names
      .filter((name) => name.endsWith('.gz'))
      .sort()
      .map((name) => [name, readFileSync(join(target, 'cves', name), 'hex')]),
  )
}
const jsonAt = (target: string, path: string) => JSON.parse(gunzipSync(readFileSync(join(target, path))).toString())

test('each record is that of the API with all sections, and its scores are in the file of its block', async () => {
  const { dist } = await sharedSample('usual')
  const to = newFolder()
  const { records } = await run(dist, to)
  const reader = await openReader(dist)
  const ids = idsOf(dist)
  const include = SECTION_NAMES.filter((name) => name !== 'epss').join(',')
  let scored = 0
  for (const id of ids) {
    const answer = await reader.request(`/cves/${id}?include=${include}`)
    const { epss, ...record } = JSON.parse(answer.body)
    assert.equal(jsonAt(to, `cves/${id}.json.gz`), record, id)
    assert.equal(Object.keys(jsonAt(to, `cves/${id}.json.gz`)), Object.keys(record), id)
    const { date, scores } = jsonAt(to, `cves/epss/${id.slice(4, 8)}-${id.slice(9, -3)}xxx.json.gz`)
    const [score = null, percentile = null] = scores[id] ?? []
    assert.equal({ score, percentile, date: score === null ? null : date }, epss, id)
    if (score !== null) scored++
  }
  await reader.close()
  assert.ok(ids.length > 300 && scored > 100)
  assert.equal(
    [records!.files, records!.written.files, recordsIn(to).size],
    [records!.files, records!.files, records!.files],
  )
  assert.is([...recordsIn(to).keys()].filter((name) => name.startsWith('CVE-')).length, ids.length)
})

test('the next night writes the files of changed records and of scores, and no other', async () => {
  const to = newFolder()
  await run(first, to)
  const before = recordsIn(to)
  const inodes = new Map([...before.keys()].map((name) => [name, statSync(join(to, 'cves', name)).ino]))
  // Without the option, files that are there are kept up to date.
  const { records } = await run(second, to, false)
  const fresh = newFolder()
  await run(second, fresh)
  const after = recordsIn(to)
  assert.equal(after, recordsIn(fresh))
  const changes = changesBetween(indexOf(first), indexOf(second))
  const expected = changes.filter(({ newRow }) => newRow >= 0).map(({ id }) => `${id}.json.gz`)
  assert.ok(expected.length > 0 && expected.length < before.size / 2)
  const written = [...after.keys()].filter((name) => statSync(join(to, 'cves', name)).ino !== inodes.get(name))
  assert.equal(written.filter((name) => name.startsWith('CVE-')).sort(), expected.sort())
  assert.equal(
    [...after].filter(([name, bytes]) => before.get(name) !== bytes && !written.includes(name)),
    [],
  )
  assert.is(records!.written.files, written.length)
  const again = await run(second, to, false)
  assert.equal([again.records!.written.files, again.records!.removed], [0, 0])
})

test('a run that is killed anywhere leaves what the run of a later night completes', async () => {
  const base = newFolder()
  await run(first, base)
  await run(second, base, false, { ...world.effects })
  const kills = async (to: string, step?: number) => {
    const { effects: disk, steps } = killedEffects(step)
    const { grow, now, log, sleep, random, request } = world.effects
    await run(third, to, false, {
      ...disk,
      now,
      log,
      sleep,
      random,
      request,
      async grow(path, offset) {
        await disk.mkdir(dirname(path))
        return grow(path, offset)
      },
    })
    return steps
  }
  const copyOf = () => {
    const to = newFolder()
    cpSync(base, to, { recursive: true })
    return to
  }
  const steps = await kills(copyOf())
  const fresh = newFolder()
  await run(third, fresh)
  const wanted = recordsIn(fresh)
  let mixed = 0
  for (let step = 3; step < steps.length; step += Math.ceil(steps.length / 12)) {
    const to = copyOf()
    const error = await failed(kills(to, step))
    assert.ok(error instanceof Killed, `step ${step}`)
    const state = JSON.parse(readFileSync(join(to, 'records.json'), 'utf8'))
    if (state.indexes.length === 2) mixed++
    // Every file is whole: of the one night or of the other.
    for (const name of recordsIn(to).keys()) jsonAt(to, `cves/${name}`)
    await run(third, to, false)
    assert.equal(recordsIn(to), wanted, `step ${step}`)
    assert.is(JSON.parse(readFileSync(join(to, 'records.json'), 'utf8')).indexes.length, 1)
  }
  assert.ok(mixed > 3, `${mixed} runs ended among the files`)
})

test('files of CVEs that are gone are removed; without a usable state all are written again', async () => {
  const to = newFolder()
  await run(first, to)
  const ours = ['cves/CVE-1999-99999.json.gz', 'cves/epss/1999-99xxx.json.gz']
  const foreign = ['cves/notes.txt', 'cves/CVE-1999-1.json.gz', 'cves/CVE-1999-99999.json']
  for (const state of [
    '{"format":1,"indexes":[{"sha256":"../../../etc/passwd","size":1}]}',
    '{',
    '{"format":9}',
    'null',
  ]) {
    for (const path of [...ours, ...foreign]) writeFileSync(join(to, path), 'x')
    writeFileSync(join(to, 'records.json'), state)
    const { records } = await run(first, to, false)
    assert.equal(
      ours.map((path) => existsSync(join(to, path))),
      [false, false],
      state,
    )
    assert.ok(foreign.every((path) => existsSync(join(to, path))))
    assert.is(records!.written.files, records!.files)
  }
  // An index that is in neither folder: prune removed it.
  writeFileSync(join(to, 'records.json'), JSON.stringify({ format: 1, indexes: [{ sha256: 'a'.repeat(64), size: 9 }] }))
  writeFileSync(join(to, ours[0]!), 'x')
  const { records } = await run(second, to, false)
  assert.is(records!.written.files, records!.files)
  assert.is(records!.removed, 1)
})

test('a member under another name is no record, and its name leads nowhere', async () => {
  const dist = newFolder()
  cpSync(first, dist, { recursive: true })
  const { manifest, pointer } = readCurrent(dist)
  const file = manifest.files.find(({ role }) => role === 'cve')!
  const shard = readObject(dist, file)
  const id = /CVE-\d{4}-\d{4}(?=\0)/.exec(shard.toString('latin1'))![0]
  const forged = Buffer.from(shard.toString('latin1').replace(`${id}\0`, '../../../evil\0'), 'latin1')
  const put = (path: string, bytes: Buffer) => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, bytes)
  }
  const digest = sha256(forged)
  put(objectPath(dist, digest), forged)
  const files = manifest.files.map((one) => (one === file ? { ...one, sha256: digest } : one))
  const bytes = encodeManifest({ ...manifest, files })
  put(manifestPath(dist, sha256(bytes)), bytes)
  put(pointerPath(dist), encodePointer({ ...pointer, manifest: { sha256: sha256(bytes), size: bytes.length } }))
  const to = newFolder()
  const error = await failed(run(dist, to))
  assert.match(error!.message, /the index does not lead to CVE-/)
  assert.not.ok(existsSync(join(to, '../evil')) || existsSync(join(to, 'latest.json')))
})

test('a site has them too', async () => {
  const explorer: Explorer = {
    files: new Map([['assets/app-1.js', Buffer.from('')]]),
    page: () => Buffer.from('<meta name="vulnshelf-mode" content="static">'),
  }
  const out = newFolder()
  const write = (dist: string, records: boolean) =>
    writeSite({ dist, out, records }, world.effects, noProgress, async () => explorer)
  assert.is((await write(first, false)).records, null)
  await write(first, true)
  await write(second, false)
  const fresh = newFolder()
  await run(second, fresh)
  assert.equal(recordsIn(out), recordsIn(fresh))
})

test.run()
