/** The rare matches of bit constraints equal those of flags and severities, for all filters. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { CVE_SORTS } from '../../../../corpus/snapshot/cursor/order.ts'
import { FLAGS, SEVERITIES } from '../../../../corpus/snapshot/derive/facts.ts'
import { type CveFilters, constraintsOf } from '../../../../corpus/snapshot/filter/filters.ts'
import { isEnumerable } from '../../../../corpus/snapshot/filter/matches.ts'
import { orderView } from '../../../../corpus/snapshot/filter/order-view.ts'
import { rareMatches } from '../../../../corpus/snapshot/filter/rare-matches.ts'
import { firstPassing } from '../../../../corpus/snapshot/filter/search.ts'
import { FILTER_FLAGS } from '../../../../corpus/snapshot/filter/snapshot-bits.ts'
import { openRegistry } from '../../../../gateway/snapshots/registry.ts'
import { sampleDist, temporaryFolder } from '../../../support/dist.ts'
import { listLog } from '../../../support/server.ts'

const folder = temporaryFolder('few')
const { dist } = await sampleDist(folder.path, 2000)
const registry = openRegistry(dist, { log: listLog().log, pollMs: 0 })
const snapshot = registry.current
const { flags, severity, count, published } = snapshot.columns

const passing = (filters: CveFilters): number[] =>
  Array.from({ length: count }, (_, ordinal) => ordinal).filter(
    (ordinal) =>
      FILTER_FLAGS.every((name) => {
        const wanted = filters[name]
        return wanted === undefined || wanted === ((flags[ordinal]! & FLAGS[name]) !== 0)
      }) &&
      (filters.severity?.includes(SEVERITIES[severity[ordinal]!]!) ?? true),
  )

const EACH = [undefined, true, false]
const COMBINATIONS = EACH.flatMap((kev) =>
  EACH.flatMap((has_exploit) =>
    EACH.flatMap((has_patch) =>
      [undefined, [], ['none'], ['low', 'critical'], [...SEVERITIES]].map(
        (severity): CveFilters => ({ kev, has_exploit, has_patch, severity: severity as CveFilters['severity'] }),
      ),
    ),
  ),
).filter((filters) => Object.values(filters).some((value) => value !== undefined))

const fewWith = (filters: CveFilters) => {
  const told = constraintsOf(snapshot, snapshot.bits, filters, null).filter((one) => !isEnumerable(one))
  return rareMatches(snapshot, snapshot.bits, told)
}

test('they are all that pass, in their order, or null where these are many; the second time too', () => {
  const sizes = { none: 0, few: 0, many: 0 }
  for (const filters of [...COMBINATIONS, ...COMBINATIONS.toReversed()]) {
    const expected = passing(filters)
    const few = fewWith(filters)
    if (expected.length > 1024) assert.is(few, null, JSON.stringify(filters))
    else assert.equal([...few!], expected, JSON.stringify(filters))
    sizes[few === null ? 'many' : expected.length === 0 ? 'none' : 'few']++
  }
  assert.ok(sizes.none > 20 && sizes.few > 20 && sizes.many > 20, JSON.stringify(sizes))
})

test('with times of publication and EPSS beside them, in every order, from everywhere', () => {
  const since = [...published].sort((a, b) => a - b)[count >> 1]!
  for (const filters of COMBINATIONS) {
    for (const more of [{ published_since: since }, { epss_min: 0.1 }, { published_until: since, epss_min: 0.01 }]) {
      const of = (one: CveFilters, sort: (typeof CVE_SORTS)[number], descending: boolean, start = 0) =>
        firstPassing(snapshot, snapshot.bits, one, null, {
          order: orderView(snapshot, sort, descending),
          start,
          most: count,
        })
      const told = new Set(passing(filters))
      for (const sort of CVE_SORTS) {
        const order = orderView(snapshot, sort, true)
        // The matches of the other filters are found without bits.
        const expected = of(more, sort, true).filter((ordinal) => told.has(ordinal))
        assert.equal(of({ ...filters, ...more }, sort, true), expected)
        const behind = expected.filter((ordinal) => order.position(ordinal) >= 700)
        assert.equal(of({ ...filters, ...more }, sort, true, 700), behind)
        assert.equal(new Set(of({ ...filters, ...more }, sort, false)), new Set(expected))
      }
    }
  }
})

test.after(() => {
  registry.close()
  folder.remove()
})

test.run()
