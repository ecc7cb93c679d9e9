/** A search finds the same entries as a plain search, in the same order, for hundreds of strings. */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { buildQueryDb, queryContent } from '../../../../corpus/snapshot/query/build.ts'
import { openQuery } from '../../../../corpus/snapshot/query/open.ts'
import { queryDigest } from '../../../../corpus/snapshot/query/rows.ts'
import { SEARCH_TYPES, type SearchType, TEXT_SETS, type TextSet } from '../../../../corpus/snapshot/query/sets.ts'
import { textCache } from '../../../../corpus/snapshot/query/text-cache.ts'
import { temporaryFolder } from '../../../support/dist.ts'
import { bestFirst, plainMatches, plainResults, sampleQueries, sampleSets } from './sample.ts'

const folder = temporaryFolder('query')
const path = join(folder.path, 'query.db')
const sets = sampleSets()
const built = buildQueryDb(path, sets)
const database = new Database(path, { readonly: true })
const query = openQuery(database)
const queries = sampleQueries(sets, 400)
const setOf = (name: string): TextSet | undefined => sets.find((set) => set.name === name)
const resultsOf = (type: SearchType, q: string) =>
  setOf(type) ? plainResults(setOf(type)!, type === 'cve' ? setOf('advisory')! : null, q) : []
const show = JSON.stringify

test('matches of every set are those of a plain substring search', () => {
  let found = 0
  for (const q of queries) {
    for (const set of sets) {
      const entries = plainMatches(set, q)
      const { cves } = set
      const expected = cves ? [...new Set(entries.map((entry) => cves[entry]!))] : entries
      found += expected.length
      assert.equal(Array.from(query.matches(set.name, q)), expected, `${show(q)} in ${set.name}`)
    }
  }
  assert.ok(found > 100_000, `only ${found} matches: the queries show nothing`)
})

test('rule 28: counts are exact, and the best are the best, in their order, at any limit', () => {
  for (const [n, q] of queries.entries()) {
    const limit = [1, 5, 25][n % 3]!
    const { counts, hits } = query.search(SEARCH_TYPES, q, limit)
    for (const type of SEARCH_TYPES) {
      const set = setOf(type)
      const expected = resultsOf(type, q)
      assert.is(counts[type], expected.length, `${show(q)} in ${type}`)
      assert.equal(
        hits[type].map(({ id, rank }) => ({ id, rank })),
        (set ? bestFirst(set, expected).slice(0, limit) : []).map(({ ordinal, rank }) => ({
          id: set!.ids[ordinal],
          rank,
        })),
        `${show(q)} in ${type}`,
      )
    }
  }
})

test('a hit says what it was given: id, key, label (the id where there is none) and subtitle', () => {
  for (const type of ['cve', 'product'] as const) {
    const { ids, keys, labels, subtitles } = setOf(type)!
    const found = ids.map((_, i) => i).filter((i) => i % 11 === 0)
    let seen = 0
    for (const i of found) {
      const hit = query.search([type], keys[i]!, 25).hits[type].find(({ id }) => id === ids[i])
      // Among many products with one name, it may not be one of the best.
      if (!hit) continue
      if (labels[i] === '') seen++
      const label = labels[i] || ids[i]
      assert.equal({ ...hit, rank: 0 }, { type, rank: 0, id: ids[i], key: keys[i], label, subtitle: subtitles[i] })
    }
    assert.ok(seen > 0, 'none of them was without a label')
  }
})

test('rule 28: the id of an advisory finds its CVE, in the form of other CVEs, once, and counts it once', () => {
  const [cves, { ids, cves: found }] = [setOf('cve')!, setOf('advisory')!]
  const several = found!.findIndex((cve, i) => cve === found![i + 1])
  const cve = found![several]!
  const { counts, hits } = query.search(['cve'], ids[several]!, 25)
  assert.is(counts.cve, 1)
  const { label, ...hit } = hits.cve[0]!
  const id = cves.ids[cve]!
  assert.equal(hit, { type: 'cve', rank: 0, id, key: id, subtitle: cves.subtitles[cve] })
  assert.is(label, cves.labels[cve] || id)
  // Its id, and the id of an advisory that contains it.
  const both = found!.findIndex((_, i) => ids[i]!.startsWith('DEBIAN-CVE-'))
  const own = cves.ids[found![both]!]!
  const named = query.search(['cve'], own, 25)
  assert.equal([named.counts.cve, named.hits.cve.map(({ id, rank }) => [id, rank])], [1, [[own, 0]]])
  assert.equal(
    query.suggest(['cve'], own, 8).map(({ id }) => id),
    [own],
  )
})

