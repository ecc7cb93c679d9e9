/** A mirror of some years: what it has is verified, and an answer that needs other records is refused. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { exportCves } from '../../../builder/export/export.ts'
import { publish } from '../../../builder/publish/publish.ts'
import { writeSite } from '../../../builder/site/site.ts'
import { build } from '../../../builder/snapshot/build.ts'
import { listSnapshots } from '../../../builder/snapshots.ts'
import { noProgress } from '../../../corpus/command/progress.ts'
import { parseYears } from '../../../corpus/model/values/years.ts'
import { openReader } from '../../../corpus/reader/reader.ts'
import { knownSnapshot, objectDigests } from '../../../corpus/repository/snapshots.ts'
import { openSource } from '../../../corpus/repository/source.ts'
import {
  decodeIndex,
  fileOf,
  idAt,
  isLeftOut,
  objectPath,
  readCurrent,
  readObject,
  readSubset,
} from '../../../corpus/snapshot/index.ts'
import { verify } from '../../../corpus/snapshot/verify/verify.ts'
import { type MirrorOptions, mirror } from '../../../gateway/mirror/mirror.ts'
import { type Answerer, overHttp } from '../../support/answerers.ts'
import { quietEffects, temporaryFolder } from '../../support/dist.ts'
import { testGateway } from '../../support/gateway.ts'
import { openWorld } from '../../support/publisher.ts'
import { failed } from '../../support/refusal.ts'
import { ownSample, sampleNights, sharedSample } from '../../support/samples.ts'
import { targetValues } from '../../support/target-values.ts'
import { requestTargets } from '../../support/targets.ts'
import { serveFolder } from '../../support/web-folder.ts'

const TARGETS = 700
const YEARS = '2020-'
const years = parseYears(YEARS)!

const test = suite('a mirror of some years')
const folder = temporaryFolder('years')
const world = openWorld()
let count = 0
const newFolder = () => join(folder.path, `mirror-${count++}`)

test.after(async () => {
  await world.close()
  folder.remove()
})

const run = (from: string, dist: string, options: Partial<MirrorOptions> = {}) =>
  mirror(openSource(from, world.effects), { dist, keys: null, ...options }, world.effects, noProgress)
const filesOf = (dist: string) => readCurrent(dist).manifest.files
const hasFile = (dist: string) => (file: { sha256: string }) => existsSync(objectPath(dist, file.sha256))
/** Asserts that exactly the files of these years, and all others, are there. */
function hasOnly(dist: string, subset: typeof years | null): void {
  for (const file of filesOf(dist)) {
    // The same bytes can be in a file of another role.
    assert.is(hasFile(dist)(file), !isLeftOut(subset, file), `${file.role} ${file.name}`)
  }
}

test('years are a range, open or closed', () => {
  assert.equal(parseYears('2024-'), { from: 2024, to: 9999 })
  assert.equal(parseYears('2020-2023'), { from: 2020, to: 2023 })
  assert.equal(parseYears('2024'), { from: 2024, to: 2024 })
  for (const text of ['', '-', '-2024', '2024-2020', '24-', '2024-20', '20242025', '1998-', 'all', '2024-2025-']) {
    assert.is(parseYears(text), null, text)
  }
})

