/** Periods of due dates on the page of KEV. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { DUE_PERIODS, dayAfter, untilText } from '../../../corpus/explorer/app/pages/kev/due.ts'

test('a period has its days from the first to the last one', () => {
  const days = DUE_PERIODS.map(({ name, from, to }) => [
    name,
    from === null ? null : dayAfter('2024-02-27', from),
    dayAfter('2024-02-27', to),
  ])
  assert.equal(days, [
    ['overdue', null, '2024-02-27'],
    ['within 7 days', '2024-02-27', '2024-03-06'],
    ['within 30 days', '2024-02-27', '2024-03-29'],
  ])
})

test('the time until a day is in days', () => {
  assert.is(untilText('2024-02-27', '2024-02-27'), 'today')
  assert.is(untilText('2024-02-28', '2024-02-27'), 'in 1 day')
  assert.is(untilText('2024-03-01', '2024-02-27'), 'in 3 days')
})

test.run()
