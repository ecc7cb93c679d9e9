/** The two forms of a set of matches, list and bits, hold the same CVEs, and the sets of bits do as sets do. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CveCore } from '../../../corpus/model/record.ts'
import { idAt } from '../../../corpus/snapshot/derive/index-table.ts'
import { openCorpus } from '../../../corpus/store/corpus.ts'
import { bitsBetween, bitsOf, bitsWhere, countBits, invertBits, ordinalsOf } from '../../../gateway/plan/bits.ts'
import { type CveFilters, constraintsOf } from '../../../gateway/plan/filters.ts'
import { matchesOf } from '../../../gateway/plan/matches.ts'
import { openShelf } from '../../../gateway/shelf/shelf.ts'
import { sampleDist, temporaryFolder } from '../../support/dist.ts'
import { listLog } from '../../support/server.ts'

const folder = temporaryFolder('matches')
const sample = await sampleDist(folder.path, 700)
const shelf = openShelf(sample.dist, { log: listLog().log, pollMs: 0 })
const snapshot = shelf.current
const { count } = snapshot.columns

/** The cores as the corpus has them, by id: nothing of the snapshot is in them. */
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
    (core) => core.date_published !== null && Date.parse(core.date_published) >= Date.UTC(2020, 0) && core.has_patch,
  ],
  [
    { updated_since: Date.UTC(2024, 0), kev: false },
    (core) => core.date_updated !== null && Date.parse(core.date_updated) >= Date.UTC(2024, 0) && !core.kev.listed,
  ],
]

for (const [filters, passes] of CASES) {
  test(`${JSON.stringify(filters)}: list and bits hold what the corpus says`, () => {
    const constraints = constraintsOf(snapshot, snapshot.bits, filters, null)
    const expected = [...cores.values()].filter(passes).map(({ cve_id }) => cve_id as string)
    assert.ok(expected.length > 0, 'nothing matches: the case shows nothing')
    const asList = matchesOf(snapshot, constraints, count)
    const asBits = matchesOf(snapshot, constraints, 0)
    assert.is(asList.kind, 'list')
    assert.is(asBits.kind, 'bits')
    const ids = (ordinals: Iterable<number>) =>
      Array.from(ordinals, (ordinal) => idAt(snapshot.index, snapshot.columns.row[ordinal]!)).sort()
    assert.equal(asList.kind === 'list' && ids(asList.ordinals), expected.sort())
    assert.equal(asBits.kind === 'bits' && ids(ordinalsOf(asBits.bits, asBits.count)), expected.sort())
  })
}

test('sets of bits: between, inverse, count and enumeration agree at every border of a word', () => {
  for (const size of [1, 31, 32, 33, 64, 100]) {
    for (const from of [0, 1, 31, 32, 33]) {
      for (const to of [from, from + 1, 32, 64, size]) {
        if (to > size || from > to) continue
        const expected = Array.from({ length: to - from }, (_, i) => from + i)
        const bits = bitsBetween(size, from, to)
        assert.is(countBits(bits), expected.length, `${from} to ${to} of ${size}`)
        assert.equal(Array.from(ordinalsOf(bits, expected.length)), expected)
        assert.equal(bitsOf(size, Uint32Array.from(expected)), bits)
        const others = bitsWhere(size, (ordinal) => ordinal < from || ordinal >= to)
        assert.equal(invertBits(bits, size), others)
      }
    }
  }
})

test.after(() => {
  shelf.close()
  folder.remove()
})

test.run()
