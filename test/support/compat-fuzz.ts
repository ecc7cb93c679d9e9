/** Random and broken requests to the interfaces of other tools, with valid, nearly valid and hostile values. */
import { deflateSync, gzipSync } from 'node:zlib'
import * as assert from 'uvu/assert'
import type { Random } from '../../corpus/sample/random.ts'
import { BULK, COMPOSER_API } from './compat.ts'
import { schemaFaults } from './osv-schema.ts'

const CODINGS = ['identity', 'gzip', 'deflate', 'br', 'zstd', 'gzip, gzip', '', 'x'.repeat(100)]
const NAMES: readonly string[] = [
  'left',
  '@scope/right',
  '__proto__',
  'constructor',
  '',
  '../x',
  'LEFT',
  '\u0000',
  '💥',
  'x'.repeat(600),
]
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

const IDS = [
  'GHSA-1',
  'GHSA-3',
  'ghsa-1',
  '__proto__',
  'CVE-2024-1',
  '%zz',
  '%00',
  '%F0%9F%92%A5',
  'a%2Fb',
  'x'.repeat(200),
]
const ECOSYSTEMS = ['npm', 'Packagist', 'PyPI', 'Debian:12', 'GIT', '', 'Npm', ':', '__proto__', '💥']
const PURLS = [
  'pkg:npm/left@0.1.0',
  'pkg:composer/acme/lib',
  'pkg:unknown/x@1',
  'pkg:npm/%zz',
  'pkg:',
  '',
  'x'.repeat(2000),
]
const COMMITS = ['ab', 'a'.repeat(40), 'xyz', '', 'a'.repeat(2000)]
const PAGE_TOKENS = ['RklSU1RfUEFHRV9UT0tFTg==', 'QUZURVI6R0hTQS0x', 'QUZURVI6', '', 'x', '💥']

/** The requests of an interface. */
export interface Grammar {
  /** As in `--compat`. */
  name: string
  path(): string
  /** Default: POST. */
  methodOf?(path: string): 'GET' | 'POST'
  /** The accepted media type, and what else a client may state. */
  types: readonly [accepted: string, ...others: string[]]
  /** Text as a body: valid, of another shape, or no such text at all. */
  text(): string
  /** The keys of every error. */
  errorKeys: readonly string[]
  /** Statuses besides those of every interface. */
  statuses?: readonly number[]
  /** Throws unless an answer of status 200 has its form. */
  assertAnswer?(path: string, answer: object): void
}

export interface CompatRequest {
  grammar: Grammar
  method: 'GET' | 'POST'
  path: string
  headers: { 'content-type': string; 'content-encoding': string }
  body: Buffer | null
}

