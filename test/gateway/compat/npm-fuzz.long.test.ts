/** Random and broken bodies: each gets a documented answer, and the listener stays as it was. */
import { deflateSync, gzipSync } from 'node:zlib'
import { Agent, request } from 'undici'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Random } from '../../../corpus/sample/random.ts'
import { BULK, npmRecord, packagesOf, serveCompat } from '../../support/compat.ts'

const SEED = Number(process.env.VULNSHELF_TEST_SEED ?? 1)
const REQUESTS = 20_000
const PARALLEL = 16
const GROWTH_BYTES = 200e6
const DOCUMENTED = new Set([200, 400, 408, 413, 415])
/** What a stack trace, a path or a token of the service would look like. */
const LEAKS = /\bat \S+ \(|node_modules|file:\/\/|\.ts:\d+|eyJ[\w-]+\.eyJ/

const NAMES = ['left', '@scope/right', '__proto__', 'constructor', '', '../x', 'LEFT', '\u0000', '💥', 'x'.repeat(600)]
const VERSIONS = [
  '1.0.0',
  '0.0.0-0',
  'v1',
  '',
  '*',
  'git+ssh://x',
  '1'.repeat(300),
  '1.0.0+b',
  '99999999999999999999.0.0',
  '💥',
]
const TOKENS = ['{', '}', '[', ']', ',', ':', '"', '\\', 'null', '1e999', '-', ' ', '\n', '"a"', '{"a":[', '\u0000']
const TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'text/plain',
  '',
  'application/json;charset=latin1',
]
const CODINGS = ['identity', 'gzip', 'deflate', 'br', 'zstd', 'gzip, gzip', '', 'x'.repeat(100)]

const random = new Random(SEED)
const pick = <T>(list: readonly T[]): T => random.pick(list)
const times = <T>(most: number, make: () => T): T[] => Array.from({ length: random.between(0, most) }, make)

function value(depth: number): unknown {
  switch (random.between(0, 7)) {
    case 0:
      return null
    case 1:
      return random.between(0, 1e9)
    case 2:
      return pick(NAMES)
    case 3:
      return depth > 4 ? [] : times(5, () => value(depth + 1))
    case 4:
      return depth > 4 ? {} : Object.fromEntries(times(5, () => [pick(NAMES), value(depth + 1)]))
    default:
      return times(4, () => pick(VERSIONS))
  }
}

function text(): string {
  switch (random.between(0, 5)) {
    case 0:
      return times(40, () => pick(TOKENS)).join('')
    case 1:
      return JSON.stringify(value(0))
    case 2:
      return pick(TOKENS).repeat(random.between(0, 30_000))
    default:
      return JSON.stringify(Object.fromEntries(times(20, () => [pick(NAMES), times(4, () => pick(VERSIONS))])))
  }
}

function body(): Buffer {
  const plain = Buffer.from(text())
  const coded = random.between(0, 2) === 0 ? gzipSync(plain) : random.between(0, 4) === 0 ? deflateSync(plain) : plain
  if (random.between(0, 3) > 0 || coded.length === 0) return coded
  if (random.between(0, 1) === 0) return coded.subarray(0, random.between(0, coded.length - 1))
  coded[random.between(0, coded.length - 1)]! ^= 1 << random.between(0, 7)
  return coded
}

test(`${REQUESTS} random and broken bodies get documented answers (seed ${SEED})`, async () => {
  const packages = packagesOf([npmRecord('GHSA-1', 'left', '1.0.0'), npmRecord('GHSA-2', '@scope/right', '2.0.0')])
  const server = await serveCompat({ packages, auth: 'none', limits: { rateLimit: 1e9 } })
  const dispatcher = new Agent({ connections: PARALLEL })
  const counts = new Map<number, number>()
  let sent = 0
  const ask = async () => {
    const isGzip = random.between(0, 1) === 0
    const bytes = body()
    const type = random.between(0, 3) === 0 ? pick(TYPES) : 'application/json'
    const coding = random.between(0, 3) === 0 ? pick(CODINGS) : bytes[0] === 0x1f || isGzip ? 'gzip' : 'identity'
    const headers = { 'content-type': type, 'content-encoding': coding }
    const answer = await request(server.url + BULK, { method: 'POST', body: bytes, headers, dispatcher })
    const said = await answer.body.text()
    const status = answer.statusCode
    counts.set(status, (counts.get(status) ?? 0) + 1)
    assert.ok(DOCUMENTED.has(status), `${status}: ${said}`)
    const parsed = JSON.parse(said) as Record<string, unknown>
    if (status !== 200) assert.equal(Object.keys(parsed), ['message'])
    assert.not.match(said, LEAKS)
  }
  const worker = async () => {
    while (sent < REQUESTS) {
      sent++
      await ask()
    }
  }
  try {
    await Promise.all(Array.from({ length: PARALLEL }, worker))
    const before = process.memoryUsage().rss
    sent = REQUESTS - 2000
    await Promise.all(Array.from({ length: PARALLEL }, worker))
    assert.ok(process.memoryUsage().rss - before < GROWTH_BYTES)
    for (const status of [200, 400, 413, 415]) assert.ok(counts.get(status)! > 100, `${status}: ${counts.get(status)}`)
    assert.equal(
      server.log.filter(({ level }) => level !== 'info'),
      [],
    )
  } finally {
    await dispatcher.close()
    await server.close()
  }
})

test.run()
