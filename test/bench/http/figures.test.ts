/** Figures of requests and processes, the load generator's response reader, texts and mixes, and the verdict of a soak. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Random } from '../../../corpus/sample/random.ts'
import { responseReader } from './connection.ts'
import { chooser } from './mix.ts'
import { SEARCH_TEXTS, textsOf } from './search-texts.ts'
import { type SoakMinute, type SoakReport, slopeOf, soakText, verdictOf } from './soak-report.ts'
import { costOf, latencyOf, quantile } from './turns.ts'
import { cpuMsOf, fieldsOf, usedBetween } from './usage.ts'

test('a quantile is one of the values, by the nearest rank', () => {
  const hundred = Array.from({ length: 100 }, (_, i) => i + 1)
  assert.equal(
    [0.5, 0.99, 1].map((q) => quantile(hundred, q)),
    [50, 99, 100],
  )
  assert.is(quantile([7], 0.5), 7)
  assert.ok(Number.isNaN(quantile([], 0.5)))
})

test('latencies and costs are those of all rounds together, not means of rounds', () => {
  const latencies = [[9, 1, 2], [3], [8, 4, 5]].map((some) => ({ latencies: Float32Array.from(some) }))
  assert.equal(latencyOf(latencies), { p50: 4, p99: 9, most: 9 })
  const turns = [
    { requests: 100, bytes: 5000, used: { cpuMs: 10, bytesRead: 900, reads: 200, writes: 100 } },
    { requests: 300, bytes: 11_000, used: { cpuMs: 10, bytesRead: 700, reads: 200, writes: 500 } },
  ].map(({ used, ...result }, i) => ({ result: { ...result, ...latencies[i]! }, used }))
  assert.equal(costOf(turns, 'polka '), {
    'polka p50 ms': 2,
    'polka p99 ms': 9,
    'polka CPU µs/request': 50,
    'polka reads/request': 1,
    'polka writes/request': 1.5,
    'polka bytes read/request': 4,
    'polka response bytes': 40,
  })
})

test('the figures of a process are read behind a name with blanks and brackets, and subtracted', () => {
  const stat = '4711 (node) Main (x)) S 1 4711 4711 0 -1 4194304 2113 0 0 0 250 31 0 0 20 0 11 0 5309'
  assert.is(cpuMsOf(stat), 2810)
  const status = 'Name:\tnode\nVmHWM:\t   2048 kB\nrchar: 17\nState: S (sleeping)\n'
  assert.equal(fieldsOf(status), { VmHWM: 2048, rchar: 17 })
  const before = { cpuMs: 10, bytesRead: 100, reads: 3, writes: 4 }
  const after = { cpuMs: 40, bytesRead: 150, reads: 5, writes: 4 }
  assert.equal(usedBetween(before, after), { cpuMs: 30, bytesRead: 50, reads: 2, writes: 0 })
})

const response = (status: number, body: string) =>
  `HTTP/1.1 ${status} Some Reason\r\nContent-Type: text/plain\r\ncontent-length: ${body.length}\r\n\r\n${body}`

/** Feeds a reader with pieces of a size, in one buffer like a socket. */
function readIn(size: number, sent: Buffer): [status: number, bytes: number][] {
  const read: [number, number][] = []
  const feed = responseReader((status, bytes) => read.push([status, bytes]))
  const buffer = Buffer.alloc(size)
  for (let at = 0; at < sent.length; at += size) feed(buffer.subarray(0, sent.copy(buffer, 0, at, at + size)))
  return read
}

test('responses are read in pieces of any size, each when its last byte arrives; a 304 has no body', () => {
  const unchanged = 'HTTP/1.1 304 Not Modified\r\nETag: "x"\r\n\r\n'
  const bodies = [response(200, 'abc'), response(404, ''), unchanged, response(200, '\r\n\r\n')]
  const sent = Buffer.from([...bodies, response(503, 'x'.repeat(5000))].join(''))
  const read = [
    [200, 3],
    [404, 0],
    [304, 0],
    [200, 4],
    [503, 5000],
  ]
  for (const size of [1, 2, 3, 7, 64, 100, 4096, sent.length]) {
    assert.equal(readIn(size, sent), read, `pieces of ${size}`)
    assert.equal(readIn(size, sent.subarray(0, -1)), read.slice(0, -1), `pieces of ${size}`)
  }
})

