/** Rows gathered from all over the shards: what they say, as gzip and plainly, and what becomes of damaged ones. */
import { gunzipSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type CveListRequest, cvePageAnswer, planCvePage } from '../../../../corpus/answers/plan/cve-page.ts'
import { finished } from '../../../../corpus/runtime/steps.ts'
import { plainBytes } from '../../../../corpus/snapshot/codec/segment-bytes.ts'
import { spliceGzip, splicePlain, spliceTag } from '../../../../corpus/snapshot/codec/splice.ts'
import { cursorBinding } from '../../../../corpus/snapshot/cursor/cursor.ts'
import { type CveSort, STORED_SORTS } from '../../../../corpus/snapshot/cursor/order.ts'
import type { RowRun } from '../../../../corpus/snapshot/data.ts'
import { CORE, CORE_NUMBERS, idAt } from '../../../../corpus/snapshot/derive/index-table.ts'
import { ROWS_PER_PAGE, ROWS_PER_SEGMENT } from '../../../../corpus/snapshot/derive/pages.ts'
import { SnapshotError } from '../../../../corpus/snapshot/error.ts'
import { fileOf, objectPath, readCurrent } from '../../../../corpus/snapshot/files/layout.ts'
import type { CveFilters } from '../../../../corpus/snapshot/filter/filters.ts'
import { orderView } from '../../../../corpus/snapshot/filter/order-view.ts'
import { firstPassing } from '../../../../corpus/snapshot/filter/search.ts'
import { hold } from '../../../../corpus/snapshot/memory/hold.ts'
import { type OpenSnapshot, openSnapshot } from '../../../../corpus/snapshot/memory/open-snapshot.ts'
import { gatheredRows } from '../../../../corpus/snapshot/memory/row-store.ts'
import { coreSegment } from '../../../../corpus/snapshot/record/cve-pieces.ts'
import { epssAt, epssMember } from '../../../../corpus/snapshot/record/epss.ts'
import { encoded } from '../../../../gateway/http/encoded-answer.ts'
import { temporaryFolder } from '../../../support/dist.ts'
import { whileFlipped } from '../../../support/flip-bit.ts'
import { ownSample } from '../../../support/samples.ts'

const folder = temporaryFolder('row-store')
const { dist } = await ownSample('usual', folder.path)
const snapshot = openSnapshot(dist, readCurrent(dist).manifest)
const everyOne = Array.from({ length: snapshot.index.count }, (_, ordinal) => ordinal)
const rowOf = (ordinal: number) => snapshot.columns.row[ordinal]!

/** The same snapshot with `bytes` for rows in memory; `reads` counts the rows that are read. */
function fresh(bytes = 0): OpenSnapshot & { reads: number } {
  const counted = { ...snapshot, reads: 0 }
  counted.readCore = (row, out, at) => {
    counted.reads++
    snapshot.readCore(row, out, at)
  }
  hold(counted, bytes)
  return counted
}

/** A summary record by the way that details take: the whole member, and its head. */
function recordText(ordinal: number): string {
  const row = rowOf(ordinal)
  const member = snapshot.member(row)
  return `${plainBytes(member.bytes, coreSegment(member))}${epssMember(epssAt(snapshot.epss, row))}}`
}

test('each row is its core, closed by its EPSS', () => {
  for (const one of everyOne) {
    const text = recordText(one)
    assert.is(splicePlain([gatheredRows(snapshot, [one], '')]).toString(), text)
    assert.is(gunzipSync(spliceGzip([gatheredRows(snapshot, [one], ',')])).toString(), `${text},`)
    assert.is(JSON.parse(text).cve_id, idAt(snapshot.index, rowOf(one)))
  }
})

test('all rows together, in whatever order, are joined by commas', () => {
  const mixed = everyOne.toSorted((a, b) => ((a * 7) % 31) - ((b * 7) % 31))
  const gathered = gatheredRows(snapshot, mixed, '')
  assert.is(splicePlain([gathered]).toString(), mixed.map(recordText).join(','))
  assert.equal(gunzipSync(spliceGzip([gathered])), splicePlain([gathered]))
})

test('rows in memory are read once, and give the same answers', () => {
  const [held, unheld] = [fresh(1e9), fresh()]
  const assembled = (of: OpenSnapshot) =>
    (['', ','] as const).map((end) => spliceGzip([gatheredRows(of, everyOne.toReversed(), end)]))
  const first = assembled(unheld)
  for (let time = 0; time < 3; time++) assert.equal(assembled(held), first)
  assert.is(held.reads, everyOne.length)
  assert.is(unheld.reads, 2 * everyOne.length)
})

