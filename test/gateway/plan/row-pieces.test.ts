import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { splicePlain, spliceTag } from '../../../corpus/snapshot/codec/splice.ts'
import { CVE_SORTS } from '../../../corpus/snapshot/cursor/order.ts'
import { idAt } from '../../../corpus/snapshot/derive/index-table.ts'
import { readCurrent } from '../../../corpus/snapshot/files/layout.ts'
import { rowPieces } from '../../../gateway/plan/row-pieces.ts'
import { type OpenSnapshot, openSnapshot } from '../../../gateway/snapshots/open-snapshot.ts'
import { sampleDist, temporaryFolder } from '../../support/dist.ts'

const folder = temporaryFolder('row-pieces')
const { dist } = await sampleDist(folder.path, 300)
const snapshot = openSnapshot(dist, readCurrent(dist).manifest)

/** The same snapshot, of which nothing is remembered; `headReads` and `reads` count what is read of it. */
function fresh(): OpenSnapshot & { headReads: number; reads: number } {
  const counted = { ...snapshot, headReads: 0, reads: 0 }
  counted.pageHead = (sort, page) => {
    counted.headReads++
    return snapshot.pageHead(sort, page)
  }
  counted.pageBytes = (...where) => {
    counted.reads++
    return snapshot.pageBytes(...where)
  }
  return counted
}

test('the head of a page is read once, neighbouring runs together', () => {
  const counted = fresh()
  const pieces = rowPieces(counted)
  for (let time = 0; time < 3; time++) for (const sort of CVE_SORTS) pieces.runs(sort, 1, 0, 4)
  assert.is(counted.headReads, CVE_SORTS.length)
  assert.is(counted.reads, 3 * CVE_SORTS.length)
})

test('several runs are those that come one by one', () => {
  const pieces = rowPieces(fresh())
  const together = pieces.runs('cvss', 0, 1, 4)
  const single = [1, 2, 3].map((segment) => pieces.runs('cvss', 0, segment, segment + 1)[0]!)
  assert.is(together.length, 3)
  assert.is(spliceTag(together), spliceTag(single))
  assert.is(splicePlain(together).toString(), splicePlain(single).toString())
})

test('a page has the runs that it has', () => {
  const pieces = rowPieces(fresh())
  assert.throws(() => pieces.runs('cvss', 0, 3, 5), /has no segment 4/)
  assert.throws(() => pieces.runs('cvss', 3, 0, 1), /there is no page 3 by cvss/)
})

test('a damaged run is not handed out', () => {
  const damaged = fresh()
  damaged.pageBytes = (...where) => {
    const bytes = Buffer.from(snapshot.pageBytes(...where))
    bytes[bytes.length - 1]! ^= 1
    return bytes
  }
  assert.throws(() => rowPieces(damaged).runs('cvss', 0, 0, 2), /a segment is damaged/)
})

test('runs of different sorts, pages and segments are distinguished', () => {
  const pieces = rowPieces(fresh())
  for (const page of [0, 1]) {
    for (const segment of [0, 1, 2, 3]) {
      for (const sort of CVE_SORTS) {
        const rows = JSON.parse(`[${splicePlain(pieces.runs(sort, page, segment, segment + 1))}]`) as {
          cve_id: string
        }[]
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