test('it has the other files, all verified; a byte that changed in one of them is found', async () => {
  const { dist: source } = await sharedSample('usual')
  const dist = newFolder()
  const report = await run(source, dist, { years })
  assert.is(report.years, YEARS)
  hasOnly(dist, years)
  const whole = readCurrent(source)
  assert.equal(readCurrent(dist).pointerBytes, whole.pointerBytes, 'pointer and manifest are the signed ones')
  const sound = await verify(dist)
  const leftOut = filesOf(dist).filter((file) => isLeftOut(years, file))
  assert.ok(leftOut.length > 20)
  assert.equal([sound.faults, sound.leftOut, sound.files], [[], leftOut.length, filesOf(dist).length - leftOut.length])
  for (const role of ['cve', 'epss-history', 'list'] as const) {
    const file = filesOf(dist).find((one) => one.role === role && !isLeftOut(years, one) && one.size > 0)!
    const path = objectPath(dist, file.sha256)
    const bytes = readFileSync(path)
    const changed = Buffer.from(bytes)
    changed[bytes.length >> 1]! ^= 1
    writeFileSync(path, changed)
    assert.match((await verify(dist)).faults.join('\n'), new RegExp(`file ${role} ${file.name} `))
    // A file of these years that is missing is a fault, too.
    rmSync(path)
    assert.match((await verify(dist)).faults.join('\n'), new RegExp(`file ${role} ${file.name} .*missing`))
    assert.is((await run(source, dist)).fetched.files, 1)
    assert.equal(readFileSync(path), bytes)
  }
  assert.equal((await verify(dist)).faults, [])
  rmSync(join(dist, 'subset.json'))
  assert.is((await verify(dist)).faults.length, leftOut.length, 'without its statement, the files are missing')
})

test(`${TARGETS} targets: the right answer or a refusal, in a gateway, a folder and on a web server`, async () => {
  const { dist: source } = await sharedSample('usual')
  const [all, dist] = [newFolder(), newFolder()]
  await run(source, all)
  await run(source, dist, { years })
  const full = await openReader(all)
  const gateway = await testGateway(folder.path, dist)
  const web = await serveFolder(dist)
  const http = overHttp(gateway)
  const [local, remote] = [await openReader(dist), await openReader(web.url)]
  const index = decodeIndex(readObject(all, fileOf(readCurrent(all).manifest, 'index')))
  const ids = Array.from({ length: index.count }, (_, row) => idAt(index, row))
  const isOld = (id: string) => Number(id.slice(4, 8)) < years.from
  const targets = await requestTargets(full, await targetValues(full, []), { count: TARGETS })
  targets.push(...ids.flatMap((id) => [`/cves/${id}`, `/cves/${id}/epss/history`, `/cves/${id}/affected`]))
  const answerers: Record<string, Answerer> = { gateway: http, folder: local, web: remote }
  for (const [name, answerer] of Object.entries(answerers)) {
    let [same, refused] = [0, 0]
    for (const target of targets) {
      const [wanted, found] = [await full.request(target), await answerer.request(target)]
      if (found.status === 503) {
        const { error, message } = JSON.parse(found.body)
        assert.is(error, 'unavailable', target)
        assert.match(
          message,
          /^this answer needs CVE-\d{4} records, and this mirror has only those of the years 2020-\. /,
        )
        assert.is(wanted.status, 200, target)
        refused++
      } else {
        assert.equal([found.status, found.body], [wanted.status, wanted.body], `${name} ${target}`)
        same++
      }
      const [, id] = /^\/cves\/(CVE-\d+-\d+)(?:\/affected)?$/.exec(target) ?? []
      if (id !== undefined && ids.includes(id as `CVE-${string}`)) {
        assert.is(found.status, isOld(id) ? 503 : 200, `${name} ${target}`)
      }
    }
    assert.ok(refused > 100 && same > 400, `${name}: ${same} answers, ${refused} refusals`)
    console.log(`# ${name}: ${same} equal answers, ${refused} refusals`)
  }
  assert.ok(ids.some(isOld) && !ids.every(isOld))
  http.close()
  for (const reader of [full, local, remote]) await reader.close()
  await web.close()
  await gateway.close()
})

