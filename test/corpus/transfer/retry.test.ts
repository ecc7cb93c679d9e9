/** The delays of retries, by error. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { TransferError } from '../../../corpus/transfer/error.ts'
import { realNetworkEffects } from '../../../corpus/transfer/network.ts'
import { type RetryOptions, retryAfterMs, statusError, waitMs, withRetries } from '../../../corpus/transfer/retry.ts'

const NOW = new Date('2026-11-21T06:30:00Z')

test('waits double from half a second or a second up to a minute', () => {
  assert.equal(
    [1, 2, 3, 7, 50].map((fruitless) => waitMs(fruitless, null, 0)),
    [500, 1000, 2000, 30_000, 30_000],
  )
  assert.equal(
    [1, 2, 3, 7, 50].map((fruitless) => waitMs(fruitless, null, 1)),
    [1000, 2000, 4000, 60_000, 60_000],
  )
})

test('what the server says is waited for, never less than our own wait, never more than five minutes', () => {
  assert.is(waitMs(1, 10_000, 0), 10_000)
  assert.is(waitMs(1, 0, 1), 1000)
  assert.is(waitMs(1, 3_600_000, 0), 300_000)
})

test('Retry-After is seconds or an HTTP date; anything else is nothing', () => {
  assert.is(retryAfterMs('120', NOW), 120_000)
  assert.is(retryAfterMs('0', NOW), 0)
  assert.is(retryAfterMs('Sat, 21 Nov 2026 06:31:00 GMT', NOW), 60_000)
  assert.is(retryAfterMs('Sat, 21 Nov 2026 06:29:00 GMT', NOW), 0)
  for (const text of ['', '-1', '1.5', 'soon', '2026-11-21', 'Sat', '99999999999'])
    assert.is(retryAfterMs(text, NOW), null, text)
  assert.is(retryAfterMs(undefined, NOW), null)
})

test('which answers may be otherwise next time', () => {
  const passing = [408, 425, 429, 500, 502, 503, 504, 524]
  const final = [206, 304, 400, 401, 403, 404, 405, 410, 416, 451]
  for (const status of passing) assert.is(statusError({ status, headers: {} }, NOW).mayPass, true, String(status))
  for (const status of final) assert.is(statusError({ status, headers: {} }, NOW).mayPass, false, String(status))
  assert.is(statusError({ status: 403, headers: { 'retry-after': '1' } }, NOW).mayPass, true)
})

const busy = () => new TransferError('busy_server', 'the server answers 503')

/** Runs attempts that all fail. Returns their number, the delays, and the final error. */
async function tried(options: RetryOptions, onSleep: (signal?: AbortSignal) => void = () => {}) {
  const [attempts, slept]: [number[], number[]] = [[], []]
  const sleep = async (ms: number, signal?: AbortSignal) => {
    slept.push(ms)
    onSleep(signal)
  }
  const work = () => Promise.reject(busy())
  const ended = withRetries({ sleep, random: () => 1 }, work, { onAttempt: (n) => void attempts.push(n), ...options })
  return { error: await ended.catch((error: Error) => error), attempts: attempts.length, slept }
}

test('transient errors are retried six times; local errors once, without a wait', async () => {
  const far = await tried({})
  assert.equal([far.attempts, far.slept], [6, [1000, 2000, 4000, 8000, 16_000]])
  const near = await tried({ local: true })
  assert.equal([near.attempts, near.slept], [2, []])
  assert.instance(near.error, TransferError)
})

test('a stop during a wait ends it with the reason', async () => {
  const stop = new AbortController()
  const reason = new Error('nobody needs it any more')
  const { error, attempts } = await tried({ signal: stop.signal }, (signal) => {
    assert.is(signal, stop.signal)
    stop.abort(reason)
  })
  assert.is(error, reason)
  assert.is(attempts, 1)
})

test('real waiting ends with its signal', async () => {
  const { effects, close } = realNetworkEffects()
  const stop = new AbortController()
  const slept = effects.sleep(3_600_000, stop.signal)
  stop.abort()
  await slept
  await close()
})

test.run()
