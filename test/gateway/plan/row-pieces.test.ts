/** Pieces of rows: remembered or read afresh, they say the same; and they say what the shards hold. */
import { gunzipSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { idAt } from '../../../corpus/snapshot/derive/index-table.ts'
import { epssAt, epssMember } from '../../../corpus/snapshot/epss.ts'
import { readCurrent } from '../../../corpus/snapshot/layout.ts'
import { plainBytes } from '../../../corpus/snapshot/member.ts'
import { CVE_SORTS } from '../../../corpus/snapshot/order.ts'
import { spliceGzip, splicePlain, spliceTag } from '../../../corpus/snapshot/splice.ts'
import { cvePageAnswer } from '../../../gateway/plan/cve-answer.ts'
import { coreSegment, rowPieces } from '../../../gateway/plan/row-pieces.ts'
import { type OpenSnapshot, openSnapshot } from '../../../gateway/shelf/open-snapshot.ts'
import { sampleDist, temporaryFolder } from '../../support/dist.ts'

const folder = temporaryFolder('row-pieces')
const { dist } = await sampleDist(folder.path, 300)
const snapshot = openSnapshot(dist, readCurrent(dist).manifest)
const everyRow = Array.from({ length: snapshot.index.count }, (_, row) => row)

/** The same snapshot, of which nothing is remembered; `reads` counts how often it is read. */
function fresh(): OpenSnapshot & { reads: number } {
  const counted = { ...snapshot, reads: 0 }
  counted.core = (row) => {
    counted.reads++
    return snapshot.core(row)
  }
  counted.page = (sort, page) => {
    counted.reads++
    return snapshot.page(sort, page)
  }
  return counted
}

test('the piece of a record is its core, closed by its EPSS, and a comma unless it is the last', () => {
  const pieces = rowPieces(fresh())
  for (const row of everyRow) {
    const member = snapshot.core(row)
    const text = `${plainBytes(member.bytes, coreSegment(member))}${epssMember(epssAt(snapshot.epss, row))}}`
    assert.is(splicePlain([pieces.record(row, true)]).toString(), text)
    assert.is(gunzipSync(spliceGzip([pieces.record(row, false)])).toString(), `${text},`)
    assert.is(JSON.parse(text).cve_id, idAt(snapshot.index, row))
  }
})

test('a record and a page are read once, then remembered', () => {
  const once = fresh()
  const pieces = rowPieces(once)
  for (let time = 0; time < 3; time++) {
    for (const row of everyRow) pieces.record(row, false)
    for (const sort of CVE_SORTS) for (const segment of [0, 1, 2, 3]) pieces.run(sort, 1, segment)
  }
  assert.is(once.reads, everyRow.length + CVE_SORTS.length)
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

test('snapshots do not answer with each other’s rows', () => {
  const other = fresh()
  other.epss = { ...snapshot.epss, date: '1999-01-01' }
  const text = (from: OpenSnapshot) => splicePlain([rowPieces(from).record(0, true)]).toString()
  assert.is.not(text(other), text(snapshot))
})

test('an answer has the same tag and the same bytes whether or not its rows were remembered', () => {
  const known = fresh()
  const plan = { way: 'merge', rows: everyRow.slice(3, 28), limit: 25, nextCursor: 'abc' } as const
  const [cold, warm] = [cvePageAnswer(known, plan), cvePageAnswer(known, plan)]
  assert.is(warm.tag, cold.tag)
  assert.equal(warm.gzip(), cold.gzip())
  assert.equal(gunzipSync(warm.gzip()), warm.identity())
  assert.is.not(spliceTag([rowPieces(known).record(1, false)]), spliceTag([rowPieces(known).record(1, true)]))
})

test('a page of nothing is an empty list', () => {
  const answer = cvePageAnswer(snapshot, { way: 'merge', rows: [], limit: 25, nextCursor: null })
  assert.is(answer.identity().toString(), '{"data":[],"pagination":{"limit":25,"next_cursor":null}}')
  assert.equal(gunzipSync(answer.gzip()), answer.identity())
})

test.after(() => {
  snapshot.close()
  folder.remove()
})

test.run()
