/** Figures computed from rounds of requests. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { latencyOf, perRequest, quantile } from './figures.ts'

test('a quantile is one of the values, by the nearest rank', () => {
  const hundred = Array.from({ length: 100 }, (_, i) => i + 1)
  assert.is(quantile(hundred, 0.5), 50)
  assert.is(quantile(hundred, 0.99), 99)
  assert.is(quantile(hundred, 1), 100)
  assert.is(quantile([7], 0.5), 7)
  assert.ok(Number.isNaN(quantile([], 0.5)))
})

test('latencies are those of all rounds together', () => {
  const rounds = [[9, 1, 2], [3], [8, 4, 5]].map((latencies) => ({ latencies: Float32Array.from(latencies) }))
  assert.equal(latencyOf(rounds), { p50: 4, p99: 9, most: 9 })
})

test('what a request takes is everything over all requests, not the mean of rounds', () => {
  const turns = [
    { result: { requests: 100, bytes: 5000 }, used: { cpuMs: 10, bytesRead: 900, reads: 200, writes: 100 } },
    { result: { requests: 300, bytes: 11_000 }, used: { cpuMs: 10, bytesRead: 700, reads: 200, writes: 500 } },
  ]
  assert.equal(perRequest(turns), { cpuMicroseconds: 50, bytesRead: 4, reads: 1, writes: 1.5, bodyBytes: 40 })
})

test.run()