test('following nights keep the years, by delta packs; other years and all of them are a new copy of what is missing', async () => {
  const { first, second, third } = await sampleNights()
  const dist = newFolder()
  await run(first, dist, { years })
  const gateway = await testGateway(folder.path, dist)
  const next = await run(second, dist)
  assert.is(next.years, YEARS)
  // A gateway checks each file of a new snapshot before it serves it.
  await gateway.registry.refresh()
  assert.ok((await gateway.body('/snapshot')).includes(next.snapshot))
  await gateway.close()
  assert.ok(next.made.files > 0)
  hasOnly(dist, years)
  assert.equal((await verify(dist)).faults, [])
  const { manifest, pointer } = readCurrent(dist)
  const known = knownSnapshot(
    { digest: pointer.manifest.sha256, manifest, bytes: { length: pointer.manifest.size } },
    new Set(objectDigests(dist)),
    readSubset(dist),
  )
  assert.is(known.files, 'all')

  const wider = parseYears('2010-')!
  await run(third, dist, { years: wider })
  hasOnly(dist, wider)
  assert.equal((await verify(dist)).faults, [])
  assert.is((await run(third, dist, { years: 'all' })).years, null)
  hasOnly(dist, null)
  const whole = await verify(dist)
  assert.equal([whole.faults, whole.leftOut], [[], 0])
})

test('a mirror of a partial mirror has at most its years', async () => {
  const { first } = await sampleNights()
  const partial = newFolder()
  await run(first, partial, { years })
  const web = await serveFolder(partial)
  for (const source of [partial, web.url]) {
    for (const wanted of [undefined, 'all', parseYears('2010-')!] as const) {
      const error = await failed(run(source, newFolder(), wanted && { years: wanted }))
      assert.match(error!.message, /is a mirror with only the records of the years 2020-; use --years 2020-, or/)
    }
    const narrower = newFolder()
    const { years: has } = await run(source, narrower, { years: parseYears('2022-')! })
    assert.is(has, '2022-')
    assert.equal((await verify(narrower)).faults, [])
  }
  await web.close()
})

test('what would give only a part of the records is refused before anything is written; a build completes the mirror', async () => {
  const { corpus, dist: source } = await ownSample('small', newFolder())
  const dist = newFolder()
  await run(source, dist, { years })
  assert.is((await listSnapshots(dist)).current.years, YEARS)
  const [site, to, file] = [newFolder(), newFolder(), join(folder.path, 'cves.ndjson')]
  const { effects } = world
  const refusals = [
    await failed(publish({ dist, to }, effects, noProgress)),
    await failed(writeSite({ dist, out: site }, effects, noProgress)),
    await failed(exportCves({ dist, file }, effects, noProgress)),
  ]
  for (const error of refusals) {
    assert.match(error!.message, 'is a mirror with only those of 2020-. Complete it with `vulnshelf-gateway mirror')
  }
  for (const path of [site, to, file]) assert.not.ok(existsSync(path))
  await build({ corpus, dist, jobs: 0 }, quietEffects(), noProgress)
  assert.is((await listSnapshots(dist)).current.years, null)
  hasOnly(dist, null)
  assert.is((await exportCves({ dist, file }, effects, noProgress)).cves, (await listSnapshots(dist)).current.cves)
})

test('a damaged statement of the years names the folder and the remedy, which completes the mirror', async () => {
  const { first } = await sampleNights()
  const dist = newFolder()
  await run(first, dist, { years })
  const path = join(dist, 'subset.json')
  for (const text of ['null', '{', '{"format":2}', '{"format":1,"years":{"from":"x"}}']) {
    writeFileSync(path, text)
    const { message } = (await failed(run(first, dist)))!
    assert.ok(message.includes(`in ${dist}. Remove it,`), message)
  }
  rmSync(path)
  await run(first, dist, { years: 'all' })
  hasOnly(dist, null)
})

test('what needs all records is refused before anything is copied', async () => {
  const { first } = await sampleNights()
  for (const options of [{ derive: 0 }, { bundle: join(folder.path, 'night.tar') }]) {
    const dist = newFolder()
    const error = await failed(run(first, dist, { years, ...options }))
    assert.match(error!.message, /needs all records, but this mirror has only those of the years 2020-/)
    assert.not.ok(existsSync(join(dist, 'latest.json')))
  }
  const dist = newFolder()
  await run(first, dist, { years })
  writeFileSync(join(dist, 'subset.json'), '{"format":1,"years":{"from":"x","to":2}}')
  assert.match((await failed(run(first, dist)))!.message, /subset\.json states no valid years/)
})

test.run()
