/** Pages of `/affected`: the facts of CVEs, and cursors within rows that may change. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type AffectedSources, rowsAffecting } from '../../../../corpus/answers/plan/affected.ts'
import { isAffectedKey, pageOfRows } from '../../../../corpus/answers/plan/affected-page.ts'
import type { AffectedRow } from '../../../../corpus/model/packages/affected-row.ts'
import type { PackageEntry } from '../../../../corpus/model/packages/package-entry.ts'
import { finished } from '../../../../corpus/runtime/steps.ts'
import { cursorId, FLAGS, type RowKey, SEVERITIES, toBillionths } from '../../../../corpus/snapshot/index.ts'
import { type CveSources, factsOf } from '../../../../corpus/snapshot/memory/cves.ts'
import { advisory } from '../../model/packages/package-entries.ts'
import { inEngine } from './in-engine.ts'

const widget: PackageEntry = {
  ecosystem: 'npm',
  name: 'widget',
  purl: 'pkg:npm/widget',
  spellings: ['widget'],
  advisories: [advisory('GHSA-1', { cve_ids: ['CVE-2024-0002'] }), advisory('GHSA-2', { cve_ids: ['CVE-2024-0009'] })],
}

/** CVE-2024-0001 and CVE-2024-0002; the order of publication is the other way round. */
const TABLES = {
  index: {
    count: 2,
    year: Uint16Array.of(2024, 2024),
    numberHigh: Uint32Array.of(0, 0),
    numberLow: Uint32Array.of(1, 2),
  },
  columns: {
    score: Float64Array.of(7.5, Number.NaN),
    severity: Uint8Array.of(SEVERITIES.indexOf('high'), 255),
    flags: Uint8Array.of(FLAGS.kev | FLAGS.has_exploit, 0),
  },
  ordinalOfRow: Uint32Array.of(1, 0),
  epss: {
    date: '2024-05-01',
    modelVersion: 'v1',
    scores: Uint32Array.of(0xffffffff, toBillionths(0.25)),
    percentiles: Uint32Array.of(0xffffffff, toBillionths(0.5)),
  },
} as unknown as CveSources

const engine = inEngine()

/** A snapshot with a package of npm. */
const snapshotWith = (widget: () => PackageEntry): AffectedSources => ({
  packages: {
    *package(ecosystem, name) {
      return ecosystem === 'npm' && name === 'widget' ? widget() : null
    },
    *aliases() {
      return () => null
    },
  },
  cves: {
    *facts() {
      return (id) => factsOf(TABLES, id)
    },
  },
})

const SNAPSHOT = snapshotWith(() => widget)

test('a row has the facts that the snapshot has of its CVE', async () => {
  const rows = finished(rowsAffecting(SNAPSHOT, { ecosystem: 'npm', names: ['widget'], version: '1.0.0' }))
  assert.equal(
    rows.map(({ advisory_id, severity, cvss_score, kev, has_exploit, epss }) => [
      ...[advisory_id, severity, cvss_score],
      ...[kev, has_exploit, epss],
    ]),
    [
      ['GHSA-1', 'high', 7.5, true, true, 0.25],
      ['GHSA-2', null, null, false, false, null],
    ],
  )
  assert.equal(finished(rowsAffecting(SNAPSHOT, { ecosystem: 'npm', names: ['unknown'], version: null })), [])
})

test('a package with many versions is compared between other requests, once for all that ask', async () => {
  const versions = Array.from({ length: 20_000 }, (_, i) => `${i}.0.0`)
  const affected = [{ ecosystem: 'npm', ranges: [], versions }]
  const large = { ...widget, advisories: [advisory('GHSA-1', {}, affected), advisory('GHSA-2', {}, affected)] }
  let reads = 0
  const read = () => {
    reads++
    return large
  }
  const snapshot = snapshotWith(read)
  const ask = (version: string) => engine.run(rowsAffecting(snapshot, { ecosystem: 'npm', names: ['widget'], version }))
  const [first, second] = [ask('7.0.0'), ask('7.0.0')]
  assert.ok(first instanceof Promise)
  assert.equal(idsOf(await first), ['GHSA-1', 'GHSA-2'])
  assert.is(await second, await first)
  assert.is(ask('7.0.0'), await first)
  assert.equal(await ask('7.5.0'), [])
  assert.is(reads, 2)
})

const row = (advisory_id: string, some: Partial<AffectedRow> = {}) =>
  ({ advisory_id, severity: 'high', kev: false, epss: null, ...some }) as AffectedRow

const ROWS = [
  row('A-1', { severity: 'critical' }),
  row('A-2', { kev: true, epss: 0.5 }),
  row('A-3', { epss: 1 }),
  row('A-4', { epss: 0.000000001 }),
  row('A-5', { epss: 0 }),
  row('A-6'),
  row('A-7'),
  row('A-8', { severity: null, kev: true }),
  row('A-9', { severity: null }),
]
const idsOf = (rows: readonly AffectedRow[]) => rows.map(({ advisory_id }) => advisory_id)

function walk(rows: readonly AffectedRow[], limit: number): string[] {
  const seen: string[] = []
  let after: RowKey | null = null
  do {
    const page = pageOfRows(rows, after, limit)
    seen.push(...idsOf(page.data))
    if (page.last) assert.ok(isAffectedKey(page.last))
    after = page.last
  } while (after)
  return seen
}

test('a walk returns every row once, with pages of any size', () => {
  for (const limit of [1, 2, 3, 8, 9, 10]) assert.equal(walk(ROWS, limit), idsOf(ROWS), String(limit))
  assert.equal(pageOfRows([], null, 5), { data: [], last: null })
})

test('after a row that is gone, the page begins with the next one', () => {
  ROWS.forEach((gone, position) => {
    const { last } = pageOfRows([...ROWS.slice(0, position + 1), row('Z-1', { severity: null })], null, position + 1)
    const others = ROWS.filter((one) => one !== gone)
    assert.equal(idsOf(pageOfRows(others, last, 100).data), idsOf(ROWS.slice(position + 1)), gone.advisory_id)
  })
})

test('ids that are too long for a cursor are found', () => {
  const long = ['b', 'a', 'c'].map((letter) => row(`${'x'.repeat(200)}${letter}`))
  assert.is.not(cursorId(long[0]!.advisory_id), long[0]!.advisory_id)
  assert.equal(walk(long, 1), idsOf(long))
})

test('a key of another list is none of this one', () => {
  for (const value of [null, 'text', -1, 0.5, Number.NaN, 2 ** 60]) assert.not.ok(isAffectedKey({ value, id: 'A-1' }))
  assert.not.ok(isAffectedKey({ value: 1, id: '' }))
})

test.run()
