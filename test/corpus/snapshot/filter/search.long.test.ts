/** Searches with combinations of flags, severities, ranges and lists: the same CVEs as a test of all columns. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { STORED_SORTS } from '../../../../corpus/snapshot/cursor/order.ts'
import { FLAGS, SEVERITIES } from '../../../../corpus/snapshot/derive/facts.ts'
import { postingsOf } from '../../../../corpus/snapshot/derive/postings.ts'
import type { CveFilters } from '../../../../corpus/snapshot/filter/filters.ts'
import { FILTER_FLAGS } from '../../../../corpus/snapshot/filter/filters.ts'
import { orderView } from '../../../../corpus/snapshot/filter/order-view.ts'
import { firstPassing, SHORT_LIST } from '../../../../corpus/snapshot/filter/search.ts'
import { fromBillionths, NO_EPSS } from '../../../../corpus/snapshot/record/epss.ts'
import { openRegistry } from '../../../../gateway/snapshots/registry.ts'
import { temporaryFolder } from '../../../support/dist.ts'
import { sharedSample } from '../../../support/samples.ts'
import { listLog } from '../../../support/server.ts'

const folder = temporaryFolder('search-long')
const { dist } = await sharedSample('large')
const registry = openRegistry(dist, { log: listLog().log, pollMs: 0 })
const snapshot = registry.current
const { flags, severity, count, published, updated, assigner, anyCwe, row } = snapshot.columns

const ofWeakness = [...anyCwe.keys.keys()].toSorted(
  (a, b) => postingsOf(anyCwe, b).length - postingsOf(anyCwe, a).length,
)[0]!
const ofAssigner = [...assigner.keys.keys()].toSorted(
  (a, b) => postingsOf(assigner, b).length - postingsOf(assigner, a).length,
)[0]!
const middleOf = (values: Float64Array) => values.filter((value) => !Number.isNaN(value)).sort()[count >> 1]!
const [published_since, updated_since] = [middleOf(published), middleOf(updated)]

function passes(filters: CveFilters, ordinal: number): boolean {
  const score = snapshot.epss.scores[row[ordinal]!]!
  return (
    FILTER_FLAGS.every((name) => {
      const wanted = filters[name]
      return wanted === undefined || wanted === ((flags[ordinal]! & FLAGS[name]) !== 0)
    }) &&
    (filters.severity?.includes(SEVERITIES[severity[ordinal]!]!) ?? true) &&
    (filters.epss_min === undefined || (score !== NO_EPSS && fromBillionths(score) >= filters.epss_min)) &&
    (filters.published_since === undefined || published[ordinal]! >= filters.published_since) &&
    (filters.published_until === undefined || published[ordinal]! <= filters.published_until) &&
    (filters.updated_since === undefined || updated[ordinal]! >= filters.updated_since) &&
    (filters.assigner === undefined || postingsOf(assigner, filters.assigner).includes(ordinal)) &&
    (filters.cwe === undefined || postingsOf(anyCwe, filters.cwe.number).includes(ordinal))
  )
}

const EACH = [undefined, true, false]
const FACETS = EACH.flatMap((kev) =>
  EACH.flatMap((has_exploit) =>
    EACH.flatMap((has_patch) =>
      [undefined, [], ['none'], ['low', 'critical'], [...SEVERITIES]].map(
        (severity): CveFilters => ({ kev, has_exploit, has_patch, severity: severity as CveFilters['severity'] }),
      ),
    ),
  ),
)
const OTHERS: CveFilters[] = [
  {},
  { published_since },
  { published_until: published_since },
  { epss_min: 0.1 },
  { epss_min: 0.01, updated_since },
  { epss_min: 0.01, published_until: published_since, updated_since },
  { cwe: { number: ofWeakness, scope: 'any' } },
  { cwe: { number: ofWeakness, scope: 'any' }, assigner: ofAssigner, updated_since },
]
const CASES = OTHERS.flatMap((other, at) =>
  FACETS.filter((_, i) => i % 3 === at % 3).map((facets) => ({ ...facets, ...other })),
)

test('all matches in every order, and pages from the middle', () => {
  const sizes = { none: 0, few: 0, many: 0 }
  for (const filters of [...CASES, ...CASES.slice(0, 50)]) {
    const expected = Array.from({ length: count }, (_, ordinal) => ordinal).filter((one) => passes(filters, one))
    sizes[expected.length === 0 ? 'none' : expected.length <= SHORT_LIST ? 'few' : 'many']++
    for (const sort of STORED_SORTS) {
      for (const descending of [true, false]) {
        const order = orderView(snapshot, sort, descending)
        const inOrder = expected.toSorted((a, b) => order.position(a) - order.position(b))
        const find = (start: number, most: number) => firstPassing(snapshot, filters, null, { order, start, most })
        const title = `${JSON.stringify(filters)} ${sort} ${descending}`
        assert.equal(find(0, count), inOrder, title)
        const behind = inOrder.filter((ordinal) => order.position(ordinal) >= 700)
        assert.equal(find(700, 26), behind.slice(0, 26), `${title} from 700`)
      }
    }
  }
  assert.ok(sizes.none > 50 && sizes.few > 50 && sizes.many > 10, JSON.stringify(sizes))
})

test.after(() => {
  registry.close()
  folder.remove()
})

test.run()