test('a response without a length is refused', () => {
  const feed = responseReader(() => {})
  assert.throws(() => feed(Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')), /no Content-Length/)
})

test('search texts begin with a word or are the beginning of an id, and occur once', () => {
  const texts = textsOf(['Ab cd-Ef', 'cd'], [2001, 2000])
  assert.equal(texts, ['ab', 'ab c', 'ab cd', 'ab cd-', 'ab cd-e', 'ab cd-ef', 'cd', 'cd-', 'cd-e', 'cd-ef', 'ef'])
  const ids = textsOf([], [2023, 2024])
  assert.is(ids.length, 200)
  assert.ok(ids.includes('cve-2024-0') && ids.includes('cve-2023-99'))
  assert.ok(SEARCH_TEXTS.length > 4000, 'more than a gateway caches')
})

test('kinds of requests occur as often as their weights state', () => {
  const random = new Random('weights')
  const choose = chooser([1, 3, 0.5])
  const seen = [0, 0, 0]
  for (let i = 0; i < 9000; i++) seen[choose(random)]!++
  assert.ok(
    seen.every((count, i) => Math.abs(count / 2000 - [1, 3, 0.5][i]!) < 0.1),
    seen.join(),
  )
  assert.equal(
    [0, 0.9999999].map((float) => choose({ float: () => float })),
    [0, 2],
  )
})

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
  peakMb: 210,
  swap: i === 3,
  ...more,
})

const soakOf = (change: (i: number) => Partial<SoakMinute> = () => ({}), seenAfter: number | null = 2) => ({
  mix: 'day',
  cves: 1000,
  share: 0.7,
  minutes: Array.from({ length: 12 }, (_, i) => minute(i, change(i))),
  swap: { from: 'a', to: 'b', seenAfter },
})

const failing = (of: Omit<SoakReport, 'verdict'>) => verdictOf(of).flatMap(({ what, holds }) => (holds ? [] : [what]))

const MEMORY = 'memory flat over the second half'
const CAPACITY = 'capacity steady relative to the reference'
const SWAP = 'new snapshot served without a failed request'

/** What happens in a soak, the change of each minute, and the parts of the verdict that fail. */
const SOAKS: [string, (i: number) => Partial<SoakMinute>, string[]][] = [
  ['nothing', () => ({}), []],
  ['an error', (i) => (i === 9 ? { errors: 1 } : {}), ['no error']],
  ['an error at the swap', (i) => (i === 3 ? { errors: 1 } : {}), ['no error', SWAP]],
  ['memory grows', (i) => ({ rssMb: 200 + 5 * i }), [MEMORY]],
  ['memory grows in the first half', (i) => ({ rssMb: 200 + 50 * Math.min(i, 4) }), []],
  ['memory shrinks', (i) => ({ rssMb: 300 - 5 * i }), []],
  ['p99 grows by half', (i) => ({ p99: i > 7 ? 6 : 4 }), []],
  ['p99 grows by more', (i) => ({ p99: i > 7 ? 6.1 : 4 }), ['p99 steady']],
  ['p99 is high at the swap', (i) => ({ p99: i === 3 ? 400 : 4 }), []],
  ['requests are never sent', () => ({ requests: 5000 }), ['all due requests answered']],
  ['the machine becomes slower', (i) => (i > 5 ? { capacity: 70, reference: 250 } : {}), []],
  ['the gateway becomes slower', (i) => (i > 5 ? { capacity: 110 } : {}), [CAPACITY]],
  ['only the reference becomes faster', (i) => (i > 5 ? { reference: 2000 } : {}), [CAPACITY]],
]

test('the verdict of a soak names what fails: errors, memory, p99, capacity, the swap', () => {
  for (const [what, change, expected] of SOAKS) assert.equal(failing(soakOf(change)), expected, what)
  assert.equal(failing(soakOf(() => ({}), null)), [SWAP], 'the swap is not seen')
  assert.is(slopeOf([0, 1, 2, 5].map((x) => [x, 3 * x + 7] as const)), 3)
  assert.is(slopeOf([[4, 4]]), 0)
})

test('the table of a soak has a row for each minute, and the verdict below', () => {
  const of = soakOf()
  const lines = soakText({ ...of, verdict: verdictOf(of) }).split('\n')
  assert.match(lines[0]!, /^day, 1,000 CVEs: 70 % of the capacity/)
  assert.equal(lines[5]!.split(/ +/), '4.0 143 500 100 6000 0 1.00 4.00 9.0 200 swap'.split(' '))
  assert.is(lines.at(-1), `yes  ${SWAP}: 2.0 s after its activation`)
})

test.run()
