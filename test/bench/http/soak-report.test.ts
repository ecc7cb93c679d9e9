/** The verdict on a long load. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type SoakMinute, type SoakReport, slopeOf, soakText, verdictOf } from './soak-report.ts'

const minute = (i: number, more: Partial<SoakMinute> = {}): SoakMinute => ({
  at: (i + 1) * 60,
  seconds: 60,
  capacity: 143,
  reference: 500,
  rate: 100,
  requests: 6000,
  errors: 0,
  statuses: { 200: 6000 },
  p50: 1,
  p99: 4,
  most: 9,
  rssMb: 200,
  peakRssMb: 210,
  swap: i === 3,
  ...more,
})

const report = (change: (i: number) => Partial<SoakMinute> = () => ({}), seenAfter: number | null = 2) => {
  const minutes = Array.from({ length: 12 }, (_, i) => minute(i, change(i)))
  const swap = { from: 'a', to: 'b', seenAfter }
  return { mix: 'some', cves: 1000, share: 0.7, minutes, swap }
}

const failing = (of: Omit<SoakReport, 'verdict'>) => verdictOf(of).flatMap(({ what, holds }) => (holds ? [] : [what]))

test('an even load without errors holds in everything', () => {
  assert.equal(failing(report()), [])
})

test('one error anywhere counts, and one at the swap counts twice', () => {
  assert.equal(failing(report((i) => (i === 9 ? { errors: 1 } : {}))), ['no error'])
  assert.equal(failing(report((i) => (i === 3 ? { errors: 1 } : {}))), [
    'no error',
    'new snapshot served, no request failed meanwhile',
  ])
})

test('memory that grows in the second half is not flat, that of the first half may', () => {
  assert.equal(failing(report((i) => ({ rssMb: 200 + 5 * i }))), ['memory flat over the second half'])
  assert.equal(failing(report((i) => ({ rssMb: 200 + 50 * Math.min(i, 4) }))), [])
  assert.equal(failing(report((i) => ({ rssMb: 300 - 5 * i }))), [])
})

test('p99 may move by half, not more; the minute of the swap does not count', () => {
  assert.equal(failing(report((i) => ({ p99: i > 7 ? 6 : 4 }))), [])
  assert.equal(failing(report((i) => ({ p99: i > 7 ? 6.1 : 4 }))), ['p99 steady'])
  assert.equal(failing(report((i) => ({ p99: i === 3 ? 400 : 4 }))), [])
})

test('the report names a swap that was not seen, and requests that were never made', () => {
  assert.equal(failing(report(() => ({}), null)), ['new snapshot served, no request failed meanwhile'])
  assert.equal(failing(report(() => ({ requests: 5000 }))), ['all that was due was answered'])
})

test('a machine that becomes slower is no fault of the gateway, a gateway that does is', () => {
  assert.equal(failing(report((i) => (i > 5 ? { capacity: 70, reference: 250 } : {}))), [])
  assert.equal(failing(report((i) => (i > 5 ? { capacity: 110 } : {}))), [
    'capacity steady beside that of the reference',
  ])
  assert.equal(failing(report((i) => (i > 5 ? { reference: 2000 } : {}))), [
    'capacity steady beside that of the reference',
  ])
})

test('the slope of points on a line is that of the line', () => {
  assert.is(slopeOf([0, 1, 2, 5].map((x) => [x, 3 * x + 7] as const)), 3)
  assert.is(slopeOf([[4, 4]]), 0)
})

test('the table has a row for each minute, and the verdict below', () => {
  const of = report()
  const lines = soakText({ ...of, verdict: verdictOf(of) }).split('\n')
  assert.match(lines[0]!, /^some, 1,000 CVEs: .*, 70 % is held$/)
  assert.is(lines[5], ' 4.0        143          500     100      6000       0    1.00    4.00      9.0     200  swap')
  assert.is(lines.at(-1), 'yes  new snapshot served, no request failed meanwhile: 2.0 s after it was put up')
})

test.run()
