/** A search finds the same entries as a plain search, in the same order, for hundreds of strings. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { packTexts } from '../../../../corpus/snapshot/codec/text-column.ts'
import { queryDigest } from '../../../../corpus/snapshot/query/digest.ts'
import { finish, openQueryFile, searchRunner } from '../../../../corpus/snapshot/query/native.ts'
import { checkPages } from '../../../../corpus/snapshot/query/page-crcs.ts'
import { LOCAL_COSTS, openSearches, type Searches } from '../../../../corpus/snapshot/query/search.ts'
import {
  SEARCH_TYPES,
  type SearchedText,
  type SearchTexts,
  type SearchType,
  TEXT_SETS,
  type TextSet,
} from '../../../../corpus/snapshot/query/sets.ts'
import { temporaryFolder } from '../../../support/dist.ts'
import {
  bestFirst,
  buildQueryDb,
  plainMatches,
  plainResults,
  sampleQueries,
  sampleTexts,
  wordSource,
} from './sample.ts'

const folder = temporaryFolder('query')
const path = join(folder.path, 'query.db')
const texts = sampleTexts()
const { sets, advisories } = texts
const built = buildQueryDb(path, texts)
const database = openQueryFile(path)
const query = openQuery(database)
const queries = sampleQueries(sets, 400)
const setOf = (name: string): TextSet | undefined => sets.find((set) => set.name === name)
const resultsOf = (type: SearchType, q: string) =>
  setOf(type) ? plainResults(setOf(type)!, type === 'cve' ? advisories : null, q) : []
const show = JSON.stringify
const searchable = queries.filter((q) => q.trim() !== '')

/** Returns the searches of a database, run to their end. */
function openQuery(of: Database, searches: Searches = openSearches({ ...LOCAL_COSTS, readFirst: 256, rankAll: 100 })) {
  const run = searchRunner(of)
  return {
    run,
    searches,
    matches: (...asked: Parameters<Searches['matches']>) => finish(run(searches.matches(...asked))),
    firstMatches: (...asked: Parameters<Searches['firstMatches']>) => finish(run(searches.firstMatches(...asked))),
    countMatches: (...asked: Parameters<Searches['countMatches']>) => finish(run(searches.countMatches(...asked))),
    search: (...asked: Parameters<Searches['search']>) => finish(run(searches.search(...asked))),
    suggest: (...asked: Parameters<Searches['suggest']>) => finish(run(searches.suggest(...asked))),
  }
}

test('matches and counts of every set are those of a plain substring search', () => {
  let found = 0
  for (const q of queries) {
    for (const set of sets) {
      const expected = plainMatches(set, q)
      found += expected.length
      assert.equal(Array.from(query.matches(set.name, q)), expected, `${show(q)} in ${set.name}`)
      assert.is(query.countMatches(set.name, q), expected.length, `${show(q)} in ${set.name}`)
    }
  }
  assert.ok(found > 100_000, `only ${found} matches: the queries show nothing`)
})

for (const readFirst of [0, 100, 10_000]) {
  test(`the first matches in a range are those of all, if ${readFirst} texts are read before the index`, () => {
    const of = openQuery(database, openSearches({ ...LOCAL_COSTS, readFirst }))
    for (const [n, q] of queries.entries()) {
      const set = sets[n % sets.length]!
      const all = plainMatches(set, q)
      for (const after of [null, all[all.length >> 1] ?? null, 1_000_000]) {
        for (const isDescending of [false, true]) {
          const isInRange = (ordinal: number) => after === null || (isDescending ? ordinal < after : ordinal > after)
          const expected = (isDescending ? all.toReversed() : all).filter(isInRange).slice(0, 7)
          const first = of.firstMatches(set.name, q, { limit: 7, after, isDescending })
          assert.equal(Array.from(first), expected, `${show(q)} in ${set.name} after ${after} ${isDescending}`)
        }
      }
    }
  })
}

