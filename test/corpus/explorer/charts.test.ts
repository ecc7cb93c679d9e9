/** The pure functions of charts: months, stacks, strengths of colour. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { HEATS, heat } from '../../../corpus/explorer/app/charts/heat.ts'
import {
  lastDay,
  monthName,
  monthNumber,
  stacked,
  withoutGaps,
  yearStep,
} from '../../../corpus/explorer/app/charts/months.ts'

const empty = (month: string) => ({ month, cves: 0 })

test('a month is a number, and back', () => {
  for (const name of ['1999-01', '1999-12', '2000-01', '2024-10']) assert.is(monthName(monthNumber(name)), name)
  assert.is(monthNumber('2024-01') - monthNumber('2023-12'), 1)
})

test('months without CVEs are filled in', () => {
  const { first, rows } = withoutGaps([empty('2023-11'), { month: '2024-02', cves: 7 }], empty)
  assert.is(first, monthNumber('2023-11'))
  assert.equal(rows, [empty('2023-11'), empty('2023-12'), empty('2024-01'), { month: '2024-02', cves: 7 }])
  assert.equal(withoutGaps([], empty), { first: 0, rows: [] })
})

test('a date of another century does not stretch a chart', () => {
  const early = withoutGaps([empty('0150-01'), empty('1999-01'), empty('1999-03')], empty)
  assert.equal([monthName(early.first), early.rows.length], ['1999-01', 3])
  const late = withoutGaps([empty('1999-01'), empty('9999-01')], empty)
  assert.is(late.rows.length, 1200)
})

test('stacks are the sums from the first list on', () => {
  assert.equal(
    stacked([
      [1, 2],
      [10, 0],
      [0, 5],
    ]),
    [
      [1, 2],
      [11, 2],
      [11, 7],
    ],
  )
})

test('years between labels', () => {
  assert.equal(
    [
      [36, 5],
      [120, 5],
      [310, 8],
      [310, 3],
      [1, 3],
    ].map(([months, most]) => yearStep(months!, most!)),
    [1, 2, 5, 10, 1],
  )
})

test('the last day of a month', () => {
  assert.equal(['2024-02', '2023-02', '2024-12', '2024-01'].map(lastDay), [
    '2024-02-29',
    '2023-02-28',
    '2024-12-31',
    '2024-01-31',
  ])
})

test('the strength of a colour grows with the count, and only 0 has none', () => {
  assert.is(heat(0, 5000), 0)
  assert.is(heat(1, 5000), 1)
  assert.is(heat(5000, 5000), HEATS)
  assert.is(heat(1, 1), HEATS)
  let last = 0
  for (let count = 0; count <= 5000; count++) {
    const strength = heat(count, 5000)
    assert.ok(strength >= last && strength <= HEATS, String(count))
    last = strength
  }
})

test.run()
