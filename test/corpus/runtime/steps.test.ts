/** Work in steps: what is awaited, what pauses, and where errors go. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { awaited, completed, finished, type Steps, together, withoutPauses } from '../../../corpus/runtime/steps.ts'
import { failed } from '../../support/refusal.ts'

const later = <T>(value: T) => new Promise<T>((resolve) => setImmediate(() => resolve(value)))
const failing = (message: string) => later(null).then(() => Promise.reject(new Error(message)))

/** Waits for each part, and pauses in between. */
function* sumOf(parts: readonly (number | Promise<number>)[]): Steps<number> {
  let sum = 0
  for (const part of parts) {
    sum += yield* awaited(part)
    yield
  }
  return sum
}

/** Returns its log and the message of the error of what it waits for. */
function* guarded(wait: () => Promise<unknown>, log: string[]): Steps<string> {
  try {
    yield wait()
    return 'no error'
  } catch (error) {
    return (error as Error).message
  } finally {
    log.push('released')
  }
}

test('a value is awaited only if it is a promise', async () => {
  const atOnce = awaited(7).next()
  assert.equal([atOnce.done, atOnce.value], [true, 7])
  const waiting = awaited(later(7)).next()
  assert.is(waiting.done, false)
  assert.ok(waiting.value instanceof Promise)
  assert.is(await completed(awaited(later(7))), 7)
})

test('completed work has its result, with values and promises', async () => {
  assert.is(await completed(sumOf([1, later(2), 3])), 6)
  const work = sumOf([later(1), 2])
  assert.is(await completed(work, work.next()), 3)
})

test('a rejected promise is thrown where the work waits for it', async () => {
  const log: string[] = []
  assert.is(await completed(guarded(() => failing('lost'), log)), 'lost')
  assert.is(await completed(withoutPauses(guarded(() => failing('lost again'), log))), 'lost again')
  assert.equal(log, ['released', 'released'])
  assert.is((await failed(completed(awaited(failing('not caught')))))?.message, 'not caught')
  assert.is(
    (await failed(completed(withoutPauses(awaited(failing('not caught either'))))))?.message,
    'not caught either',
  )
})

test('an error of the work itself ends it', async () => {
  // It waits first.
  function* broken(): Steps<void> {
    yield later(null)
    throw new Error('broken')
  }
  assert.is((await failed(completed(broken())))?.message, 'broken')
  assert.is((await failed(completed(withoutPauses(broken()))))?.message, 'broken')
})

test('without pauses, work yields only promises', async () => {
  const seen: unknown[] = []
  const work = withoutPauses(sumOf([1, later(2), 3]))
  let step = work.next()
  while (!step.done) {
    seen.push(step.value)
    step = work.next(await step.value)
  }
  assert.is(step.value, 6)
  assert.is(seen.length, 1)
  assert.ok(seen[0] instanceof Promise)
  assert.is(finished(withoutPauses(sumOf([1, 2]))), 3)
})

test('works that wait for nothing have their results together at once', () => {
  const step = together([awaited(1), awaited('two')] as Steps<unknown>[]).next()
  assert.equal([step.done, step.value], [true, [1, 'two']])
  assert.equal(finished(together([])), [])
})

test('works that wait run at the same time, and their results are in the order of the works', async () => {
  const log: string[] = []
  function* work(name: string, waits: number): Steps<string> {
    for (let i = 0; i < waits; i++) {
      log.push(`${name}${i}`)
      yield later(null)
    }
    return name
  }
  assert.equal(await completed(together([work('a', 2), work('b', 0), work('c', 1)])), ['a', 'b', 'c'])
  assert.equal(log, ['a0', 'c0', 'a1'])
})

test('if one of several works fails, the others run to their end, and no rejection is unhandled', async () => {
  const unhandled: unknown[] = []
  const note = (error: unknown) => void unhandled.push(error)
  process.on('unhandledRejection', note)
  const log: string[] = []
  function* failingAtOnce(): Steps<string> {
    throw new Error('at once')
  }
  try {
    const waiting = () => guarded(() => later(null), log)
    assert.is(
      (await failed(completed(together([waiting(), awaited(failing('late')) as Steps<never>]))))?.message,
      'late',
    )
    assert.is(
      (await failed(completed(together([awaited(failing('first')) as Steps<never>, failingAtOnce()]))))?.message,
      'at once',
    )
    assert.is((await failed(completed(together([waiting(), failingAtOnce()]))))?.message, 'at once')
    for (let turn = 0; turn < 5; turn++) await later(null)
  } finally {
    process.off('unhandledRejection', note)
  }
  assert.equal(log, ['released', 'released'])
  assert.equal(unhandled, [])
})

test('finished work has its result without a turn; work that waits is refused', () => {
  assert.is(finished(sumOf([1, 2, 3])), 6)
  assert.throws(() => finished(sumOf([1, later(2)])), /the work waits for something/)
  assert.throws(() => finished(failingWork()), /no result/)
})

function* failingWork(): Steps<void> {
  yield
  throw new Error('no result')
}

test.run()
