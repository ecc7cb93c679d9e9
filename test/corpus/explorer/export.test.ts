/** Files of the rows of a list. */
import { parse } from 'csv-parse/sync'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { cveSummary } from '../../../corpus/answers/schemas/cve-summary.ts'
import type { CveSummary } from '../../../corpus/explorer/app/data/answers.ts'
import { type Api, ApiFailure, type Params } from '../../../corpus/explorer/app/data/api.ts'
import { fileName, linesOf, MOST_ROWS, walk } from '../../../corpus/explorer/app/parts/export.ts'
import { csvCell } from '../../../corpus/reader/csv.ts'

const ROW: CveSummary = {
  cve_id: 'CVE-2024-3400',
  state: 'PUBLISHED',
  title: 'A "title", with\r\nline breaks',
  description: '=cmd|calc',
  severity: 'critical',
  cvss_score: 10,
  cvss_score_source: 'cna',
  date_published: '2024-04-12T07:20:00.707Z',
  date_updated: null,
  assigner: '@acme',
  kev: { listed: true, date_added: '2024-04-12' },
  ssvc: { exploitation: 'active', automatable: 'yes', technical_impact: 'total', decision: 'act' },
  epss: { score: 0.94326, percentile: 0.99946, date: '2025-08-30' },
  has_patch: true,
  has_workaround: false,
  has_exploit: true,
  has_detection: true,
  detection_layers: ['network_ids', 'scanner'],
  primary_cwe_id: 'cwe-77',
}

const tableOf = (rows: readonly object[]) => parse(linesOf(rows, 'csv').join('')) as string[][]

test('a CSV file is read back by another program', () => {
  const [head, row, ...others] = tableOf([ROW])
  assert.equal(others, [])
  const read = Object.fromEntries(head!.map((name, column) => [name, row![column]]))
  assert.is(read.title, ROW.title)
  assert.is(read.description, "'=cmd|calc")
  assert.is(read.assigner, "'@acme")
  assert.is(read.cvss_score, '10')
  assert.is(read.kev_listed, 'true')
  assert.is(read.epss_score, '0.94326')
  assert.is(read.date_updated, '')
  assert.is(read.detection_layers, 'network_ids;scanner')
})

test('a CSV file has every field of a summary record', () => {
  const [names] = tableOf([ROW])
  for (const field of Object.keys(cveSummary.shape)) {
    assert.ok(
      names!.some((name) => name === field || name.startsWith(`${field}_`)),
      field,
    )
  }
})

test('a cell cannot be a formula', () => {
  for (const start of ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']) {
    const [[cell]] = parse(`${csvCell(`${start}1`)}\n`) as [[string]]
    assert.is(cell, `'${start}1`)
  }
  assert.is(csvCell(-1), '-1', 'a number is no text')
  assert.is(csvCell('a=b'), 'a=b')
  assert.is(csvCell(null), '')
  assert.is(csvCell(false), 'false')
})

test('a CSV file has the fields of all rows, one column for each', () => {
  const rows = [
    { id: 1, match: null, versions: ['1.0', '2.0'] },
    { id: 2, match: { kind: 'range', fixed: null }, versions: [], weaknesses: [{ id: 'cwe-79' }] },
  ]
  assert.equal(tableOf(rows), [
    ['id', 'versions', 'match_kind', 'match_fixed', 'weaknesses'],
    ['1', '1.0;2.0', '', '', ''],
    ['2', '', 'range', '', '[{"id":"cwe-79"}]'],
  ])
})

test('an NDJSON line is the row', () => {
  const [line, ...others] = linesOf([ROW], 'ndjson')
  assert.equal(others, [])
  assert.equal(JSON.parse(line!), ROW)
  assert.is(line!.indexOf('\n'), line!.length - 1)
})

