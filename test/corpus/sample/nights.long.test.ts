import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { generateSample } from '../../../corpus/sample/generate.ts'
import { createWorld } from '../../../corpus/sample/world.ts'
import { memoryDisk, readEpss, readZip } from './memory-disk.ts'

const disk = memoryDisk()
await generateSample({ feeds: 'feeds' }, disk)
const file = (path: string) => disk.files.get(`feeds/${path}`)!
const first = await readZip(file('cvelistv5/2026-05-31_all_CVEs.zip'))
const second = await readZip(file('cvelistv5/2026-06-01_all_CVEs.zip'))
const delta = await readZip(file('cvelistv5/2026-06-01_delta_CVEs.zip'))

const changed = [...second]
  .filter(([name, bytes]) => first.has(name) && !first.get(name)!.equals(bytes))
  .map(([name]) => name)
const added = [...second.keys()].filter((name) => !first.has(name))
const idOf = (name: string) => /CVE-\d+-\d+/.exec(name)![0]

test('records are in the folders of their ids', () => {
  assert.is(first.size, 2000)
  for (const [name, bytes] of second) {
    const id = JSON.parse(bytes.toString()).cveMetadata.cveId as string
    const [, year, number] = id.split('-') as [string, string, string]
    assert.is(name, `cves/${year}/${number.slice(0, -3)}xxx/${id}.json`)
  }
})

test('in the second night one record in a hundred is changed, a few are new, none is gone', () => {
  assert.ok(changed.length >= 20 && changed.length <= 26, `${changed.length}`)
  assert.is(added.length, 5)
  assert.equal(
    [...first.keys()].filter((name) => !second.has(name)),
    [],
  )
})

test('the delta has exactly the changed and new records of the second baseline', () => {
  assert.equal([...delta.keys()].sort(), [...changed, ...added].map((name) => `deltaCves/${idOf(name)}.json`).sort())
  for (const name of [...changed, ...added]) {
    assert.ok(delta.get(`deltaCves/${idOf(name)}.json`)!.equals(second.get(name)!), name)
  }
})

test('changed records carry the date of that night', () => {
  for (const name of [...changed, ...added]) {
    const { cveMetadata } = JSON.parse(second.get(name)!.toString())
    assert.ok(cveMetadata.dateUpdated > '2026-05-31T22:13' && cveMetadata.dateUpdated <= '2026-06-01T22:13', name)
  }
})

test('records change in all the ways there are, and each way shows', () => {
  const world = createWorld(1, 2000, 2)
  const kinds = new Map<string, number>()
  for (let index = 0; index < 2000; index++) {
    const { id, change } = world.facts(index)
    if (!change) continue
    kinds.set(change.kind, (kinds.get(change.kind) ?? 0) + 1)
    const name = changed.find((one) => idOf(one) === id)!
    const [before, after] = [first, second].map((night) => JSON.parse(night.get(name)!.toString()))
    const cna = [before.containers.cna, after.containers.cna]
    const shows: Record<string, () => boolean> = {
      reference: () => cna[1].references.length === cna[0].references.length + 1,
      fix: () => JSON.stringify(cna[1].affected) !== JSON.stringify(cna[0].affected),
      assessment: () => JSON.stringify(after.containers.adp) !== JSON.stringify(before.containers.adp),
      score: () => !cna[0].metrics && cna[1].metrics.length === 1,
      title: () => cna[1].title !== cna[0].title,
      description: () => cna[1].descriptions[0].value.startsWith(cna[0].descriptions[0].value),
      rejected: () => before.cveMetadata.state === 'PUBLISHED' && after.cveMetadata.state === 'REJECTED',
      revived: () => before.cveMetadata.state === 'REJECTED' && after.cveMetadata.state === 'PUBLISHED',
      disclosed: () => before.cveMetadata.state === 'RESERVED' && after.cveMetadata.state === 'PUBLISHED',
      kev: () => !JSON.stringify(before).includes('"kev"') && JSON.stringify(after).includes('"kev"'),
    }
    assert.ok(shows[change.kind]!(), `${id} ${change.kind}`)
  }
  assert.is(kinds.size, 10)
})

test('KEV grows by the three that CISA marks that night', () => {
  const older = JSON.parse(file('kev/2026-05-31/known_exploited_vulnerabilities.json').toString())
  const newer = JSON.parse(file('kev/known_exploited_vulnerabilities.json').toString())
  const ids = (catalog: { vulnerabilities: { cveID: string }[] }) => catalog.vulnerabilities.map((one) => one.cveID)
  assert.is(older.count, 9)
  assert.is(newer.count, 12)
  assert.equal(ids(newer).slice(3), ids(older))
  for (const one of newer.vulnerabilities.slice(0, 3)) assert.is(one.dateAdded, '2026-06-01')
})

test('every EPSS score moves, and only a little', () => {
  const [older, newer] = ['2026-05-31', '2026-06-01'].map((date) => readEpss(file(`epss/epss_scores-${date}.csv.gz`)))
  const before = new Map(older!.rows.map(([id, score]) => [id, Number(score)]))
  let kept = 0
  for (const [id, score] of newer!.rows) {
    const old = before.get(id)
    if (old === undefined) continue
    kept++
    const moved = Math.abs(Number(score) - old)
    assert.ok(moved > 0.000005 && moved <= Math.max(0.1 * old, 0.00001) + 0.00001, `${id} ${old} ${score}`)
  }
  assert.ok(kept > 1890, `${kept}`)
})

test('with more nights a record changes once at most, and each night has its delta', async () => {
  const more = memoryDisk()
  await generateSample({ feeds: 'f', cves: 500, nights: 4 }, more)
  const deltas = await Promise.all(
    ['01', '02', '03'].map((day) => readZip(more.files.get(`f/cvelistv5/2026-06-${day}_delta_CVEs.zip`)!)),
  )
  const names = deltas.flatMap((one) => [...one.keys()])
  assert.is(new Set(names).size, names.length)
  for (const one of deltas) assert.ok(one.size >= 10, `${one.size}`)
})

test.run()
