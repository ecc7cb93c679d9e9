/** Counting in memory: what all limiters do, to the fraction of a millisecond, and the bound. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { LimitState } from '../../../gateway/limits/limiter.ts'
import { type MemoryOptions, memoryLimiter } from '../../../gateway/limits/memory.ts'
import { brief, limiterCases } from './limiter-cases.ts'

const start = 5000.25

function limiter(limit: number, options: MemoryOptions = {}) {
  const clock = { ms: start }
  const { take, look, giveBack } = memoryLimiter({ limit, windowMs: 60_000 }, { now: () => clock.ms, ...options })
  return {
    clock,
    take: (key: string) => take(key) as LimitState,
    look: (key: string) => look(key) as LimitState,
    giveBack,
  }
}

limiterCases(test, (limit) => {
  const { clock, ...rest } = limiter(limit)
  const pass = (ms: number) => {
    clock.ms += ms
  }
  return { ...rest, pass }
})

test('the remaining seconds are rounded up, so that clients do not retry too early', () => {
  const { clock, take } = limiter(1)
  take('a')
  clock.ms = start + 10_000.5
  assert.equal(brief(take('a')), [true, 0, 50])
  clock.ms = start + 59_999.9
  assert.equal(brief(take('a')), [true, 0, 1])
  clock.ms = start + 60_000
  assert.equal(brief(take('a')), [false, 0, 60])
})

test('a window lasts though others come and go, and though its generation turns', () => {
  const { clock, take } = limiter(3, { maxKeys: 1000 })
  clock.ms += 50_000
  take('a')
  clock.ms += 15_000
  take('b')
  assert.equal(brief(take('a')), [false, 1, 45])
  clock.ms += 44_000
  take('c')
  assert.equal(brief(take('a')), [false, 0, 1])
  clock.ms += 999
  assert.equal(brief(take('a')), [true, 0, 1])
})

test('beyond the bound those not seen for longest are forgotten, never those in use', () => {
  const { take, look } = limiter(1000, { maxKeys: 100 })
  take('idle')
  for (let i = 0; i < 1000; i++) {
    take(`flood-${i}`)
    assert.is(take('busy').left, 999 - i)
  }
  assert.is(look('idle').left, 1000)
  const known = Array.from({ length: 1000 }, (_, i) => look(`flood-${i}`)).filter(({ left }) => left < 1000).length
  assert.ok(known >= 40 && known <= 100, `${known} are known`)
})

test.run()
