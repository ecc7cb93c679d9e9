/** Figures from rounds, the table of the bench, and the text around it. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type BenchLine, comparedTo, isMet, isWanted, lineOf, median, ratioOf, spreadOf } from './line.ts'
import { budgetText, figureText, lineTable, reportText, verdictText } from './report.ts'

const page = (given: Partial<BenchLine> = {}) =>
  lineOf({
    name: 'http/page25',
    title: 'page of 25 rows',
    cves: 13_000,
    unit: 'requests/s',
    figure: 8123.4,
    reference: { title: 'a constant body', figure: 10_000 },
    ratio: { median: 0.8123, min: 0.75, max: 0.9 },
    budget: { of: 'ratio', least: 0.7 },
    details: { 'p99 ms': 1.234, 'bytes read/request': 5000 },
    ...given,
  })

/** Lines with every kind of cell, one without optional cells, and one that misses its budget. */
const LINES = [
  page(),
  page({ cves: 350_000, growth: { median: 0.97, min: 0.9, max: 1.01 }, ratio: { median: 0.65, min: 0.6, max: 0.7 } }),
  lineOf({
    name: 'build/memory',
    title: 'peak memory',
    cves: 13_000,
    unit: 'MB',
    figure: 1600.7,
    budget: { of: 'figure', most: 1500 },
  }),
  lineOf({ name: 'stall/scans', title: 'scans', cves: 13_000, unit: 'ms', figure: 0.5 }),
]

test('medians, spreads and ratios come from the rounds, and ratios need as many rounds of both', () => {
  assert.equal(
    [[3, 1, 2], [4, 1, 3, 2], [7]].map((values) => median(values)),
    [2, 2, 7],
  )
  assert.equal(spreadOf([5, 1, 9]), { median: 5, min: 1, max: 9 })
  assert.equal(comparedTo('other', [50, 100, 30], [100, 100, 100], [50, 50, 30]), {
    figure: 50,
    reference: { title: 'other', figure: 100 },
    ratio: { median: 0.5, min: 0.3, max: 1 },
    growth: { median: 1, min: 1, max: 2 },
  })
  for (const [of, to] of [
    [[1], [1, 2]],
    [[], []],
  ] as const) {
    assert.throws(
      () => ratioOf(of, to),
      (error: unknown) => error instanceof RangeError,
    )
  }
})

test('the table has a row for each line and corpus, from the smallest corpus on, and no empty cell', () => {
  const [small, large, memory, scans] = LINES
  // Two or more blanks separate cells.
  const cells = lineTable([large!, small!, memory!, scans!])
    .split('\n')
    .map((row) => row.trim().split(/ {2,}/))
  assert.equal(cells, [
    'line|CVEs|figure|in|reference|ratio|ratio from to|growth|growth from to|budget|verdict'.split('|'),
    'http/page25|13,000|8,123|requests/s|10,000|0.812|0.75 to 0.9|—|—|≥ 0.7|met'.split('|'),
    'http/page25|350,000|8,123|requests/s|10,000|0.65|0.6 to 0.7|0.97|0.9 to 1.01|≥ 0.7|missed'.split('|'),
    'build/memory|13,000|1,601|MB|—|—|—|—|—|≤ 1,500 MB|missed'.split('|'),
    'stall/scans|13,000|0.5|ms|—|—|—|—|—|—|—'.split('|'),
  ])
})

test('a budget is met at its bound, by the ratio or by the figure; a line without one only informs', () => {
  const ratio = (median: number) => page({ ratio: { median, min: 0, max: 9 } })
  assert.equal([ratio(0.7), ratio(0.699)].map(isMet), [true, false])
  const figure = (value: number) => page({ figure: value, budget: { of: 'figure', most: 25 } })
  assert.equal([figure(25), figure(25.1), page({ budget: null })].map(verdictText), ['met', 'missed', '—'])
  assert.is(isMet(page({ ratio: null })), null)
  assert.is(budgetText({ of: 'ratio', most: 2.5 }, 's'), '≤ 2.5')
  assert.equal([0.123_456, 12.34, 999.4, 1234.5, 0].map(figureText), ['0.123', '12.3', '999', '1,235', '0'])
})

test('a line is requested by its name or its group; without a choice, all are', () => {
  const only = ['build', 'http/page25']
  assert.equal(
    ['build/full', 'build', 'http/page25', 'http/page100', 'http', 'plans'].map((name) => isWanted({ only }, name)),
    [true, true, true, false, true, false],
  )
  assert.ok(isWanted({}, 'anything/else'))
})

test('the report states the machine, details, missed budgets, failures and remarks', () => {
  const text = reportText({
    machine: {
      cores: 2,
      cpu: 'a processor',
      memoryBytes: 8e9,
      system: 'linux 6.1 x64',
      node: 'v26.10.0',
      commit: 'abcdef0123',
      loadBefore: 3,
    },
    command: '--short',
    began: '2026-06-01T00:00:00.000Z',
    seconds: 61,
    corpora: [{ cves: 13_000, nights: ['2026-05-31', '2026-06-01'], feeds: 'synthetic' }],
    rounds: 3,
    roundSeconds: 0.3,
    lines: LINES,
    failures: [{ group: 'plans', message: 'no database' }],
    remarks: ['growth is omitted'],
  })
  for (const part of [
    'vulnshelf abcdef0123, measured 2026-06-01T00:00:00.000Z, 2 min: npm run bench -- --short\n',
    '2 cores, a processor, 8 GB; linux 6.1 x64, node v26.10.0; load of 3.00 before the run: NOT AN IDLE MACHINE\n',
    '\nhttp/page25: page of 25 rows; against a constant body\n    13,000: p99 ms: 1.23; bytes read/request: 5,000\n',
    '\n1 of 3 budgets met; missed: http/page25 at 350,000, build/memory at 13,000\n',
    '\nplans failed: no database\n',
  ]) {
    assert.ok(text.includes(part), part)
  }
  assert.ok(text.endsWith('\n- growth is omitted'))
})

test.run()
