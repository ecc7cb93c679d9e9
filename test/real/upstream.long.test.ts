/**
 * The served data equals the upstream files, in numbers and record by record. The scripts that read the upstream files
 * use only Python's standard library. One file, because both tests need the real feeds ingested and built.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { isDeepStrictEqual, promisify } from 'node:util'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CnaStats } from '../../corpus/model/directory.ts'
import { temporaryFolder } from '../support/dist.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'
import { needs, REAL_FEEDS } from '../support/needs.ts'
import { realDist } from '../support/samples.ts'
import { type Detail, FIELDS, SECTIONS, unequal } from './upstream-fields.ts'

needs('real feeds', 'python3')

type Row = Record<string, unknown>

interface Page {
  data: Row[]
  pagination: { next_cursor: string | null }
}

/** Returns the standard output of a script in this folder. */
async function python(script: string): Promise<string> {
  const args = [join(import.meta.dirname, script), REAL_FEEDS]
  const { stdout } = await promisify(execFile)('python3', args, { maxBuffer: 2 ** 30 })
  return stdout
}

/** Returns the rows of a list from its first page to its last. */
async function walked(gateway: TestGateway, path: string): Promise<Row[]> {
  const rows: Row[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = cursor === '' ? 'limit=100' : `limit=100&cursor=${encodeURIComponent(cursor)}`
    const { data, pagination } = JSON.parse(await gateway.body(`${path}?${query}`)) as Page
    rows.push(...data)
    cursor = pagination.next_cursor
  }
  return rows
}

/** Returns the number of distinct rows by these fields, and asserts that no row occurs twice. */
function distinct(rows: readonly Row[], ...fields: string[]): number {
  const ids = new Set(rows.map((row) => JSON.stringify(fields.map((field) => row[field]))))
  assert.is(ids.size, rows.length, `no row twice by ${fields}`)
  return ids.size
}

/** Returns each record with the compared sections, with several requests in parallel, as clients send them. */
async function details(gateway: TestGateway, cves: readonly Row[]): Promise<Detail[]> {
  const found: Detail[] = []
  const waiting = cves.values()
  const ask = async () => {
    for (const { cve_id } of waiting)
      found.push(JSON.parse(await gateway.body(`/cves/${cve_id}?include=${SECTIONS}`)) as Detail)
  }
  await Promise.all([ask(), ask(), ask(), ask()])
  return found
}

async function linkedAdvisories(gateway: TestGateway, cves: readonly Row[]): Promise<number> {
  const ids = new Set<unknown>()
  for (const { cve_id } of cves) {
    const response = await gateway.get(`/cves/${cve_id}/advisory`)
    const body = (await response.json()) as Row
    if (response.status === 200) ids.add(body.advisory_id)
    else assert.equal([response.status, body.error], [404, 'not_found'], `${cve_id}`)
  }
  return ids.size
}

const folder = temporaryFolder('upstream-counts')
const [counts, fields, { dist }] = await Promise.all([
  python('upstream-counts.py'),
  python('upstream-fields.py'),
  realDist(),
])
const upstream = JSON.parse(counts) as Record<string, number>
const expected = fields
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Row)
const gateway = await testGateway(folder.path, dist)
const cves = await walked(gateway, '/cves')
const served = new Map((await details(gateway, cves)).map((detail) => [detail.cve_id, detail]))

test('the upstream files hold what they held when this was written', () => {
  assert.equal(upstream, {
    cves: 12_256,
    cwes: 964,
    capecs: 615,
    cnas: 426,
    graded: 231,
    vendors: 2458,
    products: 8040,
    exploits: 49_896,
    advisories: 12_760,
    packages: 2368,
    linked_advisories: 525,
  })
})

test('the snapshot states the same counts, and no report', async () => {
  const { counts } = JSON.parse(await gateway.body('/snapshot')) as { counts: Record<string, number> }
  const { graded: _, linked_advisories: __, ...held } = upstream
  assert.equal(counts, { ...held, reports: 0 })
})

test('walks from the first page to the last give as many weaknesses, patterns, CNAs and modules', async () => {
  assert.is(distinct(await walked(gateway, '/cwes'), 'cwe_id'), upstream.cwes)
  assert.is(distinct(await walked(gateway, '/capecs'), 'capec_id'), upstream.capecs)
  assert.is(distinct(await walked(gateway, '/cnas'), 'slug'), upstream.cnas)
  assert.is(distinct(await walked(gateway, '/exploits'), 'source', 'source_id'), upstream.exploits)
})

test('every CVE is of a CNA of the directory, and the CNAs with CVEs are those with a grade', async () => {
  const stats = JSON.parse(await gateway.body('/cnas/stats')) as CnaStats
  assert.equal([stats.summary.total_cves, stats.summary.total_cnas], [upstream.cves, upstream.cnas])
  const grades = Object.values(stats.grade_distribution)
  assert.is(
    grades.reduce((sum, count) => sum + count, 0),
    upstream.graded,
  )
  const rows = (await walked(gateway, '/cnas')).filter(({ grade }) => grade !== null)
  assert.is(rows.length, upstream.graded)
})

test('vendors are as many, and so are the products of all of them', async () => {
  const vendors = await walked(gateway, '/vendors')
  assert.is(distinct(vendors, 'slug'), upstream.vendors)
  let products = 0
  for (const { slug, product_count } of vendors) {
    const own = distinct(await walked(gateway, `/vendors/${encodeURIComponent(String(slug))}/products`), 'slug')
    assert.is(own, product_count, `products of ${slug}`)
    products += own
  }
  assert.is(products, upstream.products)
})

test('CVEs are as many, and so are the different advisories that they are linked to', async () => {
  assert.is(distinct(cves, 'cve_id'), upstream.cves)
  assert.is(await linkedAdvisories(gateway, cves), upstream.linked_advisories)
})

test('every record of the list is served, and no other', () => {
  const ids = expected.map(({ cve_id }) => String(cve_id))
  assert.equal([...served.keys()].toSorted(), ids.toSorted())
})

test('a row of the list says what the record says', () => {
  const differ = cves.filter((row) => {
    const detail = served.get(String(row.cve_id))!
    return !Object.keys(row).every((field) => isDeepStrictEqual(detail[field], row[field]))
  })
  assert.equal(differ, [])
})

for (const field of FIELDS) {
  test(`of every record, ${field} is what the upstream files say`, () => {
    const differ = unequal(field, expected, served)
    assert.equal(differ.slice(0, 10), [], `${differ.length} differ`)
  })
}

test('a weakness has as many CVEs, and as many known to be exploited, as sources map to it', async () => {
  const cveCounts = new Map<string, number>()
  const kevCounts = new Map<string, number>()
  for (const { weaknesses, kev } of expected as { weaknesses: string[]; kev: { listed: boolean } }[])
    for (const weakness of weaknesses)
      for (const counted of kev.listed ? [cveCounts, kevCounts] : [cveCounts])
        counted.set(weakness, (counted.get(weakness) ?? 0) + 1)
  const differ = (await walked(gateway, '/cwes')).filter(
    ({ slug, cve_count, kev_count }) =>
      cve_count !== (cveCounts.get(String(slug)) ?? 0) || kev_count !== (kevCounts.get(String(slug)) ?? 0),
  )
  assert.equal(differ, [])
})

test.after(async () => {
  await gateway.close()
  folder.remove()
})

test.run()
