/** Rule 28 of RULES.md: what a search looks at, how it ranks, and what it counts. */
import * as assert from 'uvu/assert'
import type { SearchItem } from '../../../corpus/snapshot/query/search-item.ts'
import { cnaJson, kevJson } from '../../support/feeds.ts'
import { contractSuite } from '../support/contract.ts'
import { openWorld } from '../support/service.ts'
import { capecBundle, capecPattern, cveList, cweXml, cweXmlEntry, type UpstreamRecord } from '../support/upstream.ts'

interface Found {
  results: Record<string, SearchItem[]>
  counts: Record<string, number>
}

const contract = contractSuite('rules, search')
const { rule } = contract

const TYPES = ['vendor', 'product', 'cwe', 'capec', 'cna', 'cve', 'package']
/** These feeds have no packages: test/gateway/query/package-search.test.ts. */
const FOUND = TYPES.filter((type) => type !== 'package')
const record = (
  n: number,
  title: string,
  day = 1,
  product = ['Acme', 'Widget'],
  description = 'x',
): UpstreamRecord => ({
  id: `CVE-2024-${String(n).padStart(4, '0')}`,
  cna: {
    title,
    descriptions: [{ lang: 'en', value: description }],
    affected: [{ vendor: product[0], product: product[1], versions: [{ version: '1', status: 'affected' }] }],
  },
  metadata: { datePublished: `2024-03-${String(day).padStart(2, '0')}T00:00:00.000Z` },
})
const cwe = (id: number, name: string) => cweXmlEntry(id).replace(`"Weakness ${id}"`, `"${name}"`)

const world = await openWorld({
  ...cveList([
    record(1, 'Flubber leak', 1),
    record(2, 'Flubber leak', 9),
    record(3, 'Flubber leak', 5),
    record(4, 'A flubber leak', 20),
    record(5, 'An unflubbered leak', 25),
    record(6, 'Something else', 26, ['Flubbertech', 'Gadget']),
    record(7, 'Something else', 27, ['Acme', 'Flubberino']),
    record(8, 'Something else', 28, ['Acme', 'Widget'], 'It is in the flubber.'),
    record(9, 'Mentions CVE-2024-0001', 28),
    record(10, 'x', 1, ['Acme', 'The flubber']),
    record(11, 'x', 2, ['Acme', 'The flubber']),
    record(12, 'x', 2, ['Acme', 'A flubber']),
    { id: 'CVE-2024-10001', cna: { title: 'Ten thousand' } },
  ]),
  'kev/known_exploited_vulnerabilities.json': kevJson(['CVE-2024-0001']),
  'cwe/cwec_v4.15.xml': cweXml([cwe(79, 'Flubber in Pages'), cwe(790, 'Other'), cwe(1079, 'Other')].join('')),
  'capec/stix-capec.json': capecBundle([capecPattern(66, { name: 'Flubber Injection' })]),
  'cna/CNAsList.json': cnaJson(['flubber_org', 'acme']),
})
const search = (q: string, more = '') => world.json<Found>(`/search?q=${encodeURIComponent(q)}&limit=25${more}`)
const cves = async (q: string) => (await search(q)).results.cve!.map(({ id }) => Number(id.slice(9)))

rule(
  28,
  'search finds substrings of ids and labels in any case, and ignores descriptions and the vendor of a product',
  async () => {
    assert.equal((await cves('flubber')).toSorted(), [1, 2, 3, 4, 5])
    assert.equal(await cves('FLUBBERED'), [5])
    const { results } = await search('flubber')
    assert.equal(results.product!.map(({ id }) => id).toSorted(), [
      'acme/a_flubber',
      'acme/flubberino',
      'acme/the_flubber',
    ])
    assert.equal(
      results.vendor!.map(({ id }) => id),
      ['flubbertech'],
    )
    assert.equal(
      (await search('he_flub')).results.product!.map(({ id }) => id),
      ['acme/the_flubber'],
    )
  },
)

rule(
  28,
  'an exact id ranks first, then a prefix of id or label, then the start of a word, then any other match',
  async () => {
    assert.equal(await cves('CVE-2024-0001'), [1, 9])
    assert.equal(await cves('flubber'), [1, 2, 3, 4, 5])
    const weaknesses = (await search('cwe-79')).results.cwe!.map(({ id }) => id.toLowerCase())
    assert.equal(weaknesses, ['cwe-79', 'cwe-790'])
    // The number begins a word of the first two.
    assert.is((await search('79')).results.cwe!.at(-1)!.id.toLowerCase(), 'cwe-1079')
  },
)

rule(28, 'within a rank, KEV-listed CVEs come first, then newer ones; other types sort by number of CVEs', async () => {
  assert.equal((await cves('flubber')).slice(0, 3), [1, 2, 3])
  const { results } = await search('flubber')
  assert.equal(
    results.product!.map(({ id }) => id),
    ['acme/flubberino', 'acme/the_flubber', 'acme/a_flubber'],
  )
})

rule(
  28,
  'results and counts always have the six keys, and package on request; types that were not requested are empty and 0',
  async () => {
    const SIX = TYPES.filter((type) => type !== 'package')
    assert.equal(Object.keys((await search('flubber', '&types=package')).results), TYPES)
    for (const [more, asked] of [
      ['', FOUND],
      ['&types=cwe', ['cwe']],
      ['&types=cna,%20vendor', ['vendor', 'cna']],
    ] as const) {
      const { results, counts } = await search('flubber', more)
      assert.equal(Object.keys(results), SIX)
      assert.equal(Object.keys(counts), SIX)
      for (const type of SIX) {
        assert.is(results[type]!.length > 0, asked.includes(type as never), `${type} ${more}`)
        assert.is(counts[type]! > 0, asked.includes(type as never), `${type} ${more}`)
      }
    }
    const nothing = await search('nothing like it')
    assert.equal([...new Set(Object.values(nothing.counts))], [0])
  },
)

rule(28, 'scores are in (0, 1] and fall with the rank', async () => {
  for (const q of ['flubber', 'cve', 'CVE-2024-0001', 'er']) {
    for (const items of Object.values((await search(q)).results)) {
      const scores = items.map(({ score }) => score)
      for (const score of scores) assert.ok(score > 0 && score <= 1, String(score))
      assert.equal(
        scores,
        scores.toSorted((a, b) => b - a),
      )
    }
  }
})

rule(28, 'links lead to the resource', async () => {
  const { results } = await search('flubber')
  const links = Object.fromEntries(FOUND.map((type) => [type, results[type]![0]!.href]))
  assert.equal(links, {
    vendor: '/vendors/flubbertech',
    product: '/vendors/acme/products/flubberino',
    cwe: '/cwes/cwe-79',
    capec: '/capecs/capec-66',
    cna: '/cnas/flubber_org',
    cve: '/cves/CVE-2024-0001',
  })
})

rule(28, 'counts include matches beyond the limit', async () => {
  const { results, counts } = await world.json<Found>('/search?q=flubber&limit=1')
  assert.equal(counts, { vendor: 1, product: 3, cwe: 1, capec: 1, cna: 1, cve: 5 })
  for (const type of FOUND) assert.is(results[type]!.length, 1, type)
  assert.is((await search('cve-2024')).counts.cve, 13)
})

contract.after(world.remove)
contract.run()
