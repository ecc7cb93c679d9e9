import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { idAt } from '../../../corpus/snapshot/derive/index-table.ts'
import { readCurrent } from '../../../corpus/snapshot/layout.ts'
import { CVE_SORTS } from '../../../corpus/snapshot/order.ts'
import { splicePlain } from '../../../corpus/snapshot/splice.ts'
import { rowPieces } from '../../../gateway/plan/row-pieces.ts'
import { type OpenSnapshot, openSnapshot } from '../../../gateway/shelf/open-snapshot.ts'
import { sampleDist, temporaryFolder } from '../../support/dist.ts'

const folder = temporaryFolder('row-pieces')
const { dist } = await sampleDist(folder.path, 300)
const snapshot = openSnapshot(dist, readCurrent(dist).manifest)

/** The same snapshot, of which nothing is remembered; `reads` counts how often it is read. */
function fresh(): OpenSnapshot & { reads: number } {
  const counted = { ...snapshot, reads: 0 }
  counted.page = (sort, page) => {
    counted.reads++
    return snapshot.page(sort, page)
  }
  return counted
}

test('a page is read once, then remembered', () => {
  const once = fresh()
  const pieces = rowPieces(once)
  for (let time = 0; time < 3; time++) {
    for (const sort of CVE_SORTS) for (const segment of [0, 1, 2, 3]) pieces.run(sort, 1, segment)
  }
  assert.is(once.reads, CVE_SORTS.length)
})

test('runs of different sorts, pages and segments are told apart', () => {
  const pieces = rowPieces(fresh())
  for (const page of [0, 1]) {
    for (const segment of [0, 1, 2, 3]) {
      for (const sort of CVE_SORTS) {
        const rows = JSON.parse(`[${splicePlain([pieces.run(sort, page, segment)])}]`) as { cve_id: string }[]
        const from = page * 100 + segment * 25
        const expected = Array.from(snapshot.orders[sort].ordinals.subarray(from, from + 25), (ordinal) =>
          idAt(snapshot.index, snapshot.columns.row[ordinal]!),
        )
        assert.equal(
          rows.map(({ cve_id }) => cve_id),
          expected,
          `${sort} ${page} ${segment}`,
        )
      }
    }
  }
})

test.after(() => {
  snapshot.close()
  folder.remove()
})

test.run()
