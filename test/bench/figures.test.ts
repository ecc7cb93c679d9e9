/** The arithmetic of the bench. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { median, quantile, ratio, serverFigures } from './figures.ts'

const round = (requests: number, seconds: number, latencies: number[], busy = 0.5) => ({
  requests,
  seconds,
  bytes: 0,
  latencies: Float32Array.from(latencies),
  busy,
})

test('a quantile is one of the values, by the nearest rank', () => {
  const hundred = Array.from({ length: 100 }, (_, i) => i + 1)
  assert.is(quantile(hundred, 0.5), 50)
  assert.is(quantile(hundred, 0.99), 99)
  assert.is(quantile(hundred, 1), 100)
  assert.is(quantile([7], 0.5), 7)
})

test('the median does not care for the order', () => {
  assert.is(median([3, 1, 2]), 2)
  assert.is(median([4, 1, 3, 2]), 2)
})

test('the figures of a server: median rate, latencies of all rounds together, the busiest load', () => {
  const rounds = [round(100, 1, [1, 2, 3], 0.4), round(300, 2, [4, 5, 6], 0.8), round(400, 1, [7, 8, 9], 0.6)]
  assert.equal(serverFigures(rounds), { requestsPerSecond: 150, p50: 5, p99: 9, loadBusy: 0.8 })
})

test('a ratio is taken round by round', () => {
  const gateway = [round(50, 1, [1]), round(100, 1, [1]), round(30, 1, [1])]
  const polka = [round(100, 1, [1]), round(100, 1, [1]), round(100, 1, [1])]
  assert.equal(ratio(gateway, polka), { median: 0.5, min: 0.3, max: 1 })
})

test.run()
