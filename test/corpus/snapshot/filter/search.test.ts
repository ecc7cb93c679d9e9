/** Searches return the CVEs that pass according to the corpus, in every order and from every position. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CveCore } from '../../../../corpus/model/record.ts'
import { STORED_SORTS } from '../../../../corpus/snapshot/cursor/order.ts'
import { idAt } from '../../../../corpus/snapshot/derive/index-table.ts'
import { addBit, cutWord, emptyBitmap, hasBit, wordOf } from '../../../../corpus/snapshot/filter/bitmaps.ts'
import type { CveFilters } from '../../../../corpus/snapshot/filter/filters.ts'
import { orderView } from '../../../../corpus/snapshot/filter/order-view.ts'
import { firstPassing } from '../../../../corpus/snapshot/filter/search.ts'
import { openCorpus } from '../../../../corpus/store/corpus.ts'
import { openRegistry } from '../../../../gateway/snapshots/registry.ts'
import { temporaryFolder } from '../../../support/dist.ts'
import { sharedSample } from '../../../support/samples.ts'
import { listLog } from '../../../support/server.ts'

const folder = temporaryFolder('search')
const sample = await sharedSample('plain')
const registry = openRegistry(sample.dist, { log: listLog().log, pollMs: 0 })
const snapshot = registry.current
const { count } = snapshot.columns
const ids = (ordinals: Iterable<number>) =>
  Array.from(ordinals, (ordinal) => idAt(snapshot.index, snapshot.columns.row[ordinal]!))

/** The cores by id, read from the corpus and not from the snapshot. */
const corpus = openCorpus(sample.corpus)
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

const ORDERS = STORED_SORTS.flatMap((sort) => [true, false].map((descending) => ({ sort, descending })))

for (const [filters, passes] of CASES) {
  const expected = [...cores.values()].filter(passes).map(({ cve_id }) => cve_id as string)

  test(`${JSON.stringify(filters)}: the CVEs that pass according to the corpus, in every order`, () => {
    assert.ok(expected.length > 0, 'nothing matches')
    for (const { sort, descending } of ORDERS) {
      const order = orderView(snapshot, sort, descending)
      const found = firstPassing(snapshot, filters, null, { order, start: 0, most: count })
      assert.equal(ids(found).sort(), expected.toSorted(), order.sort)
      const positions = found.map(order.position)
      assert.equal(
        positions,
        positions.toSorted((a, b) => a - b),
      )
    }
  })

  test(`${JSON.stringify(filters)}: pages from every position`, () => {
    for (const { sort, descending } of ORDERS) {
      const order = orderView(snapshot, sort, descending)
      const all = firstPassing(snapshot, filters, null, { order, start: 0, most: count })
      for (const start of [0, 1, 31, 32, 350, count - 1, count]) {
        for (const most of [1, 3, count]) {
          const page = all.filter((ordinal) => order.position(ordinal) >= start).slice(0, most)
          const found = firstPassing(snapshot, filters, null, { order, start, most })
          assert.equal(found, page, `${sort} ${descending} from ${start}, ${most}`)
        }
      }
    }
  })
}

test('bitmaps: intersections, cut at every border of a word', () => {
  for (const size of [1, 31, 32, 33, 64, 100]) {
    const multiples = (of: number) => {
      const bits = emptyBitmap(size)
      for (let number = 0; number < size; number += of) addBit(bits, number)
      return bits
    }
    const sets = [multiples(2), multiples(3)]
    for (const low of [0, 1, 31, 32, 33]) {
      for (const high of [low, low + 1, 32, 64, size]) {
        if (high > size || low > high) continue
        const found = Array.from({ length: size }, (_, number) => number).filter((number) => {
          const at = number >>> 5
          return hasBit(Uint32Array.of(cutWord(wordOf(sets, at), at, low, high)), number & 31)
        })
        const expected = Array.from({ length: high - low }, (_, i) => low + i).filter((number) => number % 6 === 0)
        assert.equal(found, expected, `${low} to ${high} of ${size}`)
      }
    }
  }
  assert.is(wordOf([], 0), -1, 'without sets, everything passes')
})

test.after(() => {
  registry.close()
  folder.remove()
})

test.run()
