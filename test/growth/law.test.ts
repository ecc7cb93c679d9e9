/** The law of growth itself: it is broken by work that grows too fast, and by no other. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { compareLists } from '../../corpus/model/versions/order.ts'
import { assertLaw } from './assert-law.ts'
import type { Growing, Subject } from './subject.ts'

const subjectOf = (worst: Growing): Subject => ({ name: 'work', size: 100, worst: { worst }, generated: () => worst })

const list = (n: number) => Array.from({ length: n }, () => 1)
const compared = (n: number) => compareLists(list(n), list(n), (a, b) => a - b, 0)

async function faultOf(worst: Growing): Promise<string> {
  try {
    await assertLaw(subjectOf(worst), 1)
    return 'none'
  } catch (error) {
    return (error as Error).message
  }
}

test('linear work holds it', async () => {
  assert.is(await faultOf((n) => () => compared(n)), 'none')
})

test('work whose steps are the square of its input breaks it', async () => {
  const squared: Growing = (n) => () => {
    for (let i = 0; i < n; i++) compared(n)
  }
  assert.match(await faultOf(squared), /^work, worst takes \d+, \d+, \d+ steps/)
})

test('asynchronous work is counted to its end', async () => {
  const squared: Growing = (n) => async () => {
    await Promise.resolve()
    for (let i = 0; i < n; i++) compared(n)
  }
  assert.match(await faultOf(squared), /^work, worst takes/)
})

test('work that takes a longer path from some size on holds it', async () => {
  assert.is(await faultOf((n) => () => compared(n > 150 ? 10 * n : n)), 'none')
})

test('work without a step of the product is no evidence', async () => {
  assert.match(await faultOf(() => () => 'x'.repeat(5)), 'takes no step')
})

test.run()
