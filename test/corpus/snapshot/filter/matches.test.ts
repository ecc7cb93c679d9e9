/** The matches of filters equal those of the corpus, for every search method; and bit sets behave as sets. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CveCore } from '../../../../corpus/model/record.ts'
import { CVE_SORTS } from '../../../../corpus/snapshot/cursor/order.ts'
import { idAt } from '../../../../corpus/snapshot/derive/index-table.ts'
import { bitsOf, bitsWhere, countBits, cutWord, hasBit, wordOf } from '../../../../corpus/snapshot/filter/bits.ts'
import { leastFrom, passingOf } from '../../../../corpus/snapshot/filter/enumerate.ts'
import { type Constraint, type CveFilters, constraintsOf } from '../../../../corpus/snapshot/filter/filters.ts'
import {
  clausesOf,
  isEnumerable,
  ordinalsOf,
  sieveOf,
  sizeOf,
  withinPublication,
} from '../../../../corpus/snapshot/filter/matches.ts'
import { orderView } from '../../../../corpus/snapshot/filter/order-view.ts'
import { positionsIn, runsFrom, scanPositions, walkList } from '../../../../corpus/snapshot/filter/scan.ts'
import { firstPassing } from '../../../../corpus/snapshot/filter/search.ts'
import { openCorpus } from '../../../../corpus/store/corpus.ts'
import { openRegistry } from '../../../../gateway/snapshots/registry.ts'
import { sampleDist, temporaryFolder } from '../../../support/dist.ts'
import { listLog } from '../../../support/server.ts'

const folder = temporaryFolder('matches')
const sample = await sampleDist(folder.path, 700)
const registry = openRegistry(sample.dist, { log: listLog().log, pollMs: 0 })
const snapshot = registry.current
const { count } = snapshot.columns
const ids = (ordinals: Iterable<number>) =>
  Array.from(ordinals, (ordinal) => idAt(snapshot.index, snapshot.columns.row[ordinal]!))

/** The cores by id from the corpus, without data of the snapshot. */
const corpus = openCorpus(sample.corpus, { readonly: true })
const cores = new Map(
  corpus
    .blocks()
    .flatMap(({ block }) =>
      [...corpus.records(block)].map(
        ({ cveId, parts }) => [cveId as string, JSON.parse(parts.core) as CveCore] as const,
      ),
    ),
)
corpus.close()

const most = <T>(of: (core: CveCore) => T | null): T => {
  const counts = new Map<T, number>()
  for (const core of cores.values()) {
    const value = of(core)
    if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]![0]
}
const assigner = most((core) => core.assigner)
const cwe = most(({ primary_cwe_id }) => primary_cwe_id)
const since = (date: string | null, year: number) => date !== null && Date.parse(date) >= Date.UTC(year, 0)
const ofCwe = { number: Number(cwe.slice('cwe-'.length)), scope: 'primary' } as const

const CASES: [filters: CveFilters, passes: (core: CveCore) => boolean][] = [
  [{ kev: true }, ({ kev }) => kev.listed],
  [{ kev: false }, ({ kev }) => !kev.listed],
  [{ severity: ['high', 'none'] }, ({ severity }) => severity === 'high' || severity === 'none'],
  [{ has_patch: true, severity: ['medium'] }, (core) => core.has_patch && core.severity === 'medium'],
  [
    { has_patch: false, has_exploit: false, kev: false },
    (core) => !core.has_patch && !core.has_exploit && !core.kev.listed,
  ],
  [
    { published_since: Date.UTC(2020, 0), has_patch: true },
    (core) => since(core.date_published, 2020) && core.has_patch,
  ],
  [{ updated_since: Date.UTC(2024, 0), kev: false }, (core) => since(core.date_updated, 2024) && !core.kev.listed],
  [
    { updated_since: Date.UTC(2021, 0), published_since: Date.UTC(2020, 0) },
    (core) => since(core.date_updated, 2021) && since(core.date_published, 2020),
  ],
  [
    { assigner, published_since: Date.UTC(2018, 0) },
    (core) => core.assigner === assigner && since(core.date_published, 2018),
  ],
  [{ cwe: ofCwe, has_patch: true }, (core) => core.primary_cwe_id === cwe && core.has_patch],
  [
    { cwe: ofCwe, updated_since: Date.UTC(2016, 0) },
    (core) => core.primary_cwe_id === cwe && since(core.date_updated, 2016),
  ],
]

/** Returns the ordinals that match constraints, each tested separately. */
const passing = (constraints: readonly Constraint[]) => {
  const one = new Uint32Array(1)
  return Uint32Array.from({ length: count }, (_, ordinal) => ordinal).filter((ordinal) =>
    constraints.every((constraint) => {
      one[0] = ordinal
      return sieveOf(snapshot, constraint)(one, 1) === 1
    }),
  )
}

const ORDERS = CVE_SORTS.flatMap((sort) => [true, false].map((descending) => ({ sort, descending })))

