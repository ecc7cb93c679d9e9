/** The engine of a gateway: what is answered at once, what waits, and which snapshots stay open meanwhile. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Answer, jsonAnswer } from '../../../corpus/answers/answer.ts'
import type { Context } from '../../../corpus/answers/context.ts'
import { type ApiError, notFound } from '../../../corpus/answers/errors.ts'
import type { Steps } from '../../../corpus/runtime/steps.ts'
import { openAccess } from '../../../gateway/access/access.ts'
import type { EncodedAnswer } from '../../../gateway/http/encoded-answer.ts'
import { createEngine, type EngineParts } from '../../../gateway/http/engine.ts'
import { WAITING_PRODUCTS } from '../../../gateway/process/bounds.ts'
import { failed } from '../../support/refusal.ts'

const later = <T>(value: T) => new Promise<T>((resolve) => setImmediate(() => resolve(value)))

const SUBJECT = { sub: 'alice', tier: 0 }

/** An engine on a registry that can change; `held` are the snapshots that are kept open. */
function setUp() {
  const held: string[] = []
  const state = { opened: ['s1'] }
  const registry = {
    get current() {
      return state
    },
    retained: () => null,
    hold() {
      const holding = [...state.opened]
      held.push(...holding)
      return () => {
        for (const one of holding) held.splice(held.indexOf(one), 1)
      }
    },
  } as unknown as EngineParts['registry']
  const earlier: EngineParts['earlier'] = async () => {
    throw new Error('the request is for the current snapshot')
  }
  const engine = createEngine({ registry, history: {} as EngineParts['history'], access: openAccess, earlier })
  const ask = (handle: (context: Context) => Steps<Answer>, target = '/target', isKept = false) =>
    engine({ isKept }, { snapshot: null, answer: handle }, SUBJECT, target, () => {})
  return { held, state, ask }
}

const textOf = (answer: EncodedAnswer) => answer.identity().toString()

test('work that waits for nothing is answered at once, and holds nothing', () => {
  const { ask, held } = setUp()
  const answer = ask(function* ({ subject }) {
    assert.equal(held, [])
    return jsonAnswer(subject, 'shard', 's1')
  })
  assert.not.ok(answer instanceof Promise)
  assert.is(textOf(answer as EncodedAnswer), JSON.stringify(SUBJECT))
  assert.throws(
    () =>
      ask(function* () {
        throw notFound('nothing')
      }),
    /nothing/,
  )
})

test('snapshots stay open while work waits, also those opened meanwhile, until it ends', async () => {
  const { ask, held, state } = setUp()
  const seen: string[][] = []
  const answer = ask(function* () {
    const value = (yield later('value')) as string
    seen.push([...held])
    state.opened = ['s2']
    yield later(null)
    seen.push([...held])
    yield
    return jsonAnswer(value, 'merge', 's1')
  })
  assert.equal(held, ['s1'])
  assert.is(textOf(await answer), '"value"')
  assert.equal(seen, [['s1'], ['s1', 's2']])
  assert.equal(held, [])
})

test('a rejected promise is thrown in the handler, and an error of the handler ends the request', async () => {
  const { ask, held } = setUp()
  const recovered = await ask(function* () {
    try {
      yield Promise.reject(new Error('the disk is gone'))
    } catch (error) {
      return jsonAnswer((error as Error).message, 'merge', 's1')
    }
    return jsonAnswer(null, 'merge', 's1')
  })
  assert.is(textOf(recovered), '"the disk is gone"')
  const failing = ask(function* () {
    return (yield Promise.reject(new Error('not caught'))) as Answer
  })
  assert.is((await failed(Promise.resolve(failing)))?.message, 'not caught')
  const broken = ask(function* () {
    yield
    throw new Error('broken after a pause')
  })
  assert.is((await failed(Promise.resolve(broken)))?.message, 'broken after a pause')
  assert.equal(held, [])
})

test('other requests are answered between the pauses of long work', async () => {
  const { ask } = setUp()
  let turns = 0
  const count = () => {
    turns++
    turn = setImmediate(count)
  }
  let turn = setImmediate(count)
  await ask(function* () {
    for (let i = 0; i < 10; i++) {
      for (const end = performance.now() + 2; performance.now() < end; );
      yield
    }
    return jsonAnswer(null, 'merge', 's1')
  })
  clearImmediate(turn)
  assert.ok(turns >= 3, `${turns} turns`)
})

test('too many requests with long work are refused; their handlers learn it, and nothing stays held', async () => {
  const { ask, held } = setUp()
  const ended: (string | null)[] = []
  const answers = Array.from({ length: WAITING_PRODUCTS + 2 }, (_, i) =>
    ask(function* () {
      try {
        yield
        // The first one takes longer than a slice.
        for (const end = performance.now() + (i === 0 ? 10 : 0); performance.now() < end; ) yield
      } catch (error) {
        ended.push((error as ApiError).code)
        throw error
      }
      ended.push(null)
      return jsonAnswer(null, 'merge', 's1')
    }),
  )
  const results = await Promise.allSettled(answers)
  assert.is(results.filter(({ status }) => status === 'rejected').length, 1)
  assert.equal(
    ended.filter((code) => code !== null),
    ['overloaded'],
  )
  assert.is(ended.length, WAITING_PRODUCTS + 2)
  assert.equal(held, [])
})

test('only answers of routes that are kept, made without waiting, are kept', async () => {
  const { ask } = setUp()
  const made: Record<string, number> = {}
  const times = async (target: string, isKept: boolean, wait: () => Promise<unknown> | null) => {
    for (let i = 0; i < 4; i++) {
      const answer = await ask(
        function* () {
          made[target] = (made[target] ?? 0) + 1
          const waiting = wait()
          if (waiting) yield waiting
          return jsonAnswer(target, 'merge', 's1')
        },
        target,
        isKept,
      )
      answer.gzip()
      assert.is(textOf(answer), JSON.stringify(target))
    }
    return made[target]
  }
  assert.is(await times('kept', true, () => null), 2)
  assert.is(await times('not kept', false, () => null), 4)
  assert.is(await times('waits', true, () => later(null)), 4)
})

test.run()