for (const [rankAll, texts] of [
  [0, searchable.filter((_, i) => i % 2 === 0)],
  [100, searchable],
  [10_000, searchable.filter((_, i) => i % 2 === 1)],
] as const) {
  test(`rule 28: counts are exact, and the best are in order, at any limit, if up to ${rankAll} are ranked at once`, () => {
    const of = openQuery(database, openSearches({ ...LOCAL_COSTS, readFirst: 256, rankAll }))
    for (const [n, q] of texts.entries()) {
      const limit = [1, 5, 25][n % 3]!
      const { counts, hits } = of.search(SEARCH_TYPES, q, limit)
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
}

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
  const cves = setOf('cve')!
  const { ids, cves: found } = advisories
  const several = found.findIndex((cve, i) => cve === found[i + 1])
  const cve = found[several]!
  const { counts, hits } = query.search(['cve'], ids[several]!, 25)
  assert.is(counts.cve, 1)
  const { label, ...hit } = hits.cve[0]!
  const id = cves.ids[cve]!
  assert.equal(hit, { type: 'cve', rank: 0, id, key: id, subtitle: cves.subtitles[cve] })
  assert.is(label, cves.labels[cve] || id)
  // The beginning of an id finds all CVEs of such ids, each once.
  const beginning = ids[several]!.slice(0, 6)
  const expected = new Set(found.filter((_, i) => ids[i]!.startsWith(beginning)))
  assert.ok(expected.size > 1)
  assert.is(query.search(['cve'], beginning, 25).counts.cve, expected.size)
  // A part that is not the beginning has the form of no id, or of another.
  const own = cves.ids[found[ids.findIndex((one) => one.startsWith('DEBIAN-CVE-'))]!]!
  const named = query.search(['cve'], own, 25)
  assert.equal([named.counts.cve, named.hits.cve.map(({ id, rank }) => [id, rank])], [1, [[own, 0]]])
})

test('types that are not asked for are empty and count nothing', () => {
  const { counts, hits } = query.search(['cwe'], 'in', 5)
  assert.ok(counts.cwe > 5)
  assert.equal({ ...counts, cwe: 0 }, { vendor: 0, product: 0, cwe: 0, capec: 0, cna: 0, cve: 0, package: 0 })
  assert.equal({ ...hits, cwe: [] }, { vendor: [], product: [], cwe: [], capec: [], cna: [], cve: [], package: [] })
})

test('suggestions: by rank, then the first of each type, the second of each and so on', () => {
  for (const q of searchable.filter((_, i) => i % 5 === 0)) {
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
    const steps = query.run(query.searches.search(SEARCH_TYPES, q, 25))
    return { q, steps, all: query.run(query.searches.matches('cve', q)), taken: 0 }
  })
  const underWay = new Set(asked)
  while (underWay.size > 0) {
    for (const one of underWay) {
      one.all.next()
      const { done, value } = one.steps.next()
      one.taken++
      if (!done) continue
      underWay.delete(one)
      assert.equal(value, query.search(SEARCH_TYPES, one.q, 25), one.q)
    }
  }
  assert.ok(asked[0]!.taken > 2, 'a search takes several steps')
  for (const { all, q } of asked) {
    let step = all.next()
    while (!step.done) step = all.next()
    assert.ok(step.value === undefined || step.value.length === query.matches('cve', q).length, q)
  }
})

test('rule 28: all words match, in any order', () => {
  const labels = ['Apache Log4j2 JNDI', 'log4j in Apache Tomcat', 'xapache ylog4j', 'apache', 'log4j', 'Apache xlog4j']
  const { keys, query, close } = searchOf('several.db', labels)
  const found = (q: string) => query.search(['cve'], q, 25).hits.cve.map(({ id, rank }) => [keys.indexOf(id), rank])
  assert.equal(found('apache log4j'), [
    [0, 1],
    [1, 2],
    [2, 3],
    [5, 3],
  ])
  assert.equal(found('  LOG4J   apache '), [
    [1, 1],
    [0, 2],
    [2, 3],
    [5, 3],
  ])
  assert.is(query.search(['cve'], 'apache log4j', 1).counts.cve, 4)
  assert.equal(found('apache log4j nothing'), [])
  close()
})

/** CVEs with these titles, descriptions and names. */
const DESCRIBED = [
  ['Buffer overflow', 'A remote attacker can crash the server.', 'Müller GmbH'],
  ['Overflow', 'Buffers, and the Remote Desktop of Muller.', 'acme'],
  ['', 'Buffer\u2010overflow in log4j-core 2.17', 'apache http_server'],
] as const

test('the text search finds CVEs with all words in id, title, description and names', () => {
  const path = join(folder.path, 'words.db')
  const keys = DESCRIBED.map((_, i) => `CVE-2024-${1000 + i}`)
  const labels = DESCRIBED.map(([title]) => title)
  const set: TextSet = { name: 'cve', keys, ids: keys, labels, subtitles: keys }
  const cores = DESCRIBED.map(([title, description], i) =>
    Buffer.from(JSON.stringify({ cve_id: keys[i], title: title || null, description }).slice(0, -1)),
  )
  buildQueryDb(
    path,
    { sets: [set], advisories: { ids: [], cves: new Uint32Array() } },
    {
      cores: {
        chunks: cores,
        chunkOf: Uint16Array.of(0, 1, 2),
        from: new Uint32Array(3),
        to: Uint32Array.from(cores, ({ length }) => length),
      },
      // The rows are in the opposite order.
      rows: Uint32Array.of(2, 1, 0),
      names: packTexts(DESCRIBED.length, (i) => DESCRIBED[i]![2]),
      named: Uint32Array.of(0, 1, 2),
      namedAt: Uint32Array.of(0, 1, 2, 3),
    },
  )
  const database = openQueryFile(path)
  const words = openQuery(database)
  const rows = (text: string) => Array.from(words.matches('words', text), (ordinal) => 2 - ordinal)
  for (const [text, expected] of [
    ['overflow', [2, 1, 0]],
    ['BUFFER overflow', [2, 0]],
    ['overflow buffer*', [2, 1, 0]],
    ['remote', [1, 0]],
    ['müller', [1, 0]],
    ['MULLER crash', [0]],
    ['log4j-core', [2]],
    ['server', [2, 0]],
    ['http_server', [2]],
    ['cve-2024-1001', [1]],
    ['2024 2.17', [2]],
    ['over', []],
    ['ove* rem*', [1, 0]],
    ['overflow -', [2, 1, 0]],
    ['overflow "remote" OR (crash) NEAR/2 ^', []],
  ] as const) {
    assert.equal(rows(text), expected, text)
    assert.is(words.countMatches('words', text), expected.length, text)
    const first = words.firstMatches('words', text, { limit: 2, after: null, isDescending: true })
    assert.equal(
      Array.from(first, (ordinal) => 2 - ordinal),
      expected.toReversed().slice(0, 2),
      text,
    )
  }
  for (const text of ['', '-', '*', 'a*', 'ab* cd* ef* gh* ij*']) {
    assert.throws(
      () => words.matches('words', text),
      (error: unknown) => error instanceof RangeError,
      text,
    )
  }
  database.close()
})

