/** What every interface for other tools has of the listener, each in its own form: tokens, quotas, methods, bounds. */
import { gzipSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  BULK,
  COMPOSER_API,
  type CompatServerOptions,
  npmRecord,
  packagesOf,
  packagistRecord,
  withCompat,
} from '../../support/compat.ts'
import { adminClaims, sign } from '../../support/tokens.ts'

const PACKAGES = packagesOf([
  npmRecord('GHSA-1', 'left', '1.0.0'),
  packagistRecord('GHSA-2', 'acme/lib', [{ introduced: '0' }, { fixed: '1.2.0' }]),
])
const MIB = 1024 * 1024

interface Interface {
  path: string
  type: string
  body: string
  /** What an answer to the body contains. */
  found: string
  /** What the answer to a request without a token contains. */
  hint: string
  /** Asserts the form of an error, and returns its message. */
  message(response: Response, body: Record<string, unknown>): unknown
  methods: readonly (readonly [method: string, path: string, allow: string])[]
  unknown: readonly string[]
}

const JSON_TYPE = 'application/json; charset=utf-8'
const CODES: Record<number, number> = { 401: 16, 403: 7, 405: 12, 413: 8, 415: 3, 429: 8, 500: 13, 503: 14 }
const INTERFACES: Record<string, Interface> = {
  npm: {
    path: BULK,
    type: 'application/json',
    body: '{"left":["0.9.0"]}',
    found: 'GHSA-1',
    hint: '_authToken=',
    message(response, body) {
      assert.is(response.headers.get('content-type'), JSON_TYPE)
      assert.equal(Object.keys(body), ['message'])
      return body.message
    },
    methods: [
      ['GET', BULK, 'POST'],
      ['PUT', BULK, 'POST'],
      ['GET', '/-/npm/v1/security/audits', 'POST'],
      ['PUT', '/left', 'GET, HEAD'],
      ['DELETE', '/left', 'GET, HEAD'],
    ],
    unknown: ['/-/ping', '/'],
  },
  composer: {
    path: COMPOSER_API,
    type: 'application/x-www-form-urlencoded',
    body: 'packages[]=acme/lib',
    found: 'GHSA-2',
    hint: 'auth.json',
    message(response, body) {
      assert.is(response.headers.get('content-type'), 'application/json')
      assert.is(body.status, 'error')
      assert.is(body.warning, body.message, 'Composer prints the warning')
      return body.message
    },
    methods: [
      ['PUT', COMPOSER_API, 'GET, HEAD, POST'],
      ['POST', '/packages.json', 'GET, HEAD'],
    ],
    unknown: ['/search.json'],
  },
  osv: {
    path: '/v1/query',
    type: 'application/json',
    body: '{"package":{"ecosystem":"npm","name":"left"},"version":"0.9.0"}',
    found: 'GHSA-1',
    hint: '',
    message(response, body) {
      assert.is(response.headers.get('content-type'), JSON_TYPE)
      assert.equal(Object.keys(body), ['code', 'message'])
      assert.is(body.code, CODES[response.status])
      return body.message
    },
    methods: [
      ['GET', '/v1/query', 'POST'],
      ['POST', '/v1/vulns/GHSA-1', 'GET, HEAD'],
    ],
    unknown: ['/v1', '/v1/query/', '/v1/vulns/', '/v1/vulns/a/b', '/v1experimental/determineversion'],
  },
}

