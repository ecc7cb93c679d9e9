/** The law of growth itself: work that grows too fast breaks it, other work does not. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { assertLaw, measured } from './measure.ts'

const faults: Record<string, string> = {}
for (const one of await measured('./subjects/work.ts')) {
  try {
    assertLaw(one)
    faults[one.subject] = 'none'
  } catch (error) {
    faults[one.subject] = (error as Error).message
  }
}

test('linear work holds it', () => assert.is(faults.linear, 'none'))

test('work that takes a longer path from some size on holds it', () => {
  assert.is(faults['a longer path from some size on'], 'none')
})

test('work whose steps are the square of its input breaks it', () => {
  assert.match(faults.squared!, /^squared, generated 0 takes \d+, \d+, \d+ steps/)
})

test('asynchronous work is counted to its end', () => {
  assert.match(faults['squared, after a while']!, /after a while, generated 0 takes \d+, \d+, \d+ steps/)
})

test('work without a step of the product is no evidence', () => {
  assert.match(faults['no step of the product']!, 'takes no step')
})

test.run()