for (const [filters, passes] of CASES) {
  const expected = [...cores.values()].filter(passes).map(({ cve_id }) => cve_id as string)

  test(`${JSON.stringify(filters)}: what passes is what the corpus says, in every order`, () => {
    assert.ok(expected.length > 0, 'nothing matches: the case shows nothing')
    for (const { sort, descending } of ORDERS) {
      const order = orderView(snapshot, sort, descending)
      const found = firstPassing(snapshot, snapshot.bits, filters, null, { order, start: 0, most: count })
      assert.equal(ids(found).sort(), expected.toSorted(), order.sort)
      const positions = found.map(order.position)
      assert.equal(
        positions,
        positions.toSorted((a, b) => a - b),
      )
    }
  })

  test(`${JSON.stringify(filters)}: every way to find them finds the same, from every place and as many as are wanted`, () => {
    const constraints = withinPublication(constraintsOf(snapshot, snapshot.bits, filters, null))
    for (const { sort, descending } of ORDERS) {
      const order = orderView(snapshot, sort, descending)
      const all = [...passing(constraints)].sort((a, b) => order.position(a) - order.position(b))
      assert.is(all.length, expected.length)
      const bounds = { from: 0, to: count }
      const clauses = clausesOf(snapshot.bits, sort, constraints)
      const sieves = () => constraints.filter(isEnumerable).map((one) => sieveOf(snapshot, one))
      for (const start of [0, 1, 31, 32, 350, count - 1, count]) {
        const runs = runsFrom(order, start, bounds)
        assert.is(positionsIn(runs), count - start)
        for (const wanted of [1, 3, count]) {
          const left = all.filter((ordinal) => order.position(ordinal) >= start).slice(0, wanted)
          const say = `${sort} ${descending} from ${start}, ${wanted}`
          assert.equal(
            scanPositions(snapshot, order, runs, { clauses, sieves: sieves() }, wanted, 10 * count),
            left,
            say,
          )
          assert.equal(
            firstPassing(snapshot, snapshot.bits, filters, null, { order, start, most: wanted }),
            left,
            `${say}, by estimate`,
          )
          for (const one of constraints.filter(isEnumerable)) {
            const ordinals = ordinalsOf(snapshot, one)
            const others = constraints.filter((other) => other !== one).map((other) => sieveOf(snapshot, other))
            const enumerated = () =>
              passingOf(snapshot, { ...filters, q: `${one.kind}` }, { order, bounds, ordinals, sieves: others })
            assert.equal(enumerated().from(start, wanted), left, `${say}, enumerated`)
            assert.equal(enumerated().from(start, wanted), left, `${say}, remembered`)
            if (one.kind === 'list' && sort === 'published') {
              assert.equal(walkList(ordinals, runs, others, wanted), left, `${say}, along the list`)
            }
          }
        }
      }
    }
  })
}

test('a walk that finds too little is given up', () => {
  const order = orderView(snapshot, 'cvss', true)
  const never = [() => 0]
  const runs = runsFrom(order, 0, { from: 0, to: count })
  for (const patience of [0, 1, 100, count / 2]) {
    assert.is(scanPositions(snapshot, order, runs, { clauses: [], sieves: never }, 1, patience), null)
  }
  assert.equal(scanPositions(snapshot, order, runs, { clauses: [], sieves: never }, 1, 2 * count), [])
})

test('sizes of single constraints are exact, those of lists that a stretch of publication cuts included', () => {
  const filters: CveFilters[] = [
    { kev: true },
    { has_patch: false },
    { severity: ['low', 'critical'] },
    { updated_since: Date.UTC(2022, 0) },
    { assigner, published_since: Date.UTC(2018, 0) },
  ]
  for (const one of filters) {
    const [constraint, ...others] = withinPublication(constraintsOf(snapshot, snapshot.bits, one, null))
    const { length } = passing([constraint!, ...others])
    assert.is(Math.round(sizeOf(snapshot, snapshot.bits, constraint!)), length, JSON.stringify(one))
  }
})

test('a list is tested alike by halves and, after many questions, by bits', () => {
  const ordinals = Uint32Array.from({ length: 100 }, (_, i) => i * 3)
  const sieve = sieveOf(snapshot, { kind: 'list', ordinals, column: null, key: 0 })
  for (const size of [1, 2, 310, 310]) {
    const candidates = Uint32Array.from({ length: 310 }, (_, i) => 309 - i)
    const left = sieve(candidates, size)
    const expected = Array.from({ length: size }, (_, i) => 309 - i).filter((one) => one % 3 === 0 && one < 300)
    assert.equal([...candidates.subarray(0, left)], expected)
  }
})

test('the smallest numbers from a bound on, however many are wanted', () => {
  const numbers = Uint32Array.from({ length: 500 }, (_, i) => (i * 7919) % 1009)
  for (const least of [0, 1, 500, 1008, 2000]) {
    for (const wanted of [1, 2, 26, 101, 600]) {
      const expected = [...numbers].filter((number) => number >= least).sort((a, b) => a - b)
      assert.equal([...leastFrom(numbers, least, wanted)], expected.slice(0, wanted), `${wanted} from ${least}`)
    }
  }
})

test('sets of bits: count, membership, intersections of unions and inverses, cut at every border of a word', () => {
  for (const size of [1, 31, 32, 33, 64, 100]) {
    const [twos, threes] = [2, 3].map((by) => bitsWhere(size, (number) => number % by === 0))
    const some = Array.from({ length: size }, (_, number) => number).filter((number) => number % 3 === 0)
    assert.equal(bitsOf(size, Uint32Array.from(some)), threes)
    assert.is(countBits(threes!), some.length)
    const clauses = [
      { any: [twos!, threes!], not: 0 },
      { any: [threes!], not: -1 },
    ] as const
    for (const low of [0, 1, 31, 32, 33]) {
      for (const high of [low, low + 1, 32, 64, size]) {
        if (high > size || low > high) continue
        const found = Array.from({ length: size }, (_, number) => number).filter((number) => {
          const at = number >>> 5
          return hasBit(Uint32Array.of(cutWord(wordOf(clauses, at), at, low, high)), number & 31)
        })
        const expected = Array.from({ length: high - low }, (_, i) => low + i).filter((n) => n % 2 === 0 && n % 3 !== 0)
        assert.equal(found, expected, `${low} to ${high} of ${size}`)
      }
    }
  }
  assert.is(wordOf([], 0), -1, 'no clauses let everything through')
})

test.after(() => {
  registry.close()
  folder.remove()
})

test.run()
