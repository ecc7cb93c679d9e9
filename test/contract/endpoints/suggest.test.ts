/** gateway/API.md, section 26: one ranked list of all types, against a search written out here. */
import * as assert from 'uvu/assert'
import { contractSuite } from '../support/contract.ts'
import { everythingFindable, matchesOf, TYPES, type Type } from '../support/search-matches.ts'
import { sharedService } from '../support/service.ts'

const { states, after, run } = contractSuite('GET /search/suggest')
const service = await sharedService()
const things = await everythingFindable(service)

interface Suggestion {
  type: Type
  id: string
  label: string
  href: string
}
const suggest = (q: string, more = '') =>
  suggestDefault(q, more.includes('types=') ? more : `${more}&types=${TYPES.join(',')}`)
const suggestDefault = async (q: string, more = '') => {
  const answer = await service.json<{ suggestions: Suggestion[] }>(`/search/suggest?q=${encodeURIComponent(q)}${more}`)
  return answer.suggestions
}
/** All matches of some types, best first. */
const matches = (q: string, types: readonly Type[] = TYPES) =>
  types.flatMap((type) => matchesOf(things[type], q.trim())).toSorted((a, b) => a.rank - b.rank)

const { label } = things.vendor[1]!
const QUERIES = [
  ...['in', 'SE', 'er', 'cve', 'cwe-79', 'CAPEC-6', 'we', '%%', '__', '"q', 'οδ', 'ång', 'zz', 'no such thing', 'in '],
  ...[label, label.slice(0, 3), label.slice(1, 4), things.cve[2]!.id, things.cve[2]!.id.slice(0, 10), '2026-9000'],
]

/** Holds a list of suggestions to be the best that there are. */
function expectBest(found: Suggestion[], q: string, limit: number, types: readonly Type[] = TYPES): void {
  const all = matches(q, types)
  assert.is(found.length, Math.min(limit, all.length), q)
  const ranks = found.map(({ type, id }) => all.find(({ thing }) => thing.type === type && thing.id === id)?.rank)
  assert.equal(
    ranks,
    all.slice(0, limit).map(({ rank }) => rank),
    `${q}: the best, best first`,
  )
  assert.is(new Set(found.map(({ type, id }) => `${type} ${id}`)).size, found.length, 'each once')
}

states('26.13', 'any of seven types; without them all except packages', async () => {
  const six = TYPES.filter((type) => type !== 'package')
  for (const q of ['er', 'in', 'we', 'no such thing']) {
    for (let mask = 1; mask < 2 ** TYPES.length; mask++) {
      const chosen = TYPES.filter((_, i) => mask & (1 << i))
      const found = await suggest(q, `&limit=15&types=${chosen.join(',')}`)
      expectBest(found, q, 15, chosen)
    }
    assert.equal(await suggest(q, '&types=cna,%20cve,cve'), await suggest(q, '&types=cve,cna'))
    assert.equal(await suggestDefault(q), await suggest(q, `&types=${six.join(',')}`))
  }
})

states('26.12, 26.14, 26.15, 26.16', 'one flat list of the best of all types, of any length', async () => {
  let mixed = 0
  for (const q of QUERIES) {
    const most = await suggest(q, '&limit=15')
    expectBest(most, q, 15)
    for (const limit of [1, 2, 8, 14]) assert.equal(await suggest(q, `&limit=${limit}`), most.slice(0, limit), q)
    assert.equal(await suggest(q), most.slice(0, 8))
    for (const item of most) {
      const { key: _, names: __, spellings: ___, ...expected } = things[item.type].find(({ id }) => id === item.id)!
      assert.equal(item, expected)
    }
    if (new Set(most.map(({ type }) => type)).size > 2) mixed++
  }
  assert.ok(mixed > 3, 'of several types')
  assert.ok(QUERIES.filter((q) => matches(q).length > 0).length > 14)
  assert.equal(await suggest('no such thing'), [])
})

states('26.17', 'the subtitle of the search result, on request', async () => {
  for (const q of QUERIES) {
    const plain = await suggest(q, '&limit=15')
    const found = (await suggest(q, '&limit=15&include=subtitle')) as (Suggestion & { subtitle: string })[]
    assert.equal(
      found.map(({ subtitle: _, ...suggestion }) => suggestion),
      plain,
    )
    const target = `/search?q=${encodeURIComponent(q)}&types=${TYPES.join(',')}&limit=25`
    const { results } = await service.json<{ results: Record<Type, { id: string; subtitle: string }[]> }>(target)
    for (const { type, id, subtitle } of found) {
      assert.is(subtitle, results[type].find((one) => one.id === id)?.subtitle, `${q}: ${id}`)
    }
  }
  const { status, body } = await service.ask('/search/suggest?q=er&include=score')
  assert.equal([status, (body as { parameter?: string }).parameter], [400, 'include'])
})

after(() => service.remove())
run()