for (const [name, { path, type, body, found, hint, message, methods, unknown }] of Object.entries(INTERFACES)) {
  const withServer = (options: CompatServerOptions, use: Parameters<typeof withCompat>[1]) =>
    withCompat({ packages: PACKAGES, interfaces: { compat: [name] }, ...options }, use)
  const post = (url: string, headers: Record<string, string>, sent: string | Uint8Array = body) =>
    fetch(url + path, { method: 'POST', body: sent as string, headers: { 'content-type': type, ...headers } })
  const refusal = async (response: Response, status: number) => {
    assert.is(response.status, status)
    assert.match(response.headers.get('x-request-id')!, /^\S+$/)
    return String(message(response, (await response.json()) as Record<string, unknown>))
  }

  test(`${name} requires a token of an administrator, and states what to configure`, async () => {
    await withServer({}, async ({ url, key, bearer }) => {
      const missing = await post(url, {})
      assert.is(missing.headers.get('www-authenticate'), 'Bearer')
      assert.match(await refusal(missing, 401), hint)
      const wrong = await post(url, { authorization: 'Bearer a.b.c' })
      assert.is(wrong.headers.get('www-authenticate'), 'Bearer error="invalid_token"')
      assert.match(await refusal(wrong, 401), 'malformed')
      await refusal(await post(url, { authorization: `Basic ${btoa('user:password')}` }), 401)
      for (const [, other] of methods) assert.is((await fetch(url + other)).status, 401)
      const user = await sign(key, adminClaims(Date.now(), { role: 'user' }))
      await refusal(await post(url, { authorization: `Bearer ${user}` }), 403)
      assert.match(await (await post(url, bearer)).text(), found)
    })
    await withServer({ auth: 'none' }, async ({ url }) => assert.match(await (await post(url, {})).text(), found))
  })

  test(`${name} has the quotas of the API: of a subject, of failed tokens, and of an address without tokens`, async () => {
    await withServer({ limits: { rateLimit: 2, failedTokens: 1 } }, async ({ url, bearer }) => {
      await refusal(await post(url, { authorization: 'Bearer a.b.c' }), 401)
      await refusal(await post(url, { authorization: 'Bearer a.b.c' }), 429)
      for (let i = 0; i < 2; i++) assert.is((await post(url, bearer)).status, 200)
      const answer = await post(url, bearer)
      assert.match(answer.headers.get('retry-after')!, /^\d+$/)
      assert.match(await refusal(answer, 429), 'retry in')
    })
    const limits = { rateLimit: 2, trustedProxies: ['127.0.0.1'] }
    await withServer({ auth: 'none', limits }, async ({ url, log }) => {
      const from = (address: string) => post(url, { 'x-forwarded-for': address })
      for (let i = 0; i < 2; i++) assert.is((await from('192.0.2.1')).status, 200)
      assert.match(await refusal(await from('192.0.2.1'), 429), 'this address')
      assert.is((await from('192.0.2.2')).status, 200)
      assert.is(log.find(({ message }) => message === 'request')!.subject, null)
    })
  })

  test(`${name} names the methods of a path, and has no others`, async () => {
    await withServer({}, async ({ url, bearer }) => {
      for (const [method, other, allow] of methods) {
        const answer = await fetch(url + other, { method, headers: bearer })
        assert.is(answer.headers.get('allow'), allow)
        assert.match(await refusal(answer, 405), allow.replace(/, (?=\w+$)/, ' or '))
      }
      for (const other of unknown) assert.is((await fetch(url + other, { headers: bearer })).status, 404, other)
    })
  })

  test(`${name} reads compressed bodies, of its type and up to 1 MiB`, async () => {
    await withServer({}, async ({ url, bearer, log }) => {
      const plain = await post(url, { ...bearer, 'x-request-id': 'mine' })
      assert.is(plain.headers.get('x-request-id'), 'mine')
      assert.match(plain.headers.get('ratelimit')!, /r=599/)
      const zipped = await post(url, { ...bearer, 'content-encoding': 'gzip' }, gzipSync(body))
      assert.is(await zipped.text(), await plain.text())
      const line = log.find(({ message }) => message === 'request')!
      assert.equal([line.id, line.method, line.path, line.status, line.from], ['mine', 'POST', path, 200, 'merge'])
      await refusal(await post(url, { ...bearer, 'content-type': 'text/plain' }), 415)
      await refusal(await post(url, bearer, body.padEnd(MIB + 1)), 413)
    })
  })

  test(`${name} answers 503 with a snapshot without packages, and 500 without details after a fault`, async () => {
    await withServer({ packages: null }, async ({ url, bearer }) => {
      const answer = await post(url, bearer)
      assert.match(answer.headers.get('retry-after')!, /^\d+$/)
      assert.match(await refusal(answer, 503), 'no packages')
    })
    let open = 0
    const fault = () => {
      throw new Error('secret')
    }
    const openPackages = () => {
      open++
      return { index: { ...PACKAGES, package: fault }, release: () => void open-- }
    }
    await withServer({ deps: { openPackages } }, async ({ url, bearer, log }) => {
      assert.is(await refusal(await post(url, bearer), 500), 'internal error')
      assert.is(open, 0, 'the snapshot is released')
      assert.ok(log.some(({ level }) => level === 'error'))
    })
  })
}

test.run()
