/** What rules 7 and 10 of RULES.md say of what is too long: keys in cursors, and names that no snapshot has room for. */

import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { ingest } from '../../../builder/ingest/ingest.ts'
import { quietEffects } from '../../support/dist.ts'
import { cnaJson } from '../../support/feeds.ts'
import { contractSuite } from '../support/contract.ts'
import { openWorld } from '../support/service.ts'
import { capecBundle, capecPattern, cveList, frameworkJson, lines } from '../support/upstream.ts'

interface Page {
  pagination: { next_cursor: string | null }
}

const contract = contractSuite('rules, bounds')
const { rule } = contract

rule(7, 'a cursor has at most 512 characters for keys and filters of any length', async () => {
  const long = (text: string) => `${'é'.repeat(400)}${text}`
  const numbers = [1, 2, 3]
  const affected = (vendor: string, product: string) => ({
    vendor,
    product,
    versions: [{ version: '1', status: 'affected' }],
  })
  const recordOf = (n: number) => ({
    id: `CVE-2024-000${n}` as const,
    cna: { affected: [affected(long(`v${n}`), 'p'), affected('one', long(`p${n}`))] },
  })
  const module = (n: number) => [`exploit/${'m'.repeat(180)}${n}`, { disclosure_date: '2024-01-01' }] as const
  const world = await openWorld({
    ...cveList(numbers.map(recordOf)),
    'capec/stix-capec.json': capecBundle(numbers.map((n) => capecPattern(n, { name: `${long('')} ${n}` }))),
    'metasploit/modules_metadata_base.json': frameworkJson(Object.fromEntries(numbers.map(module))),
  })
  try {
    const q = encodeURIComponent('é'.repeat(200))
    const counts = {
      '/vendors?sort=name': 4,
      '/vendors?sort=-cves': 4,
      [`/vendors?q=${q}`]: 3,
      '/vendors/one/products?q=é': 3,
      '/capecs?sort=name': 3,
      '/exploits?platform=windows': 3,
      '/cves?q=cve': 3,
    }
    for (const [path, count] of Object.entries(counts)) {
      const page = await world.json<Page>(`${path}${path.includes('?') ? '&' : '?'}limit=1`)
      const cursor = page.pagination.next_cursor!
      assert.ok(cursor.length <= 512, `${path.slice(0, 20)} has a cursor of ${cursor.length} characters`)
      const rows = await world.all(path, 1)
      assert.is(rows.length, count, path.slice(0, 20))
      assert.is(new Set(rows.map((row) => JSON.stringify(row))).size, count, path.slice(0, 20))
    }
  } finally {
    await world.remove()
  }
})

rule(10, 'the ingest report names an entry with a name that is too long; the other entries are served', async () => {
  const name = 'é'.repeat(40)
  const feeds = {
    ...cveList([{ id: 'CVE-2024-0001' }]),
    'cna/CNAsList.json': cnaJson(['acme', name]),
    'metasploit/modules_metadata_base.json': frameworkJson({ 'exploit/a': {}, [`exploit/${name}`]: {} }),
    'first-party/report-types.ndjson': lines([
      { prompt_name: 'overview', enabled: true },
      { prompt_name: name, enabled: true },
    ]),
  }
  const other = await openWorld(feeds)
  try {
    assert.equal(
      (await other.all<{ slug: string }>('/cnas')).map(({ slug }) => slug),
      ['acme'],
    )
    assert.equal(
      (await other.all<{ source_id: string }>('/exploits')).map((one) => one.source_id),
      ['exploit/a'],
    )
    assert.is((await other.json<{ count: number }>('/reports/types')).count, 1)
    const corpus = join(other.made.corpus, '..', 'again.db')
    const report = await ingest({ feeds: other.made.feeds, corpus }, quietEffects())
    const skipped = report.feeds.filter((feed) => feed.skipped.length > 0).map((feed) => feed.name)
    assert.equal(skipped.toSorted(), ['cna', 'metasploit', 'report-types'])
  } finally {
    await other.remove()
  }
})

contract.run()