const contentOf = (some: TextSet[], ids: Partial<SearchTexts['advisories']> = {}, words = wordSource(some)): string => {
  const path = join(folder.path, `content-${contents++}.db`)
  return buildQueryDb(path, { sets: some, advisories: { ids: [], cves: new Uint32Array(), ...ids } }, words).content
}
let contents = 0

test('the content digest follows from the rows, whatever the order of the sets and the pages of the file', () => {
  const reversed = join(folder.path, 'reversed.db')
  assert.equal(buildQueryDb(reversed, { sets: sets.toReversed(), advisories }), built)
  assert.equal(queryDigest(database), built)
  assert.is(
    built.count,
    sets.reduce((sum, { keys }) => sum + keys.length, new Set(advisories.ids.map((id) => id.toLowerCase())).size),
  )
})

test('whatever changes in a set changes the content digest', () => {
  const small = (): TextSet => ({ name: 'cwe', keys: ['CWE-1'], ids: ['CWE-1'], labels: ['a'], subtitles: ['b'] })
  const cve = (): TextSet => ({ ...small(), name: 'cve' })
  const digests = [
    contentOf([]),
    contentOf([small()]),
    contentOf([{ ...small(), name: 'capec' }]),
    contentOf([{ ...small(), keys: ['CWE-2'] }]),
    contentOf([{ ...small(), ids: ['CWE-2'] }]),
    contentOf([{ ...small(), labels: ['A'] }]),
    contentOf([{ ...small(), spellings: ['\u001fb'] }]),
    contentOf([{ ...small(), subtitles: [''] }]),
    contentOf([{ ...small(), first: Uint8Array.of(1) }]),
    contentOf([{ ...small(), name: 'package' }]),
    contentOf([cve()]),
    contentOf([cve()], {}, wordSource([{ ...cve(), labels: ['b'] }])),
    contentOf([cve()], { ids: ['GHSA-1'], cves: Uint32Array.of(0) }),
    contentOf([cve()], { ids: ['GHSA-2'], cves: Uint32Array.of(0) }),
  ]
  assert.is(new Set(digests).size, digests.length)
})

test('each page has a CRC behind the last page, and a damaged or swapped page has another', () => {
  const copy = join(folder.path, 'crcs.db')
  copyFileSync(path, copy)
  const bytes = readFileSync(copy)
  checkPages(bytes)
  const size = bytes.readUInt16BE(16)
  const swapped = Buffer.from(bytes)
  swapped.copy(swapped, 2 * size, 3 * size, 4 * size)
  bytes.copy(swapped, 3 * size, 2 * size, 3 * size)
  assert.throws(() => checkPages(swapped), /page 2 of query\.db is damaged/)
  assert.throws(() => checkPages(bytes.subarray(0, -4)), /which do not fit its \d+ pages/)
  writeFileSync(copy, bytes)
})

/** Returns a search of CVEs with these labels, newest first. One in 700 is in KEV. */
function searchOf(name: string, labels: readonly string[]) {
  const keys = labels.map((_, i) => `CVE-2024-${9999 - i}`)
  const first = Uint8Array.from(labels, (_, i) => (i % 700 === 1 ? 1 : 0))
  const path = join(folder.path, name)
  const set: TextSet = { name: 'cve', keys, ids: keys, labels: [...labels], subtitles: keys, first }
  buildQueryDb(path, { sets: [set], advisories: { ids: [], cves: new Uint32Array() } })
  const database = openQueryFile(path)
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

test('empty sets can be searched, and have nothing', () => {
  const empty = join(folder.path, 'empty.db')
  buildQueryDb(empty, { sets: [], advisories: { ids: [], cves: new Uint32Array() } })
  const database = openQueryFile(empty)
  const query = openQuery(database)
  for (const set of [...TEXT_SETS, 'words'] satisfies SearchedText[]) assert.is(query.matches(set, 'a').length, 0)
  assert.is(query.search(SEARCH_TYPES, 'CVE-2024', 8).counts.cve, 0)
  assert.equal(query.suggest(SEARCH_TYPES, 'CVE-2024', 8), [])
  database.close()
})

test.after(() => {
  database.close()
  folder.remove()
})

test.run()