test('the file name has the snapshot and the filters, and no separators of paths', () => {
  assert.is(
    fileName('cves', '94ac31b8bb2fd7d3', { kev: true, sort: null, fields: ['title'] }, 'csv'),
    'cves-94ac31b8bb2f-kev-true.csv',
  )
  assert.is(fileName('cves', null, { q: '../x:y' }, 'ndjson'), 'cves-q-.._x_y.ndjson')
  assert.ok(fileName('cves', 'a'.repeat(64), { q: 'x'.repeat(500) }, 'csv').length < 200)
})

/** Answers pages of a list with this number of rows. Each failure is thrown once, before the request of its number. */
function listOf(rows: number, failures: Record<number, Error> = {}) {
  const asked: Params[] = []
  const api: Pick<Api, 'get'> = {
    async get<T>(path: string, params: Params = {}): Promise<T> {
      assert.is(path, '/cves')
      asked.push(params)
      const failure = failures[asked.length]
      if (failure) throw failure
      const start = Number(params.cursor ?? 0)
      const end = Math.min(rows, start + Number(params.limit))
      const data = Array.from({ length: end - start }, (_, i) => ({ ...ROW, cve_id: `CVE-2024-${start + i}` }))
      return { data, pagination: { limit: params.limit, next_cursor: end < rows ? String(end) : null } } as T
    },
  }
  return { api, asked }
}

async function read(api: Pick<Api, 'get'>, options: Partial<Parameters<typeof walk>[3]> = {}) {
  const ids: string[] = []
  const pages = walk<{ cve_id: string }>(
    api,
    '/cves',
    { kev: true },
    { signal: new AbortController().signal, ...options },
  )
  for (;;) {
    const page = await pages.next()
    if (page.done) return { ids, isAll: page.value }
    ids.push(...page.value.map(({ cve_id }) => cve_id))
  }
}

test('an export reads all pages with the filters', async () => {
  const { api, asked } = listOf(250)
  const { ids, isAll } = await read(api)
  assert.ok(isAll)
  assert.is(new Set(ids).size, 250)
  assert.equal(
    asked.map(({ kev, limit, cursor }) => [kev, limit, cursor]),
    [
      [true, 100, null],
      [true, 100, '100'],
      [true, 100, '200'],
    ],
  )
})

test('after a 429 and a 503 an export waits as long as it is asked to, and goes on', async () => {
  const failures = {
    2: new ApiFailure(429, 'rate_limited', 'too many', 7),
    3: new ApiFailure(503, 'overloaded', 'later', 2),
  }
  const { api, asked } = listOf(150, failures)
  const waits: number[] = []
  const slept: number[] = []
  const { ids } = await read(api, {
    onWait: (seconds) => waits.push(seconds),
    sleep: async (ms) => {
      slept.push(ms)
    },
  })
  assert.is(ids.length, 150)
  assert.equal(waits, [7, 2])
  assert.equal(slept, [7000, 2000])
  assert.is(asked.length, 4)
})

test('another failure ends an export', async () => {
  const { api } = listOf(150, { 2: new ApiFailure(500, 'internal', 'broken') })
  try {
    await read(api)
    assert.unreachable()
  } catch (error) {
    assert.is((error as ApiFailure).code, 'internal')
  }
})

test('an export can be cancelled, also while it waits', async () => {
  const stop = new AbortController()
  const { api, asked } = listOf(500, { 2: new ApiFailure(429, 'rate_limited', 'too many', 3600) })
  try {
    await read(api, { signal: stop.signal, onWait: () => setImmediate(() => stop.abort()) })
    assert.unreachable()
  } catch (error) {
    assert.is((error as Error).name, 'AbortError')
  }
  assert.is(asked.length, 2)
})

test('an export ends at the bound and says so', async () => {
  const { api } = listOf(MOST_ROWS + 1)
  const { ids, isAll } = await read(api)
  assert.is(ids.length, MOST_ROWS)
  assert.not(isAll)
  assert.ok((await read(listOf(MOST_ROWS).api)).isAll)
})

test.run()
