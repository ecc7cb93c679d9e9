/** gateway/API.md, section 26: matches, their number and their order, against a search written out here. */
import * as assert from 'uvu/assert'
import type { SearchItem } from '../../../corpus/snapshot/query/search-item.ts'
import { refuses } from '../support/checks.ts'
import { contractSuite } from '../support/contract.ts'
import { everythingFindable, matchesOf, TYPES, type Type } from '../support/search-matches.ts'
import { sharedService } from '../support/service.ts'

const { states, after, run } = contractSuite('GET /search')
const service = await sharedService()
const things = await everythingFindable(service)

interface Answer {
  results: Record<Type, SearchItem[]>
  counts: Record<Type, number>
}
const searchDefault = (q: string, more = '') => service.json<Answer>(`/search?q=${encodeURIComponent(q)}${more}`)
/** Searches for all types, unless `more` names some. */
const search = (q: string, more = '') =>
  searchDefault(q, more.includes('types=') ? more : `${more}&types=${TYPES.join(',')}`)
const matches = (type: Type, q: string) => matchesOf(things[type], q.trim())

const { label: vendor, id: vendorId } = things.vendor[1]!
const title = things.cve.find(({ label }) => label.length > 30)!.label
/** Common and rare ones, ids, beginnings, ends and inner parts of words, and what is special elsewhere. */
const QUERIES = [
  ...['in', 'IN', 'se', 'er', 'cve', 'CVE-20', 'cwe-7', 'cwe-79', 'CWE-79', 'capec-6', 'CAPEC-66', 'weakness', 'inc.'],
  ...['-', '0', '_'].map((one) => one + one),
  ...['%%', '__', '100%', '"q', '\\u', '(u', '😀x', ' 😀😀 ', 'οδος', 'ΟΔΟΣ', 'straße', 'ång', 'zz', 'no such thing'],
  ...[vendor, vendorId, vendor.toUpperCase(), vendor.slice(2, 7), title, title.slice(3, 15), title.slice(-8)],
  ...[things.cve[0]!.id, things.cve[7]!.id.toLowerCase(), things.cna[3]!.id, things.product[5]!.key],
  ...['a b', ' er', 'in ', 'the', 'of', 're', 'handling', 'x'.repeat(200)],
]

states('26.1', 'required text of two characters', async () => {
  for (const q of ['ab', '😀😀', '%%', 'é é', 'x'.repeat(200)]) await search(q)
  for (const query of ['', '?types=cve', '?q=a', '?q=%F0%9F%98%80']) await refuses(service, `/search${query}`, 'q')
})

states('26.2', 'any of seven types; without them all except packages', async () => {
  const { results, counts } = await searchDefault('er')
  const { results: all, counts: every } = await search('er')
  const { package: packages, ...others } = all
  const { package: _, ...counted } = every
  assert.ok(packages.length > 0)
  assert.equal([results, counts], [others, counted])
  for (const q of ['er', 'in', 'we']) {
    const all = await search(q, '&limit=25')
    for (let mask = 1; mask < 2 ** TYPES.length; mask++) {
      const chosen = TYPES.filter((_, i) => mask & (1 << i))
      const { results, counts } = await search(q, `&limit=25&types=${chosen.join(',')}`)
      for (const type of TYPES) {
        const absent = type === 'package' ? [undefined, undefined] : [[], 0]
        const expected = chosen.includes(type) ? [all.results[type], all.counts[type]] : absent
        assert.equal([results[type], counts[type]], expected, `${q} ${chosen}: ${type}`)
      }
    }
    assert.equal(await search(q, '&types=cna,%20cve,cve'), await search(q, '&types=cve,cna'))
  }
})

states('26.3', 'results of each type', async () => {
  const { results: most } = await search('in', '&limit=25')
  assert.equal(await search('in'), await search('in', '&limit=5'))
  for (const limit of [1, 2, 5, 24, 25]) {
    const { results } = await search('in', `&limit=${limit}`)
    for (const type of TYPES) assert.equal(results[type], most[type].slice(0, limit), `${type} ${limit}`)
  }
})

/** The answers to all queries, with the most results. */
const answers = new Map<string, Answer>()
for (const q of QUERIES) answers.set(q, await search(q, '&limit=25'))

states('26.4, 26.5', 'every match by type, and nothing else', async () => {
  for (const [q, answer] of answers) {
    assert.equal(Object.keys(answer).sort(), ['counts', 'results'])
    assert.equal(Object.keys(answer.results), [...TYPES])
    for (const type of TYPES) {
      const found = matches(type, q)
      for (const { subtitle, score, ...item } of answer.results[type]) {
        const match = found.find(({ thing }) => thing.id === item.id)
        assert.ok(match, `${q}: ${type} ${item.id} is no match`)
        const { key: _, names: __, spellings: ___, ...expected } = match.thing
        assert.equal(item, expected)
        assert.ok(typeof subtitle === 'string' && score > 0 && score <= 1)
      }
    }
  }
  const { results } = await search('no such thing')
  assert.equal(results, { vendor: [], product: [], cwe: [], capec: [], cna: [], cve: [], package: [] })
})

states('26.6, 26.8', 'at most the limit of each type, and the number of all matches', async () => {
  for (const q of QUERIES) {
    const expected = Object.fromEntries(TYPES.map((type) => [type, matches(type, q).length]))
    for (const limit of [1, 5, 25]) {
      const { results, counts } = limit === 25 ? answers.get(q)! : await search(q, `&limit=${limit}`)
      assert.equal(counts, expected, q)
      for (const type of TYPES) {
        assert.is(results[type].length, Math.min(limit, counts[type]), `${q}: ${type}`)
        assert.is(new Set(results[type].map(({ id }) => id)).size, results[type].length, 'each once')
      }
    }
  }
  for (const type of TYPES) {
    const total = new Set(QUERIES.map((q) => matches(type, q).length))
    if (things[type].length > 0) assert.ok(total.size > 3, type)
  }
})

states('26.7', 'the best score first', async () => {
  let ranked = 0
  for (const [q, { results }] of answers) {
    for (const type of TYPES) {
      const found = matches(type, q)
      const scores = results[type].map(({ score }) => score)
      assert.equal(
        scores,
        scores.toSorted((a, b) => b - a),
        `${q}: ${type}`,
      )
      const ranks = results[type].map(({ id }) => found.find(({ thing }) => thing.id === id)!.rank)
      const best = found.slice(0, 25).map(({ rank }) => rank)
      assert.equal(ranks, best, `${q}: ${type}: the best matches, best first`)
      for (const [i, rank] of ranks.entries()) {
        if (i > 0) assert.is(scores[i]! < scores[i - 1]!, rank > ranks[i - 1]!, 'a worse match scores less')
      }
      if (new Set(ranks).size > 1) ranked++
    }
  }
  assert.ok(ranked > 20, String(ranked))
  const { results } = await search(things.cve[3]!.id)
  assert.equal([results.cve[0]!.id, results.cve[0]!.score], [things.cve[3]!.id, 1])
})

states('26.9', 'counts beyond the limit', async () => {
  const { results, counts } = await search('in')
  for (const type of TYPES) {
    assert.ok(counts[type] >= results[type].length)
    if (counts[type] > 5) assert.is(results[type].length, 5)
  }
  assert.ok(counts.cve > 25 && counts.product > 25)
})

after(() => service.remove())
run()