/** Makes requests from a stream of random numbers. `more` are names of packages that the service has, besides the usual. */
export function compatFuzz(random: Random, more: readonly string[] = []) {
  const names = [...NAMES, ...more]
  const pick = <T>(list: readonly T[]): T => random.pick(list)
  const times = <T>(most: number, make: () => T): T[] => Array.from({ length: random.between(0, most) }, make)

  /** Few texts are long: most of the time would go into their compression. */
  const longRepeats = (most: number) => random.between(0, random.between(0, 9) === 0 ? most : 100)

  /** A value of JSON of any shape, with a list of versions more often than others. */
  function value(depth: number): unknown {
    switch (random.between(0, 7)) {
      case 0:
        return null
      case 1:
        return random.between(0, 1e9)
      case 2:
        return pick(names)
      case 3:
        return depth > 4 ? [] : times(5, () => value(depth + 1))
      case 4:
        return depth > 4 ? {} : Object.fromEntries(times(5, () => [pick(names), value(depth + 1)]))
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
        return pick(JSON_TOKENS).repeat(longRepeats(30_000))
      default:
        return JSON.stringify(valid())
    }
  }

  const NPM: Grammar = {
    name: 'npm',
    path: () => BULK,
    types: ['application/json', 'application/json; charset=utf-8', 'text/plain', '', 'application/json;charset=latin1'],
    text: () => jsonText(() => Object.fromEntries(times(20, () => [pick(names), times(4, () => pick(VERSIONS))]))),
    errorKeys: ['message'],
  }

  const form = (most: number) =>
    [
      ...times(
        most,
        () => `${pick(FIELDS.slice(0, random.between(0, 2) === 0 ? undefined : 3))}=${pick(VENDOR_NAMES)}`,
      ),
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
          return pick(['&', '&packages[]=', '=', '💥']).repeat(longRepeats(60_000))
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

  /** A query whose values are mostly strings, of which some do not go together. */
  function query(): object {
    const chance = (percent: number) => random.between(1, 100) <= percent
    const isPurl = chance(20)
    const named = isPurl && chance(80) ? {} : { ecosystem: pick(ECOSYSTEMS), name: pick([...names, 'acme/lib']) }
    return {
      ...(chance(95) ? { package: { ...named, ...(isPurl ? { purl: pick(PURLS) } : {}) } } : {}),
      ...(chance(70) ? { version: chance(95) ? pick(VERSIONS) : value(2) } : {}),
      ...(chance(5) ? { commit: pick(COMMITS) } : {}),
      ...(chance(10) ? { page_token: pick(PAGE_TOKENS) } : {}),
      ...(chance(2) ? { [pick(names)]: value(2) } : {}),
    }
  }

  const simpleQuery = () => ({
    package: { ecosystem: pick(['npm', 'Packagist']), name: pick(['left', 'acme/lib', ...more]) },
  })

  const OSV: Grammar = {
    name: 'osv',
    path: () => pick(['/v1/query', '/v1/query', '/v1/querybatch', '/v1/querybatch', `/v1/vulns/${pick(IDS)}`]),
    methodOf: (path) => (path.startsWith('/v1/vulns/') ? 'GET' : 'POST'),
    types: NPM.types,
    text: () =>
      jsonText(() => {
        switch (random.between(0, 3)) {
          case 0:
            return query()
          case 1:
            return { queries: times(5, query) }
          case 2:
            return { queries: times(40, simpleQuery) }
          default:
            return { ...simpleQuery(), version: '0.1.0' }
        }
      }),
    errorKeys: ['code', 'message'],
    statuses: [404, 501],
    assertAnswer(path, answer) {
      const { vulns = [], results = [] } = answer as { vulns?: object[]; results?: { vulns?: object[] }[] }
      const records = path.startsWith('/v1/vulns/')
        ? [answer]
        : [...vulns, ...results.flatMap((one) => one.vulns ?? [])]
      for (const record of records) assert.equal(schemaFaults(record), [])
    },
  }

  function body(text: string): Buffer {
    const plain = Buffer.from(text)
    const coded = random.between(0, 2) === 0 ? gzipSync(plain) : random.between(0, 4) === 0 ? deflateSync(plain) : plain
    if (random.between(0, 3) > 0 || coded.length === 0) return coded
    if (random.between(0, 1) === 0) return coded.subarray(0, random.between(0, coded.length - 1))
    coded[random.between(0, coded.length - 1)]! ^= 1 << random.between(0, 7)
    return coded
  }

  const grammars = [NPM, COMPOSER, OSV]
  return {
    grammars,
    request(): CompatRequest {
      const grammar = pick(grammars)
      const path = grammar.path()
      const method = grammar.methodOf?.(path) ?? 'POST'
      const isGzip = random.between(0, 1) === 0
      const bytes = method === 'POST' ? body(grammar.text()) : null
      const type = random.between(0, 3) === 0 ? pick(grammar.types) : grammar.types[0]
      const coding = random.between(0, 3) === 0 ? pick(CODINGS) : bytes?.[0] === 0x1f || isGzip ? 'gzip' : 'identity'
      return { grammar, method, path, headers: { 'content-type': type, 'content-encoding': coding }, body: bytes }
    },
  }
}
