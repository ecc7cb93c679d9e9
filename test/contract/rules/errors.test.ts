/** gateway/API.md, section 6: each error with its code and headers, and the order of the checks. */

import { readFileSync, writeFileSync } from 'node:fs'
import * as assert from 'uvu/assert'
import { objectPath, readCurrent } from '../../../corpus/snapshot/files/layout.ts'
import { parseRaw, sendRaw } from '../../support/server.ts'
import { signingKey } from '../../support/tokens.ts'
import { contractSuite } from '../support/contract.ts'
import { identityOf, openWorld, type ServiceOptions, type World, worldsOf } from '../support/service.ts'
import { cveList } from '../support/upstream.ts'

interface ErrorBody {
  error: string
  message: string
  parameter?: string
}

const contract = contractSuite('rules, errors')
const { states } = contract

const FEEDS = cveList([{ id: 'CVE-2024-0001' }, { id: 'CVE-2024-0002' }, { id: 'CVE-2024-0003' }])
const POLICY = { rules: [{ tier: 1, id: 'CVE-2024-0002' }] }
const world = await openWorld(FEEDS, { policy: POLICY })
const identity = await identityOf(world)
const limited = await identity.as({ tier: 0 })
const user = await identity.as({ role: 'user' })
const nobody = { authorization: 'Bearer a.b.c' }

const withWorld = worldsOf(FEEDS)

/** Status, code and headers of an error, whose body has been looked at. */
async function errorOf(path: string, headers: Record<string, string> = {}, method = 'GET', on: World = world) {
  const target = `${on.url}/api/v1${path}`
  const response = await fetch(target, { method, headers: { authorization: `Bearer ${on.token}`, ...headers } })
  const body = (await response.json()) as ErrorBody
  const { error, message, parameter } = body
  assert.equal(
    Object.keys(body),
    parameter === undefined ? ['error', 'message'] : ['error', 'message', 'parameter'],
    path,
  )
  assert.ok(message.length > 10, message)
  for (const secret of [on.token, on.made.dist, on.made.corpus, 'node_modules', '.ts:', '    at ']) {
    assert.not.ok(message.includes(secret), `${path} says ${message}`)
  }
  return { is: `${response.status} ${error}`, message, parameter, headers: response.headers }
}
const is = async (...asked: Parameters<typeof errorOf>) => (await errorOf(...asked)).is

async function raw(target: string, headers = '', on: World = world) {
  const head = `Host: x\r\nAuthorization: Bearer ${on.token}\r\n${headers}Connection: close\r\n`
  const { status, body } = parseRaw(await sendRaw(on.port, `GET ${target} HTTP/1.1\r\n${head}\r\n`))
  return `${status} ${(JSON.parse(body) as ErrorBody).error}`
}

states('6.1', 'the wrong parameter is named', async () => {
  const { is: what, parameter, message } = await errorOf('/cves?kev=perhaps')
  assert.equal([what, parameter], ['400 invalid_parameter', 'kev'])
  assert.match(message, 'perhaps')
  const cursor = await errorOf('/cves?cursor=perhaps')
  assert.equal([cursor.is, cursor.parameter], ['400 invalid_cursor', 'cursor'])
})

states('6.3', 'not_found has no further field, except for a rejected CVE', async () => {
  for (const path of ['/cves/CVE-1998-9999', '/cves/CVE-1998-9999/advisory', '/cwes/999999', '/no-such-thing']) {
    const { status, body } = await world.ask(path)
    assert.is(status, 404, path)
    assert.equal(Object.keys(body as ErrorBody), ['error', 'message'])
    assert.type((body as ErrorBody).message, 'string')
  }
})

states('6.4', 'bad identifiers and unknown parameters', async () => {
  for (const path of [
    ...['/cves/CVE-24-1', '/cwes/x', '/capecs/CWE-66', '/cwes/79-1/cves', '/exploits/elsewhere/1'],
    ...['/cves?no_such_parameter=1', '/cves/CVE-2024-0001?no_such_parameter=1'],
  ]) {
    assert.is(await is(path), '400 invalid_parameter', path)
  }
})

