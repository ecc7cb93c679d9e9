/** Rule 28 over HTTP: packages, and CVEs by the ids of their advisories. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CveId } from '../../../corpus/model/ids/cve-id.ts'
import { fileOf, readCurrent, readObject } from '../../../corpus/snapshot/files/layout.ts'
import { aliasesOf, hashedPositions, readPackageTables } from '../../../corpus/snapshot/index.ts'
import type { SearchItem } from '../../../corpus/snapshot/query/search-item.ts'
import { decodeMemberHead } from '../../../corpus/snapshot/record/member.ts'
import { membersOf } from '../../../corpus/snapshot/record/shard.ts'
import { goodSnapshot } from '../../corpus/snapshot/forgery.ts'
import { packagedSnapshot } from '../../corpus/snapshot/packaged.ts'
import { type TestGateway, testGateway } from '../../support/gateway.ts'

const good = await goodSnapshot('package-search')
const shard = good.manifest.files.find(({ role, count }) => role === 'cve' && count > 2)!
const [first, second, third] = [...membersOf(good.bytesOf('cve', shard.name))].map(({ key }) => key as CveId)
const packaged = await packagedSnapshot(
  good,
  [
    { id: 'GHSA-jfh8-c2jp-5v3q', aliases: [first!, 'GO-2021-9999'], cveIds: [first!] },
    // Its own CVE comes first, although an advisory of another CVE names it too.
    { id: 'PYSEC-2021-77', aliases: [second!, 'GHSA-jfh8-c2jp-5v3q'], cveIds: ['CVE-1999-0001', second!, third!] },
    { id: 'DEBIAN-TEST-1', aliases: [], cveIds: [third!, second!] },
    { id: 'GHSA-only-this-test', aliases: ['CVE-1999-0001'], cveIds: ['CVE-1999-0001'] },
    // The alias is a part of an id, and no id of a CVE.
    { id: `DEBIAN-${first}`, aliases: [first!.slice(0, 10)], cveIds: [first!] },
    { id: 'MAL-2021-77' },
  ],
  [
    {
      ecosystem: 'npm',
      name: '@Acme/Left.pad',
      folded: '@acme/left.pad',
      advisories: ['GHSA-jfh8-c2jp-5v3q', 'MAL-2021-77'],
    },
    { ecosystem: 'PyPI', name: 'Left_Pad', folded: 'left-pad', advisories: ['PYSEC-2021-77', 'GHSA-jfh8-c2jp-5v3q'] },
    { ecosystem: 'Go', name: 'example.com/pad', folded: 'example.com/pad', advisories: ['GO-2021-9999'] },
  ],
)
const gateway = await testGateway(good.folder, packaged.dist)

interface Found {
  results: Record<string, SearchItem[]>
  counts: Record<string, number>
}

const ask = async <T>(path: string, of: TestGateway = gateway) => JSON.parse(await of.body(path)) as T
const ALL = '&types=cve,package,vendor'
const search = (q: string, more = ALL) => ask<Found>(`/search?q=${encodeURIComponent(q)}&limit=25${more}`)
const cvesOf = async (q: string) => (await search(q, '&types=cve')).results.cve!.map(({ id, score }) => [id, score])

test('rule 28: the id of an advisory finds its CVE, in any case, as the id of the CVE does', async () => {
  const { results, counts } = await search('ghsa-JFH8-c2jp-5v3q')
  const byId = await search(first!)
  assert.equal(
    results.cve,
    byId.results.cve!.filter(({ id }) => id === first),
  )
  assert.is(results.cve![0]!.score, 1)
  assert.is(counts.cve, 1)
  assert.equal(await cvesOf('GO-2021-9999'), [[first, 1]], 'an alias')
  assert.equal(await cvesOf('GHSA-jfh8'), [[first, 0.75]], 'a beginning')
  for (const part of ['c2jp', 'GHSA', 'DEBIAN']) assert.equal(await cvesOf(part), [], 'it has not the form of an id')
  assert.equal(await cvesOf('SEC-2021-77'), [], 'a part is no beginning')
  assert.equal(await cvesOf('PYSEC-2021-7'), [[second, 0.75]], 'the first CVE that has a record')
  assert.equal(await cvesOf('DEBIAN-TEST-1'), [[second, 1]])
})

test('rule 28: an advisory whose CVEs have no record finds nothing', async () => {
  for (const q of ['GHSA-only-this', 'MAL-2021-77']) assert.equal((await search(q)).counts.cve, 0, q)
})

test('rule 28: a CVE that several of its ids find is one result', async () => {
  // An advisory of its own, and an alias of another.
  const { results, counts } = await search('GHSA-jfh8-c2jp-5v3q')
  assert.equal([results.cve!.map(({ id }) => id), counts.cve], [[first], 1])
  // Its own id, and those of advisories.
  const own = await search(first!)
  assert.is(own.results.cve!.filter(({ id }) => id === first).length, 1)
  assert.is(own.counts.cve, own.results.cve!.length)
  const both = await search(first!.slice(0, 10), '&types=cve')
  assert.equal(both.results.cve![0]!.id, first)
  assert.is(both.counts.cve, both.results.cve!.length)
  const suggested = await ask<{ suggestions: SearchItem[] }>(`/search/suggest?types=cve&limit=15&q=${first}`)
  assert.is(suggested.suggestions.filter(({ id }) => id === first).length, 1)
})

test('rule 28: packages are found by part of their names, those with more advisories first', async () => {
  const { results, counts } = await search('pad')
  assert.equal(results.package, [
    {
      type: 'package',
      id: 'npm/@acme/left.pad',
      label: '@Acme/Left.pad',
      subtitle: 'npm, 2 advisories',
      href: '/packages/npm/%40acme%2Fleft.pad',
      score: 0.5,
    },
    {
      type: 'package',
      id: 'Go/example.com/pad',
      label: 'example.com/pad',
      subtitle: 'Go, 1 advisory',
      href: '/packages/Go/example.com%2Fpad',
      score: 0.5,
    },
    {
      type: 'package',
      id: 'PyPI/left-pad',
      label: 'Left_Pad',
      subtitle: 'PyPI, 1 advisory',
      href: '/packages/PyPI/left-pad',
      score: 0.5,
    },
  ])
  assert.is(counts.package, 3)
  const exact = await search('LEFT-PAD', '&types=package')
  assert.equal(
    exact.results.package!.map(({ id, score }) => [id, score]),
    [['PyPI/left-pad', 1]],
  )
  const { suggestions } = await ask<{ suggestions: SearchItem[] }>('/search/suggest?q=left_pad&types=package')
  assert.equal(suggestions, [
    { type: 'package', id: 'PyPI/left-pad', label: 'Left_Pad', href: '/packages/PyPI/left-pad' },
  ])
})

test('the tables find the members of advisories and packages, and aliases', () => {
  const { manifest } = readCurrent(packaged.dist)
  const tables = readPackageTables(manifest, (file) => readObject(packaged.dist, file))
  for (const role of ['advisories', 'packages'] as const) {
    const shard = readObject(packaged.dist, fileOf(manifest, role, '0000'))
    for (const key of packaged.rows[role].keys) {
      const [position, ...others] = hashedPositions(tables[role], key)
      assert.is(others.length, 0)
      const { at, length } = position!
      assert.is(decodeMemberHead(shard.subarray(at, at + length)).key, encodeURI(key))
    }
    assert.equal(hashedPositions(tables[role], 'nothing'), [])
  }
  const set = [first!, second!, 'GHSA-jfh8-c2jp-5v3q', 'GO-2021-9999', 'PYSEC-2021-77'].sort()
  const sets = readObject(packaged.dist, fileOf(manifest, 'aliases'))
  const read = (at: number, length: number) => sets.subarray(at, at + length)
  assert.equal(aliasesOf(tables.aliases, 'GO-2021-9999', read), set)
  const files = manifest.files.filter(({ role }) => role !== 'aliases')
  const readRest = () => readPackageTables({ ...manifest, files }, (file) => readObject(packaged.dist, file))
  assert.throws(readRest, /there are no aliases of advisories/)
})

test.after(async () => {
  await gateway.close()
  good.remove()
})

test.run()
