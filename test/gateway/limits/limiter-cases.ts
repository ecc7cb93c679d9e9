/** What every limiter does, whoever keeps count. */
import * as assert from 'uvu/assert'
import type { Limiter, LimitState } from '../../../gateway/limits/limiter.ts'

/** A limiter whose windows take 60 seconds, and its time, which passes when the test says so. */
export interface TimedLimiter extends Limiter {
  pass(ms: number): void | Promise<void>
}

export const brief = ({ refused, left, resetSeconds }: LimitState) => [refused, left, resetSeconds]

/** Hands each case to `test`; `open` makes a limiter that has counted nothing yet. */
export function limiterCases(
  test: (name: string, run: () => Promise<void>) => void,
  open: (limit: number) => TimedLimiter | Promise<TimedLimiter>,
): void {
  test('a window begins with the first request and lets so many through', async () => {
    const { take, pass } = await open(3)
    assert.equal(brief(await take('a')), [false, 2, 60])
    await pass(10_000)
    assert.equal(brief(await take('a')), [false, 1, 50])
    assert.equal(brief(await take('a')), [false, 0, 50])
    assert.equal(brief(await take('a')), [true, 0, 50])
    assert.equal(brief(await take('b')), [false, 2, 60])
  })

  test('it ends with its last second, and the next begins with the request after it', async () => {
    const { take, pass } = await open(1)
    await take('a')
    await pass(59_000)
    assert.equal(brief(await take('a')), [true, 0, 1])
    await pass(1000)
    assert.equal(brief(await take('a')), [false, 0, 60])
  })

  test('refused requests do not lengthen the wait', async () => {
    const { take, pass } = await open(1)
    await take('a')
    for (let second = 5; second < 60; second += 5) {
      await pass(5000)
      assert.equal(brief(await take('a')), [true, 0, 60 - second])
    }
    await pass(5000)
    assert.is((await take('a')).refused, false)
  })

  test('refused requests take nothing: what is given back can be taken at once', async () => {
    const { take, look, giveBack } = await open(2)
    await take('a')
    const second = await take('a')
    for (let i = 0; i < 3; i++) assert.is((await take('a')).refused, true)
    await giveBack('a', second)
    assert.equal(brief(await look('a')), [false, 1, 60])
    assert.equal(brief(await take('a')), [false, 0, 60])
  })

  test('looking takes nothing', async () => {
    const { take, look, pass } = await open(2)
    assert.equal(brief(await look('a')), [false, 2, 60])
    await take('a')
    await pass(1000)
    assert.equal(brief(await look('a')), [false, 1, 59])
    await take('a')
    assert.equal(brief(await look('a')), [true, 0, 59])
    await pass(59_000)
    assert.equal(brief(await look('a')), [false, 2, 60])
  })

  test('a window gives back at most as often as its limit, and the next one as often again', async () => {
    const { take, look, giveBack, pass } = await open(2)
    for (const window of [1, 2]) {
      for (let i = 0; i < 2; i++) {
        const taken = await take('a')
        assert.equal([taken.left, taken.refundable], [1, true], `window ${window}`)
        await giveBack('a', taken)
      }
      assert.equal([(await look('a')).left, (await look('a')).refundable], [2, false])
      const third = await take('a')
      assert.equal([third.left, third.refundable], [1, false])
      await giveBack('a', third)
      assert.is((await look('a')).left, 1)
      assert.ok((await look('b')).refundable)
      await pass(60_000)
    }
  })

  test('what is given back can be taken again, but not from another window', async () => {
    const { take, look, giveBack, pass } = await open(2)
    const first = await take('a')
    const second = await take('a')
    await giveBack('a', second)
    assert.is((await look('a')).left, 1)
    await pass(60_000)
    await giveBack('a', first)
    assert.is((await look('a')).left, 2)
    await take('a')
    await giveBack('a', first)
    assert.is((await look('a')).left, 1)
    await giveBack('b', first)
    assert.is((await look('b')).left, 2)
  })
}