states('6.6', 'every bad token, with a challenge', async () => {
  const now = Math.floor(Date.now() / 1000)
  const stranger = await signingKey('stranger')
  const bad: Record<string, string>[] = [
    { authorization: 'none' },
    { authorization: 'Bearer rubbish' },
    await identity.as({ exp: now - 60 }),
    await identity.as({ nbf: now + 600 }),
    await identity.as({ iss: 'https://other.test' }),
    await identity.as({ aud: 'other' }),
    await identity.as({}, {}, stranger),
    await identity.as({}, { kid: identity.key.kid }, stranger),
  ]
  for (const headers of bad) {
    const { is: what, message, headers: given } = await errorOf('/cves', headers)
    assert.is(what, '401 unauthenticated')
    assert.match(given.get('www-authenticate')!, /^Bearer\b/)
    assert.not.match(message, headers.authorization!.slice(-20))
  }
  assert.is((await fetch(`${world.url}/api/v1/cves`)).headers.get('www-authenticate'), 'Bearer')
})

states('6.7', 'a non-administrator during the preview, whatever the path', async () => {
  for (const path of ['/cves', '/no-such-thing', '/cves?no_such_parameter=1', '/cves/CVE-1999-0000']) {
    assert.is(await is(path, user), '403 forbidden', path)
  }
})

states('6.8', 'the record and its parts', async () => {
  for (const part of ['', '/cvss', '/affected', '/advisory', '/reports/x']) {
    const { is: what, message } = await errorOf(`/cves/CVE-2024-0002${part}`, limited)
    assert.is(what, '403 tier_restricted')
    assert.match(message, 'CVE-2024-0002')
  }
})

states('6.9', 'no such record, part or route', async () => {
  const paths = [
    '/cves/CVE-2024-9999',
    '/cves/CVE-2024-0001/news',
    '/cves/CVE-2024-0001/advisory',
    '/news',
    '/',
    '/cwes/9',
  ]
  for (const path of paths) assert.is(await is(path), '404 not_found', path)
  assert.match((await errorOf('/news')).message, '/api/v1/news')
})

states('6.10', 'other methods, with Allow', async () => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    const { is: what, headers } = await errorOf('/cves', {}, method)
    assert.equal([what, headers.get('allow')], ['405 method_not_allowed', 'GET, HEAD'], method)
  }
})

states('6.13', 'requests beyond the quota, with Retry-After', async () => {
  await withWorld({ rateLimit: 2 }, async (other) => {
    for (let i = 0; i < 2; i++) assert.is((await other.ask('/cves')).status, 200)
    for (let i = 0; i < 2; i++) {
      const { is: what, headers } = await errorOf('/cves', {}, 'GET', other)
      assert.is(what, '429 rate_limited')
      assert.match(headers.get('retry-after')!, /^[1-9]\d*$/)
    }
  })
})

states('6.12', 'long addresses and large headers', async () => {
  assert.is(await raw('/api/v1/cves', `X-Long: ${'a'.repeat(20_000)}\r\n`), '431 headers_too_large')
  assert.is(await raw('/api/v1/cves', 'X:\r\n'.repeat(300)), '431 headers_too_large')
  for (const length of [8193 - '/api/v1/cves?q='.length, 20_000])
    assert.is(await raw(`/api/v1/cves?q=${'a'.repeat(length)}`), '414 uri_too_long')
})

