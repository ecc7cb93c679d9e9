import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spliceGzip, splicePlain, spliceTag } from '../../../corpus/snapshot/codec/splice.ts'
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
  counted.readPage = (...where) => {
    counted.reads++
    snapshot.readPage(...where)
  }
  return counted
}

test('the head of a page is read once, its segments when an answer is assembled', () => {
  const counted = fresh()
  const pieces = rowPieces(counted)
  for (let time = 0; time < 3; time++) {
    for (const sort of CVE_SORTS) {
      const run = pieces.run(sort, 1, 0, 4)
      spliceTag([run])
      assert.is(counted.reads, time * CVE_SORTS.length + CVE_SORTS.indexOf(sort))
      spliceGzip([run])
    }
  }
  assert.is(counted.headReads, CVE_SORTS.length)
})

test('several segments are those that come one by one, joined by commas', () => {
  const pieces = rowPieces(fresh())
  const together = [pieces.run('cvss', 0, 1, 4)]
  const [first, second, third] = [1, 2, 3].map((segment) => pieces.run('cvss', 0, segment, segment + 1))
  const single = [first!, ',', second!, ',', third!]
  assert.is(spliceTag(together), spliceTag(single))
  assert.equal(spliceGzip(together), spliceGzip(single))
  assert.is(splicePlain(together).toString(), splicePlain(single).toString())
})

test('a page has the segments that it has', () => {
  const pieces = rowPieces(fresh())
  assert.throws(() => pieces.run('cvss', 0, 3, 5), /has no segment 4/)
  assert.throws(() => pieces.run('cvss', 3, 0, 1), /the list has no page 3 in sort order cvss/)
})

test('a damaged segment is an error, never an answer; a damaged comma is replaced', () => {
  const sound = spliceGzip([rowPieces(fresh()).run('cvss', 0, 0, 2)])
  const { offset, length } = snapshot.pageHead('cvss', 0).segments[0]!
  const damagedAt = (position: number) => {
    const damaged = fresh()
    damaged.readPage = (sort, page, from, length, out, at) => {
      snapshot.readPage(sort, page, from, length, out, at)
      out[at + position - from]! ^= 1
    }
    return rowPieces(damaged).run('cvss', 0, 0, 2)
  }
  for (const assemble of [spliceGzip, splicePlain]) {
    for (const position of [offset, offset + length - 1, offset + length + 6]) {
      assert.throws(() => assemble([damagedAt(position)]), /a segment is damaged/)
    }
  }
  for (let position = offset + length; position < offset + length + 6; position++) {
    assert.equal(spliceGzip([damagedAt(position)]), sound)
  }
})

test('runs of different sorts, pages and segments are distinguished', () => {
  const pieces = rowPieces(fresh())
  for (const page of [0, 1]) {
    for (const segment of [0, 1, 2, 3]) {
      for (const sort of CVE_SORTS) {
        const rows = JSON.parse(`[${splicePlain([pieces.run(sort, page, segment, segment + 1)])}]`) as {
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
