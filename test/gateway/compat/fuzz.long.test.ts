/** Random and broken bodies: each gets a documented answer, and the listener stays as it was. */
import { deflateSync, gzipSync } from 'node:zlib'
import { Agent, request } from 'undici'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Random } from '../../../corpus/sample/random.ts'
import { BULK, COMPOSER_API, npmRecord, packagesOf, packagistRecord, serveCompat } from '../../support/compat.ts'

const SEED = Number(process.env.VULNSHELF_TEST_SEED ?? 1)
/** For each interface. */
const REQUESTS = 20_000
const PARALLEL = 16
const GROWTH_BYTES = 200e6
const DOCUMENTED = new Set([200, 400, 408, 413, 415])
/** What a stack trace, a path or a token of the service would look like. */
const LEAKS = /\bat \S+ \(|node_modules|file:\/\/|\.ts:\d+|eyJ[\w-]+\.eyJ/

const CODINGS = ['identity', 'gzip', 'deflate', 'br', 'zstd', 'gzip, gzip', '', 'x'.repeat(100)]

const random = new Random(SEED)
const pick = <T>(list: readonly T[]): T => random.pick(list)
const times = <T>(most: number, make: () => T): T[] => Array.from({ length: random.between(0, most) }, make)

/** The requests of an interface. */
interface Grammar {
  /** As in `--compat`. */
  name: string
  path(): string
  /** The accepted media type, and what else a client may state. */
  types: readonly [accepted: string, ...others: string[]]
  /** Text as a body: valid, of another shape, or no such text at all. */
  text(): string
  /** The keys of every error. */
  errorKeys: readonly string[]
}

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
const JSON_TOKENS = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  'null',
  '1e999',
  '-',
  ' ',
  '\n',
  '"a"',
  '{"a":[',
  '\u0000',
]

/** A value of JSON of any shape, with a list of versions more often than others. */
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

/** Returns JSON, or text that is close to it. `valid` makes a body of the right shape. */
function jsonText(valid: () => unknown): string {
  switch (random.between(0, 5)) {
    case 0:
      return times(40, () => pick(JSON_TOKENS)).join('')
    case 1:
      return JSON.stringify(value(0))
    case 2:
      return pick(JSON_TOKENS).repeat(random.between(0, 30_000))
    default:
      return JSON.stringify(valid())
  }
}

const NPM: Grammar = {
  name: 'npm',
  path: () => BULK,
  types: ['application/json', 'application/json; charset=utf-8', 'text/plain', '', 'application/json;charset=latin1'],
  text: () => jsonText(() => Object.fromEntries(times(20, () => [pick(NAMES), times(4, () => pick(VERSIONS))]))),
  errorKeys: ['message'],
}

const FIELDS = [
  'packages[]',
  'packages[0]',
  'packages%5B1%5D',
  'packages',
  'packages[',
  'packages[a][b]',
  '__proto__',
  '',
]
const VENDOR_NAMES = [
  'acme/lib',
  'ACME%2Flib',
  'acme/other',
  '__proto__',
  '',
  '%',
  '%zz',
  '%ff',
  '%00',
  '+',
  'x'.repeat(600),
]
const TIMES = ['0', '1700000000', '-1', '1e9', '', '9'.repeat(20), '%31']
const FORM_TOKENS = ['&', '=', '%', '[', ']', ';', '+', '\u0000', 'packages', '💥', '&packages[]=', '{']

const form = (most: number) =>
  [
    ...times(most, () => `${pick(FIELDS.slice(0, random.between(0, 2) === 0 ? undefined : 3))}=${pick(VENDOR_NAMES)}`),
    ...times(1, () => `updatedSince=${pick(TIMES)}`),
  ].join('&')

const COMPOSER: Grammar = {
  name: 'composer',
  // A query may be longer than the service accepts, but not than Node does.
  path: () => COMPOSER_API + (random.between(0, 3) === 0 ? encodeURI(`?${form(5).replace(/[^ -~]/g, '')}`) : ''),
  types: [
    'application/x-www-form-urlencoded',
    'application/x-www-form-urlencoded; charset=utf-8',
    'application/json',
    'multipart/form-data; boundary=x',
    '',
  ],
  text() {
    switch (random.between(0, 5)) {
      case 0:
        return times(40, () => pick(FORM_TOKENS)).join('')
      case 1:
        return pick(['&', '&packages[]=', '=', '💥']).repeat(random.between(0, 60_000))
      case 2:
        return form(20)
      default:
        return Array.from(
          { length: random.between(1, 20) },
          (_, i) => `packages[${i}]=${pick(['acme/lib', 'acme/a'])}`,
        ).join('&')
    }
  },
  errorKeys: ['status', 'message', 'warning'],
}

const PACKAGES = packagesOf([
  npmRecord('GHSA-1', 'left', '1.0.0'),
  npmRecord('GHSA-2', '@scope/right', '2.0.0'),
  packagistRecord('GHSA-3', 'acme/lib', [{ introduced: '0' }, { fixed: '1.0.0' }]),
  packagistRecord('GHSA-4', '__proto__', [{ introduced: '0' }]),
])

function body(text: string): Buffer {
  const plain = Buffer.from(text)
  const coded = random.between(0, 2) === 0 ? gzipSync(plain) : random.between(0, 4) === 0 ? deflateSync(plain) : plain
  if (random.between(0, 3) > 0 || coded.length === 0) return coded
  if (random.between(0, 1) === 0) return coded.subarray(0, random.between(0, coded.length - 1))
  coded[random.between(0, coded.length - 1)]! ^= 1 << random.between(0, 7)
  return coded
}

for (const { name, path, types, text, errorKeys } of [NPM, COMPOSER]) {
  test(`${name}: ${REQUESTS} random and broken bodies get documented answers (seed ${SEED})`, async () => {
    const interfaces = { compat: [name] }
    const server = await serveCompat({ packages: PACKAGES, auth: 'none', interfaces, limits: { rateLimit: 1e9 } })
    const dispatcher = new Agent({ connections: PARALLEL })
    const counts = new Map<number, number>()
    let sent = 0
    const ask = async () => {
      const isGzip = random.between(0, 1) === 0
      const bytes = body(text())
      const type = random.between(0, 3) === 0 ? pick(types) : types[0]
      const coding = random.between(0, 3) === 0 ? pick(CODINGS) : bytes[0] === 0x1f || isGzip ? 'gzip' : 'identity'
      const headers = { 'content-type': type, 'content-encoding': coding }
      const answer = await request(server.url + path(), { method: 'POST', body: bytes, headers, dispatcher })
      const said = await answer.body.text()
      const status = answer.statusCode
      counts.set(status, (counts.get(status) ?? 0) + 1)
      assert.ok(DOCUMENTED.has(status), `${status}: ${said}`)
      const parsed = JSON.parse(said) as Record<string, unknown>
      if (status !== 200) assert.equal(Object.keys(parsed), errorKeys)
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
      for (const status of [200, 400, 413, 415])
        assert.ok(counts.get(status)! > 100, `${status}: ${counts.get(status)}`)
      assert.equal(
        server.log.filter(({ level }) => level !== 'info'),
        [],
      )
    } finally {
      await dispatcher.close()
      await server.close()
    }
  })
}

test.run()