states('6.18', 'one answer, 400, on every path', async () => {
  for (const target of ['/api/v1/cves', '/api/v1/openapi.json', '/docs', '/healthz', '/readyz', '/nothing']) {
    const authorization = `Authorization: Bearer ${world.token}\r\n`
    for (const [what, text] of [
      ['no Host', `GET ${target} HTTP/1.1\r\n${authorization}\r\n`],
      ['two of them', `GET ${target} HTTP/1.1\r\nHost: x\r\nHost: x\r\n${authorization}\r\n`],
      ['a body', `GET ${target} HTTP/1.1\r\nHost: x\r\n${authorization}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
      ['no HTTP', `${target}\r\n\r\n`],
      ['another version', `GET ${target} HTTP/9.9\r\nHost: x\r\n\r\n`],
    ] as const) {
      const received = await sendRaw(world.port, text)
      assert.equal(received.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 400'], `${what}: ${target}`)
      const { headers, body } = parseRaw(received)
      assert.equal([headers.connection, (JSON.parse(body) as ErrorBody).error], ['close', 'invalid_parameter'])
    }
  }
})

states('6.19', 'bodies and upgrades', async () => {
  for (const more of ['Content-Length: 2\r\n\r\n{}', 'Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n']) {
    const head = `GET /api/v1/cves HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${world.token}\r\n`
    const received = await sendRaw(world.port, `${head}${more}GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n`)
    assert.equal(received.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200'], more)
    assert.is(parseRaw(received).headers.connection, 'close')
  }
})

states('6.20', 'errors have the id of their request', async () => {
  for (const [path, headers, method] of [
    ['/cves', nobody, 'GET'],
    ['/cves', user, 'GET'],
    ['/nothing', {}, 'GET'],
    ['/cves', {}, 'POST'],
    ['/cves?x=1', {}, 'GET'],
  ] as const) {
    const sent = await errorOf(path, { ...headers, 'x-request-id': 'from-the-client' }, method)
    assert.is(sent.headers.get('x-request-id'), 'from-the-client', path)
    const [one, other] = [await errorOf(path, headers, method), await errorOf(path, headers, method)]
    assert.match(one.headers.get('x-request-id')!, /^[0-9a-f]{12}-[0-9a-z]+$/, path)
    assert.is.not(one.headers.get('x-request-id'), other.headers.get('x-request-id'), path)
  }
})

states('6.11', 'changes since an unknown snapshot', async () => {
  assert.is(await is(`/changes?since=${'f'.repeat(64)}`), '410 gone')
})

states('6.14', 'no details, and other requests still work', async () => {
  await withWorld({}, async (other) => {
    const { manifest } = readCurrent(other.made.dist)
    const shards = manifest.files.filter(({ role }) => role === 'cve')
    assert.ok(shards.length > 0)
    for (const { sha256 } of shards) {
      const file = objectPath(other.made.dist, sha256)
      writeFileSync(file, readFileSync(file).fill(0, 100))
    }
    const { is: what, message } = await errorOf('/cves/CVE-2024-0001?include=affected', {}, 'GET', other)
    assert.is(what, '500 internal')
    assert.is(message, 'internal error')
    assert.is((await other.ask('/snapshot')).status, 200)
    assert.is((await other.ask('/search?q=cve-20')).status, 200)
  })
  // In another one, because SQLite caches the pages that a search has read.
  await withWorld({}, async (other) => {
    const { path } = other.registry.current.query
    const bytes = readFileSync(path)
    writeFileSync(path, bytes.fill(0, bytes.readUInt16BE(16)))
    assert.is(await is('/search?q=CVE-2', {}, 'GET', other), '500 internal')
    assert.ok(other.log.some(({ level, err }) => level === 'error' && String(err).includes('query.db cannot be read')))
  })
})

states('6.15', 'no keys or too many queries, with Retry-After', async () => {
  const cases: [ServiceOptions, path: string, what: string][] = [
    [{ jwks: 'http://127.0.0.1:9/jwks.json' }, '/cves', '503 unavailable'],
    [{ query: { maxWaiting: 0 } }, '/cves?q=fault', '503 overloaded'],
    [{ query: { maxWaiting: 0 } }, '/search?q=fault', '503 overloaded'],
  ]
  for (const [options, path, expected] of cases) {
    await withWorld(options, async (other) => {
      const { is: what, headers } = await errorOf(path, {}, 'GET', other)
      assert.is(what, expected)
      assert.match(headers.get('retry-after')!, /^[1-9]\d*$/)
    })
  }
})

/** What is wrong with a request, one thing after another, and how it is judged: always by the first. */
states('6.17', 'the order of the checks', async () => {
  assert.is(await is('/news?x=1', nobody, 'POST'), '401 unauthenticated')
  assert.is(await is('/news?x=1', user, 'POST'), '403 forbidden')
  await withWorld({ rateLimit: 1 }, async (other) => {
    const { as } = await identityOf(other)
    await other.ask('/snapshot')
    assert.is(await is('/news?x=1', await as({ role: 'user' }), 'POST', other), '403 forbidden')
    assert.is(await is('/news?x=1', { authorization: `Bearer ${other.token}` }, 'POST', other), '429 rate_limited')
  })
  assert.is(await is('/news?x=1', limited, 'POST'), '404 not_found')
  assert.is(await is('/cves/CVE-1?x=1', limited, 'POST'), '405 method_not_allowed')
  assert.is(await is('/cves/CVE-2024-9999/advisory?x=1', limited), '400 invalid_parameter')
  assert.is(await is('/cves/CVE-2024-0002/advisory?x=1', limited), '400 invalid_parameter')
  assert.is(await is('/cves/CVE-2024-9999/advisory', limited), '404 not_found')
  assert.is(await is('/cves/CVE-2024-0002/advisory', limited), '403 tier_restricted')
  assert.is(await is('/cves/CVE-2024-0001/advisory', limited), '404 not_found')
})

contract.after(world.remove)
contract.run()
