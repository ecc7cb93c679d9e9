import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { daysBetween, startOfDay, utcDate, utcTimestamp } from '../../../../corpus/model/values/date.ts'

const CASES: [given: string, want: string | null][] = [
  ['2024-04-12T07:20:00.707Z', '2024-04-12T07:20:00.707Z'],
  ['2024-04-12T07:20:00', '2024-04-12T07:20:00.000Z'],
  ['2024-04-12T07:20:00.123456', '2024-04-12T07:20:00.123Z'],
  ['2024-04-12T07:20Z', '2024-04-12T07:20:00.000Z'],
  ['2024-04-12 07:20:00', '2024-04-12T07:20:00.000Z'],
  ['2024-04-12T07:20:00.5-07:00', '2024-04-12T14:20:00.500Z'],
  ['2024-01-01T00:30:00+0530', '2023-12-31T19:00:00.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['2023-02-29T00:00:00Z', null],
  ['2024-02-30', null],
  ['2024-13-01', null],
  ['2024-04-12T24:00:00Z', null],
  ['2024-04-12T07:61:00Z', null],
  ['0001-01-01T00:00:00Z', null],
  ['yesterday', null],
  ['', null],
  ['2024-04-12T07:20:00Z and more', null],
]

for (const [given, want] of CASES) {
  test(`rule 29: the time ${JSON.stringify(given)} is ${want}`, () => assert.is(utcTimestamp(given), want))
}

test('a date is the UTC day of the time', () => {
  assert.is(utcDate('2024-01-01T00:30:00+05:30'), '2023-12-31')
  assert.is(utcDate('2024-02-30'), null)
  assert.is(startOfDay('2024-01-01'), '2024-01-01T00:00:00.000Z')
})

test('days between two dates are counted by their UTC days', () => {
  assert.is(daysBetween('2024-02-28', '2024-03-01'), 2)
  assert.is(daysBetween('2024-05-02T23:59:00.000Z', '2024-05-03T00:01:00.000Z'), 1)
  assert.is(daysBetween('2024-06-01T24:00', '2024-05-02'), -30)
})

test.run()
