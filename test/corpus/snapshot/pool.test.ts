/** Pools: results in the order of the inputs, and failures that come before their turn. */
import { setTimeout as wait } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Pool, runInOrder } from '../../../corpus/snapshot/pool.ts'

/** Each task takes as many milliseconds as its input says and gives it back; that of -1 fails at once. */
const pool: Pool = {
  width: 3,
  async run<T>(_task: string, input: unknown) {
    if (input === -1) throw new Error('task failed')
    await wait(input as number)
    return input as T
  },
  close: async () => {},
}

async function* slowly(inputs: readonly number[]) {
  for (const input of inputs) {
    yield input
    await wait(5)
  }
}

async function run(inputs: Iterable<number> | AsyncIterable<number>) {
  const results: number[] = []
  const unheard: unknown[] = []
  const note = (reason: unknown) => void unheard.push(reason)
  process.on('unhandledRejection', note)
  let error: string | null = null
  try {
    for await (const result of runInOrder<number>(pool, 'any', inputs)) results.push(result)
  } catch (cause) {
    error = (cause as Error).message
  } finally {
    process.off('unhandledRejection', note)
  }
  return { results, error, unheard }
}

test('results come in the order of the inputs, whichever task ends first', async () => {
  const inputs = [9, 1, 5, 0, 7, 2]
  for (const from of [inputs, slowly(inputs)])
    assert.equal(await run(from), { results: inputs, error: null, unheard: [] })
})

test('a task that fails before its turn, or while the next input is awaited, fails in its turn', async () => {
  assert.equal(await run([20, -1]), { results: [20], error: 'task failed', unheard: [] })
  assert.equal(await run(slowly([-1, 1])), { results: [], error: 'task failed', unheard: [] })
})

test.run()
