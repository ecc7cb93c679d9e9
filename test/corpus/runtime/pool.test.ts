/** Pools: results in the order of the inputs, early failures, and threads that die. */
import { setTimeout as wait } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { CodedError } from '../../../corpus/errors/coded-error.ts'
import { openPool, type Pool, runInOrder } from '../../../corpus/runtime/pool.ts'

/** Each task takes its input in milliseconds and returns it; an input of -1 fails at once. */
const pool: Pool = {
  width: 3,
  async run<T>(_task: string, input: unknown) {
    if (input === -1) throw new Error('task failed')
    await wait(input as number)
    return input as T
  },
  renew: async () => {},
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

for (const [how, message] of [
  ['exit', 'a worker thread ended by itself, with exit code 3'],
  ['throwLater', 'thrown outside of the task'],
] as const) {
  test(`a thread that ends by ${how} fails what is under way, what waits, and what comes`, async () => {
    const threads = openPool(new URL('./pool-tasks.ts', import.meta.url), 2)
    try {
      assert.is(await threads.run('echo', 7), 7)
      const asked = [threads.run(how, null), threads.run('stay', null), threads.run('echo', 1)]
      const outcomes = await Promise.allSettled(asked)
      assert.equal(
        outcomes.map((one) => (one.status === 'rejected' ? (one.reason as Error).message : one.value)),
        [message, message, message],
      )
      const later = await threads.run('echo', 2).catch((error: Error) => error.message)
      assert.is(later, message)
    } finally {
      await threads.close()
    }
  })
}

test('an error of a task keeps its name and code on its way, and the thread goes on', async () => {
  const threads = openPool(new URL('./pool-tasks.ts', import.meta.url), 1)
  try {
    const error = await threads.run('refuse', null).catch((cause: unknown) => cause)
    if (!(error instanceof CodedError)) throw new Error(`not a CodedError: ${error}`)
    assert.equal([error.name, error.code, error.message], ['RefusedError', 'refused', 'not today'])
    assert.is(await threads.run('echo', 3), 3)
  } finally {
    await threads.close()
  }
})

test('renewed threads know nothing of what was, and work as those before', async () => {
  const threads = openPool(new URL('./pool-tasks.ts', import.meta.url), 2)
  try {
    assert.equal(await Promise.all([threads.run('count', null), threads.run('count', null)]), [1, 1])
    await threads.renew()
    const asked = [1, 2, 3].map(() => threads.run<number>('count', null))
    assert.equal((await Promise.all(asked)).sort(), [1, 1, 2])
  } finally {
    await threads.close()
  }
})

test('threads are not replaced while a task is in progress, which then would never settle', async () => {
  const threads = openPool(new URL('./pool-tasks.ts', import.meta.url), 1)
  try {
    const [running, waiting] = [threads.run('echo', 1), threads.run('echo', 2)]
    const refused = await threads.renew().catch((error: Error) => error.message)
    assert.is(refused, 'threads are replaced while a task is in progress')
    assert.equal(await Promise.all([running, waiting]), [1, 2])
    await threads.renew()
    assert.is(await threads.run('echo', 3), 3)
  } finally {
    await threads.close()
  }
})

test.run()