test('types that are not asked for are empty and count nothing', () => {
  const { counts, hits } = query.search(['cwe'], 'in', 5)
  assert.ok(counts.cwe > 5)
  assert.equal({ ...counts, cwe: 0 }, { vendor: 0, product: 0, cwe: 0, capec: 0, cna: 0, cve: 0, package: 0 })
  assert.equal({ ...hits, cwe: [] }, { vendor: [], product: [], cwe: [], capec: [], cna: [], cve: [], package: [] })
})

test('suggestions: by rank, then the first of each type, the second of each and so on', () => {
  for (const q of queries.filter((_, i) => i % 5 === 0)) {
    const all = SEARCH_TYPES.flatMap((type, order) => {
      const set = setOf(type)
      const positions = [0, 0, 0, 0]
      return (set ? bestFirst(set, resultsOf(type, q)).slice(0, 15) : []).map(({ ordinal, rank }) => {
        return { id: set!.ids[ordinal], type: type as SearchType, rank, position: positions[rank]!++, order }
      })
    })
    const expected = all.sort((a, b) => a.rank - b.rank || a.position - b.position || a.order - b.order).slice(0, 15)
    assert.equal(
      query.suggest(SEARCH_TYPES, q, 15).map(({ id, type }) => ({ id, type })),
      expected.map(({ id, type }) => ({ id, type })),
      show(q),
    )
  }
})

test('searches in steps do not disturb one another', () => {
  const asked = ['CVE-20', 'in', 'overflow', 'e-20', 'remote'].map((q) => {
    return { q, steps: query.stepped.search(SEARCH_TYPES, q, 25), taken: 0 }
  })
  const underWay = new Set(asked)
  while (underWay.size > 0) {
    for (const one of underWay) {
      const { done, value } = one.steps.next()
      one.taken++
      if (!done) continue
      underWay.delete(one)
      assert.equal(value, query.search(SEARCH_TYPES, one.q, 25), one.q)
    }
  }
  assert.ok(asked[0]!.taken > 2, 'thousands of candidates take several steps')
})

test('whatever the bound of the memory, answers are the same; reading ahead stops at the bound', () => {
  for (const maxBytes of [0, 300_000]) {
    const small = openQuery(database, textCache(maxBytes))
    for (const q of ['CVE-20', 'overflow', 'in the']) {
      assert.equal(small.matches('cve', q), query.matches('cve', q))
      assert.equal(small.search(SEARCH_TYPES, q, 25), query.search(SEARCH_TYPES, q, 25))
    }
  }
  const steps = (maxBytes: number) => [...openQuery(database, textCache(maxBytes)).stepped.warm()].length
  assert.is(steps(0), 1)
  assert.ok(steps(300_000) < steps(100_000_000))
})

test('the three ways to the content digest agree, whatever the order of the sets', () => {
  assert.is(queryContent(sets), built.content)
  assert.is(queryContent(sets.toReversed()), built.content)
  assert.equal(queryDigest(database), built)
  assert.is(
    built.count,
    sets.reduce((sum, { keys }) => sum + keys.length, 0),
  )
})

test('whatever changes in a set changes the content digest', () => {
  const small = (): TextSet => ({ name: 'cwe', keys: ['CWE-1'], ids: ['CWE-1'], labels: ['a'], subtitles: ['b'] })
  const digests = [
    queryContent([]),
    queryContent([small()]),
    queryContent([{ ...small(), name: 'capec' }]),
    queryContent([{ ...small(), keys: ['CWE-2'] }]),
    queryContent([{ ...small(), ids: ['CWE-2'] }]),
    queryContent([{ ...small(), labels: ['A'] }]),
    queryContent([{ ...small(), spellings: ['\u001fb'] }]),
    queryContent([{ ...small(), subtitles: [''] }]),
    queryContent([{ ...small(), first: Uint8Array.of(1) }]),
    queryContent([{ ...small(), name: 'package' }]),
    queryContent([{ ...small(), name: 'advisory', cves: Uint32Array.of(0) }]),
    queryContent([{ ...small(), name: 'advisory', cves: Uint32Array.of(1) }]),
  ]
  assert.is(new Set(digests).size, digests.length)
})

