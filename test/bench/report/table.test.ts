/** The table of the bench and the text around it. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { isMet, isWanted } from './line.ts'
import { LINES, lineOf } from './lines-fixture.ts'
import { reportText } from './report.ts'
import { budgetText, detailText, figureText, table, verdictText } from './table.ts'

/** Parses a table: two or more blanks separate cells, and no cell is empty. */
const cellsOf = (text: string) => text.split('\n').map((row) => row.trim().split(/ {2,}/))

test('a table reads back: the cells of each line, each line from the smallest corpus to the largest', () => {
  const [small, large, memory, node] = LINES
  const [headings, ...rows] = cellsOf(table([large!, small!, memory!, node!]))
  assert.equal(headings, [
    'line',
    'CVEs',
    'figure',
    'in',
    'reference',
    'ratio',
    'min to max',
    'growth',
    'min to max',
    'budget',
    'verdict',
  ])
  assert.equal(rows, [
    ['http/page25', '13,000', '8,123', 'requests/s', '10,000', '0.812', '0.75 to 0.9', '—', '—', '≥ 0.7', 'met'],
    [
      'http/page25',
      '350,000',
      '8,123',
      'requests/s',
      '10,000',
      '0.65',
      '0.6 to 0.7',
      '0.97',
      '0.9 to 1.01',
      '≥ 0.7',
      'missed',
    ],
    ['build/memory', '13,000', '1,601', 'MB', '—', '—', '—', '—', '—', '≤ 1,500 MB', 'missed'],
    ['http/node', '13,000', '8,123', 'requests/s', '—', '—', '—', '—', '—', '—', '—'],
  ])
})

test('a budget is kept at its very bound, by the ratio or by the figure, and a line without one only informs', () => {
  const ratio = (median: number) => lineOf({ ratio: { median, min: 0, max: 9 }, budget: { of: 'ratio', least: 0.7 } })
  assert.equal([ratio(0.7), ratio(0.699)].map(isMet), [true, false])
  const figure = (value: number) => lineOf({ figure: value, budget: { of: 'figure', most: 25 } })
  assert.equal([figure(25), figure(25.1)].map(verdictText), ['met', 'missed'])
  assert.is(verdictText(lineOf({ budget: null })), '—')
  assert.is(isMet(lineOf({ ratio: null })), null)
})

test('budgets, figures and details in words', () => {
  assert.is(budgetText({ of: 'ratio', most: 2.5 }, 's'), '≤ 2.5')
  assert.is(budgetText({ of: 'figure', most: 1500 }, 'MB'), '≤ 1,500 MB')
  assert.equal([0.123_456, 12.34, 999.4, 1234.5, 0].map(figureText), ['0.123', '12.3', '999', '1,235', '0'])
  assert.is(detailText('p99 ms', 1.234), 'p99 1.23 ms')
  assert.is(detailText('bytes read/request', 5000), 'bytes read/request 5,000')
})

test('a line is wanted by its name or its group; without a choice every line is', () => {
  const only = ['build', 'http/page25']
  assert.equal(
    ['build/full', 'build', 'http/page25', 'http/page100', 'http', 'plans'].map((name) => isWanted({ only }, name)),
    [true, true, true, false, true, false],
  )
  assert.ok(isWanted({}, 'anything/else'))
})

test('the report states the machine, missed budgets, failures and skipped lines', () => {
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
    lines: [...LINES],
    failures: [{ group: 'plans', message: 'no database' }],
    remarks: ['growth is left out'],
  })
  assert.ok(text.includes('vulnshelf abcdef0123, measured 2026-06-01T00:00:00.000Z, 2 min: npm run bench -- --short\n'))
  assert.ok(
    text.includes(
      '2 cores, a processor, 8 GB; linux 6.1 x64, node v26.10.0; load of 3.00 before the run: NOT AN IDLE MACHINE',
    ),
  )
  assert.ok(
    text.includes(
      '\nhttp/page25: page of 25 rows; against a constant body\n    13,000: p99 1.23 ms; bytes read/request 5,000\n',
    ),
  )
  assert.ok(text.includes('\n1 of 3 budgets met; missed: http/page25 at 350,000, build/memory at 13,000\n'))
  assert.ok(text.includes('\nplans did not get to its end: no database\n'))
  assert.ok(text.endsWith('\n- growth is left out'))
})

test.run()
