/** As much is served as the upstream files hold: counted there by a script of nothing but Python's standard library. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { haveRealFeeds, ingestAndBuild, REAL_FEEDS, temporaryFolder } from '../support/dist.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'

type Row = Record<string, unknown>

interface Page {
  data: Row[]
  pagination: { next_cursor: string | null }
}

async function upstreamCounts(): Promise<Record<string, number>> {
  const script = join(import.meta.dirname, 'upstream-counts.py')
  const { stdout } = await promisify(execFile)('python3', [script, REAL_FEEDS])
  return JSON.parse(stdout) as Record<string, number>
}

/** The rows of a list from its first page to its last. */
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

/** How many different ones there are by these fields; that is how many rows there are, else one came twice. */
function distinct(rows: readonly Row[], ...fields: string[]): number {
  const ids = new Set(rows.map((row) => JSON.stringify(fields.map((field) => row[field]))))
  assert.is(ids.size, rows.length, `no row twice by ${fields}`)
  return ids.size
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

if (haveRealFeeds()) {
  const folder = temporaryFolder('upstream-counts')
  const dist = join(folder.path, 'dist')
  const [upstream] = await Promise.all([
    upstreamCounts(),
    ingestAndBuild({ feeds: REAL_FEEDS, corpus: join(folder.path, 'corpus.db'), dist }),
  ])
  const gateway = await testGateway(folder.path, dist)

  test('the upstream files hold what they held when this was written', () => {
    assert.equal(upstream, {
      cves: 12_256,
      cwes: 964,
      capecs: 615,
      cnas: 412,
      vendors: 2695,
      products: 8499,
      exploits: 51_802,
      advisories: 525,
    })
  })

  test('the snapshot says of itself that it holds as many, and no report, of which the real feeds have none', async () => {
    const { counts } = JSON.parse(await gateway.body('/snapshot')) as { counts: Record<string, number> }
    assert.equal(counts, { ...upstream, reports: 0 })
  })

  test('walks from the first page to the last give as many weaknesses, patterns, CNAs and modules', async () => {
    assert.is(distinct(await walked(gateway, '/cwes'), 'cwe_id'), upstream.cwes)
    assert.is(distinct(await walked(gateway, '/capecs'), 'capec_id'), upstream.capecs)
    assert.is(distinct(await walked(gateway, '/cnas'), 'slug'), upstream.cnas)
    assert.is(distinct(await walked(gateway, '/exploits'), 'source', 'source_id'), upstream.exploits)
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
    const cves = await walked(gateway, '/cves')
    assert.is(distinct(cves, 'cve_id'), upstream.cves)
    assert.is(await linkedAdvisories(gateway, cves), upstream.advisories)
  })

  test.after(async () => {
    await gateway.close()
    folder.remove()
  })
} else {
  test('the real feeds are left out', () => {})
}

test.run()