/** Returns a search of CVEs with these labels, newest first. One in 700 is in KEV. */
function searchOf(name: string, labels: readonly string[]) {
  const keys = labels.map((_, i) => `CVE-2024-${9999 - i}`)
  const first = Uint8Array.from(labels, (_, i) => (i % 700 === 1 ? 1 : 0))
  const path = join(folder.path, name)
  buildQueryDb(path, [{ name: 'cve', keys, ids: keys, labels: [...labels], subtitles: keys, first }])
  const database = new Database(path, { readonly: true })
  return { keys, first, query: openQuery(database), close: () => database.close() }
}

test('suggestions for a common word: the few texts that begin with it, then those in KEV, then the newest', () => {
  const begins = (i: number) => i % 1000 === 999
  const labels = Array.from({ length: 3000 }, (_, i) =>
    begins(i) ? `Betatron ${i}` : i % 7 === 0 ? 'alphabetatron' : 'alpha betatron',
  )
  const { keys, first, query, close } = searchOf('common.db', labels)
  const words = [...keys.keys()].filter((i) => !begins(i) && i % 7 !== 0)
  const expected = [
    ...[...keys.keys()].filter(begins),
    ...words.filter((i) => first[i] === 1),
    ...words.filter((i) => first[i] === 0),
  ]
  for (const limit of [2, 5, 15]) {
    assert.equal(
      query.suggest(['cve'], 'betatron', limit).map(({ id }) => id),
      expected.slice(0, limit).map((i) => keys[i]),
    )
  }
  close()
})

for (const [where, label] of [
  ['the beginning of most texts', 'betatron'],
  ['the start of a word of most texts', 'alpha betatron'],
  ['the middle of a word of most texts', 'alphabetatron'],
] as const) {
  test(`suggestions of a word at ${where} are the first results of its search`, () => {
    const rarer = ['Betatron', 'a betatron', 'xbetatron', 'beta tron']
    const labels = Array.from({ length: 3000 }, (_, i) => (i % 300 === 299 ? rarer[(i / 300) & 3]! : label))
    const { query, close } = searchOf(`${label}.db`, labels)
    for (const q of ['betatron', 'etat', 'cve-2024-99', 'CVE-2024-7001', 'CVE-2024-700', 'betatrons']) {
      for (const limit of [1, 8, 15]) {
        assert.equal(query.suggest(['cve'], q, limit), query.search(['cve'], q, limit).hits.cve, `${q} ${limit}`)
      }
    }
    close()
  })
}

test('trigrams of one frequency can have postings of both forms', () => {
  // The last one makes the differences of "abc" as long as its bitmap.
  const labels = Array.from({ length: 200 }, (_, i) => (i < 23 ? 'abcd' : i === 23 ? 'bcd' : i === 199 ? 'abc' : 'x'))
  const { query, close } = searchOf('forms.db', labels)
  assert.equal(
    Array.from(query.matches('cve', 'abcd')),
    Array.from({ length: 23 }, (_, i) => i),
  )
  close()
})

test('empty sets can be searched, and have nothing', () => {
  const empty = join(folder.path, 'empty.db')
  buildQueryDb(empty, [])
  const database = new Database(empty, { readonly: true })
  const query = openQuery(database)
  for (const set of TEXT_SETS) assert.is(query.matches(set, 'a').length, 0)
  assert.is(query.search(SEARCH_TYPES, 'CVE-2024', 8).counts.cve, 0)
  assert.equal(query.suggest(SEARCH_TYPES, 'CVE-2024', 8), [])
  database.close()
})

test.after(() => {
  database.close()
  folder.remove()
})

test.run()
