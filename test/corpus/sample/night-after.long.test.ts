/** The second night at a size where shares are measurable, counted in the written files. */
import { gunzipSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { generateSample } from '../../../corpus/sample/generate.ts'
import { createWorld } from '../../../corpus/sample/world.ts'
import { memoryDisk, readEpss, zipDirectory } from './memory-disk.ts'

const CVES = 20_000
const disk = memoryDisk()
await generateSample({ feeds: 'f', cves: CVES }, disk)
const file = (path: string) => disk.files.get(`f/${path}`)!
const byId = async (path: string) =>
  new Map([...(await zipDirectory(file(path)))].map(([name, crc]) => [/CVE-\d+-\d+/.exec(name)![0], crc]))
const [first, second, delta] = await Promise.all(
  ['2026-05-31_all', '2026-06-01_all', '2026-06-01_delta'].map((name) => byId(`cvelistv5/${name}_CVEs.zip`)),
)
const added = [...second!.keys()].filter((id) => !first!.has(id))
const changed = [...second!].filter(([id, crc]) => first!.has(id) && first!.get(id) !== crc).map(([id]) => id)

test('one record in a hundred changes, none is gone, and new ones come as 200 to 350,000', () => {
  assert.is(first!.size, CVES)
  assert.is(added.length, Math.round((CVES * 200) / 350_000))
  assert.is(second!.size, CVES + added.length)
  // A few of each hundred are already in KEV and stay unchanged; three enter it.
  assert.ok(changed.length > 0.0098 * CVES && changed.length < 0.0102 * CVES, `${changed.length}`)
})

test('the delta has exactly these, as in the second night', () => {
  assert.equal(new Set(delta!.keys()), new Set([...changed, ...added]))
  for (const [id, crc] of delta!) assert.is(crc, second!.get(id), id)
})

test("NVD's feed of what was modified holds all of these, and as many that NVD alone has changed", () => {
  const { vulnerabilities } = JSON.parse(gunzipSync(file('nvd/nvdcve-2.0-modified.json.gz')).toString())
  const modified = new Set(vulnerabilities.map(({ cve }: { cve: { id: string } }) => cve.id))
  for (const id of [...changed, ...added]) assert.ok(modified.has(id), id)
  assert.ok(modified.size > 0.018 * CVES && modified.size < 0.022 * CVES, `${modified.size}`)
})

test('every EPSS score moves, and nearly every percentile', () => {
  const rows = (date: string) => readEpss(file(`epss/epss_scores-${date}.csv.gz`)).rows
  const before = new Map(rows('2026-05-31').map(([id, ...values]) => [id, values]))
  const kept = rows('2026-06-01').filter(([id]) => before.has(id))
  assert.ok(kept.length > 0.99 * before.size)
  // As written: the API returns these figures unchanged.
  const still = (at: 0 | 1) => kept.filter(([id, ...values]) => values[at] === before.get(id)![at]).length
  assert.is(still(0), 0)
  assert.ok(still(1) < 0.01 * kept.length, `${still(1)}`)
})

test('at 350,000 there are 200 new ones a night, 3,500 changed ones, and 1,500 in KEV', () => {
  const world = createWorld(1, 350_000, 2)
  assert.is(world.records, 350_200)
  let [changes, listed] = [0, 0]
  for (let index = 0; index < world.cves; index++) {
    const { change, kevNight } = world.facts(index)
    if (change?.night === 1) changes++
    if (kevNight === 0) listed++
  }
  assert.is(listed, 1502)
  assert.ok(changes > 3450 && changes <= 3503, `${changes}`)
})

test.run()