test('the tag depends on rows, their order, their EPSS and the separator', () => {
  const other: OpenSnapshot = { ...snapshot, epss: { ...snapshot.epss, date: '1999-01-01' } }
  const tag = (from: OpenSnapshot, ordinals: number[], end: '' | ',') => spliceTag([gatheredRows(from, ordinals, end)])
  /** The same with another record, another core, or another EPSS in every row. */
  const changed = (part: 'index' | 'epss', name: string): OpenSnapshot => {
    const of = snapshot[part] as unknown as Record<string, Uint32Array>
    return { ...snapshot, [part]: { ...of, [name]: of[name]!.map((one) => one ^ 1) }, readCore() {} }
  }
  const known = everyOne.filter((one) => epssAt(snapshot.epss, rowOf(one)) !== null).slice(0, 2)
  assert.is(known.length, 2)
  assert.is(tag(snapshot, known, ''), tag(snapshot, known, ''))
  const tags = [
    tag(snapshot, known, ''),
    tag(snapshot, known, ','),
    tag(snapshot, known.toReversed(), ''),
    tag(other, known, ''),
    tag(changed('index', 'sources'), known, ''),
    tag(changed('index', 'coreSegments'), known, ''),
    tag(changed('epss', 'scores'), known, ''),
    tag(changed('epss', 'percentiles'), known, ''),
  ]
  assert.is(new Set(tags).size, tags.length)
})

const answerTo = (request: CveListRequest) => encoded(finished(cvePageAnswer(snapshot, request)))

/** The ordinals of the rows of a page. */
const ordinalsOf = (sort: CveSort, runs: readonly RowRun[]) =>
  runs
    .flatMap((run) => {
      if ('positions' in run) return run.positions
      return Array.from(
        { length: ROWS_PER_SEGMENT },
        (_, i) => run.page * ROWS_PER_PAGE + run.segment * ROWS_PER_SEGMENT + i,
      )
    })
    .map((position) => snapshot.orders[sort].ordinals[position]!)

test('a page with adjacent rows of a stored page is spliced from its segments, with the same content', () => {
  const sort = { key: 'published', descending: true } as const
  const since = snapshot.columns.published[snapshot.orders.published.ordinals[180]!]!
  const cases: [CveFilters, whole: number][] = [
    [{ published_since: since }, 4],
    [{ published_until: snapshot.columns.published[10]! }, 3],
    [{ kev: false }, 0],
    [{ kev: true }, 0],
  ]
  for (const [filters, least] of cases) {
    const request = { binding: cursorBinding('cves', sort, filters), sort, filters, after: null, limit: 100 }
    const { way, runs } = finished(planCvePage(snapshot, request))
    assert.is(way, 'merge')
    const answer = answerTo(request)
    const whole = runs.filter((run) => 'page' in run).length
    assert.ok(whole >= least, `${JSON.stringify(filters)}: ${whole} segments`)
    const ordinals = ordinalsOf(sort.key, runs)
    for (const run of runs) if ('positions' in run) assert.equal(run.ordinals, ordinalsOf(sort.key, [run]))
    assert.equal(
      ordinals,
      firstPassing(snapshot, filters, null, { order: orderView(snapshot, 'published', true), start: 0, most: 100 }),
    )
    assert.is(JSON.stringify(JSON.parse(answer.identity().toString()).data), `[${ordinals.map(recordText).join(',')}]`)
    assert.equal(gunzipSync(answer.gzip()), answer.identity())
  }
})

test('from every place of every order, whole segments and gathered rows join to the same page', () => {
  for (const key of STORED_SORTS) {
    const order = orderView(snapshot, key, true)
    for (const start of [1, 24, 26, 73, 130, order.count - 30]) {
      const after = order.keyOf(order.ordinal(start - 1))
      const sort = { key, descending: true }
      const binding = cursorBinding('cves', sort, {})
      const answer = answerTo({ binding, sort, filters: {}, limit: 77, after })
      const expected = Array.from({ length: Math.min(77, order.count - start) }, (_, i) => order.ordinal(start + i))
      const { data } = JSON.parse(answer.identity().toString()) as { data: object[] }
      assert.equal(
        data.map((row) => JSON.stringify(row)),
        expected.map(recordText),
        `${key} from ${start}`,
      )
    }
  }
})

test('a page of nothing is an empty list', () => {
  const sort = { key: 'cvss', descending: true } as const
  const filters: CveFilters = { epss_min: 2e9 }
  const answer = answerTo({ binding: cursorBinding('cves', sort, filters), sort, filters, limit: 25, after: null })
  assert.is(answer.identity().toString(), '{"data":[],"pagination":{"limit":25,"next_cursor":null}}')
  assert.equal(gunzipSync(answer.gzip()), answer.identity())
})

test('a row with a changed byte is an error; the rows next to it are served', () => {
  const { index, manifest } = snapshot
  const row = everyOne.map(rowOf).find((row) => index.shard[row] === index.shard[row + 1])!
  const [damaged, next] = [row, row + 1].map((one) => snapshot.ordinalOfRow[one]!) as [number, number]
  const path = objectPath(dist, fileOf(manifest, 'cve', index.shards[index.shard[row]!]!).sha256)
  const [from, length] = [CORE.at, CORE.length].map((what) => index.coreSegments[row * CORE_NUMBERS + what]!)
  const isDamaged = (error: unknown) => error instanceof SnapshotError && error.code === 'digest'
  for (const at of [from!, from! + (length! >> 1), from! + length! - 1]) {
    whileFlipped(path, at, () => {
      for (const source of [fresh(), fresh(1e9)]) {
        for (let time = 0; time < 2; time++) {
          assert.throws(() => gatheredRows(source, [next, damaged], ''), isDamaged)
          assert.is(splicePlain([gatheredRows(source, [next], '')]).toString(), recordText(next))
        }
      }
    })
  }
})

test.after(() => {
  snapshot.close()
  folder.remove()
})

test.run()
