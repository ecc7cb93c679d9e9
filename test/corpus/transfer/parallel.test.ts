/** Parallel work: all items, at most the given number at a time, and none after a failure. */
import { setImmediate } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { runParallel } from '../../../corpus/transfer/parallel.ts'

test('every item is processed once, with limited concurrency', async () => {
  const done: number[] = []
  let [running, most] = [0, 0]
  await runParallel(Array(20).keys(), 3, async (item) => {
    most = Math.max(most, ++running)
    await setImmediate()
    running--
    done.push(item)
  })
  assert.equal(
    done.toSorted((a, b) => a - b),
    [...Array(20).keys()],
  )
  assert.is(most, 3)
  await runParallel([], 3, async () => assert.unreachable())
})

test('the first failure stops the others, starts none, and is thrown when all have ended', async () => {
  const begun: number[] = []
  let told = 0
  const error = await runParallel(Array(20).keys(), 3, async (item, signal) => {
    begun.push(item)
    await setImmediate()
    if (item === 1) throw new Error('first')
    await setImmediate()
    if (signal.aborted) told++
    if (item === 2) throw new Error('second')
  }).catch((reason: unknown) => reason)
  assert.is((error as Error).message, 'first')
  assert.equal(begun, [0, 1, 2])
  assert.is(told, 2)
})

test.run()
