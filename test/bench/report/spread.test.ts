/** Figures computed from rounds. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { median, ratioOf, spreadOf } from './spread.ts'

test('the median does not care for the order, and is one of the values', () => {
  assert.is(median([3, 1, 2]), 2)
  assert.is(median([4, 1, 3, 2]), 2)
  assert.is(median([7]), 7)
})

test('a spread has what was seen least, most, and in the middle', () => {
  assert.equal(spreadOf([5, 1, 9]), { median: 5, min: 1, max: 9 })
})

test('a ratio is taken round by round, and only where both took part in each', () => {
  assert.equal(ratioOf([50, 100, 30], [100, 100, 100]), { median: 0.5, min: 0.3, max: 1 })
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

test.run()
