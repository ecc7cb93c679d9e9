/** Rule 17 of RULES.md: what every answer says in its headers. */

import { gunzipSync } from 'node:zlib'
import * as assert from 'uvu/assert'
import { apiDocument } from '../../../corpus/answers/routes.ts'
import { epssCsv, kevJson } from '../../support/feeds.ts'
import { parseRaw, sendRaw } from '../../support/server.ts'
import { contractSuite } from '../support/contract.ts'
import { identityOf, openWorld, type World, worldsOf } from '../support/service.ts'
import { cveList } from '../support/upstream.ts'

const contract = contractSuite('rules, HTTP')
const { states, rule } = contract

const KEV = 'kev/known_exploited_vulnerabilities.json'
const FEEDS = { ...cveList([{ id: 'CVE-2024-0001' }, { id: 'CVE-2024-0002' }]), [KEV]: kevJson(['CVE-2024-0001']) }
const world = await openWorld(FEEDS, { metricsPort: 0 })
const identity = await identityOf(world)
const DETAIL = '/cves/CVE-2024-0001?include=cvss,affected'

const withWorld = worldsOf(FEEDS)
/** `fetch` asks for gzip by itself and takes it apart; this shows what is on the wire. */
async function onTheWire(path: string, headers: Record<string, string> = {}, method = 'GET', on: World = world) {
  const lines = Object.entries({ authorization: `Bearer ${on.token}`, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  const target = path.startsWith('//') ? path.slice(1) : `/api/v1${path}`
  const text = `${method} ${target} HTTP/1.1\r\nHost: x\r\n${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`
  return parseRaw(await sendRaw(on.port, text))
}
const plain = (body: string) => Buffer.from(body, 'latin1').toString()
const unzipped = (body: string) => gunzipSync(Buffer.from(body, 'latin1')).toString()

rule(17, 'every answer, errors included, has Content-Type, nosniff and no-cache', async () => {
  for (const path of [
    '/cves',
    DETAIL,
    '/search?q=er',
    '/openapi.json',
    '/nothing',
    '/cves?x=1',
    '/cves/CVE-1999-0001',
  ]) {
    const { headers } = await onTheWire(path)
    assert.is(headers['content-type'], 'application/json; charset=utf-8', path)
    assert.is(headers['x-content-type-options'], 'nosniff', path)
    assert.is(headers['cache-control'], 'private, no-cache', path)
    assert.is(headers.vary, 'Accept-Encoding', path)
    assert.not.ok('accept-ranges' in headers)
  }
})

rule(17, 'a 200 has every header that the OpenAPI document names', async () => {
  const { id } = world.registry.current
  for (const [path, query] of [
    ['/cves', `?snapshot=${id}`],
    ['/snapshot', `?snapshot=${id}`],
    ['/snapshots', ''],
    ['/openapi.json', ''],
  ] as const) {
    const { headers: named } = apiDocument().paths[path]!.get.responses[200] as { headers: object }
    const { headers } = await onTheWire(path + query)
    for (const name of Object.keys(named)) assert.ok(name.toLowerCase() in headers, `${path}: ${name}`)
  }
})

rule(17, 'an answer is gzip if the client accepts it, else identity; both have the same content', async () => {
  for (const path of ['/cves', DETAIL, '/cves/CVE-2024-0001/timeline?messages=false', '/search?q=er']) {
    const identityAnswer = await onTheWire(path)
    assert.is(identityAnswer.headers['content-encoding'], undefined)
    const text = plain(identityAnswer.body)
    assert.is(Number(identityAnswer.headers['content-length']), identityAnswer.body.length)
    for (const accepted of ['gzip', 'br, gzip', '*', 'gzip;q=0.5', 'GZIP']) {
      const { headers, body } = await onTheWire(path, { 'accept-encoding': accepted })
      assert.is(headers['content-encoding'], 'gzip', accepted)
      assert.is(unzipped(body), text)
    }
    for (const accepted of ['identity', 'br', 'gzip;q=0', 'identity;q=0, gzip;q=0', '*;q=0', '']) {
      const { status, headers, body } = await onTheWire(path, { 'accept-encoding': accepted })
      assert.equal([status, headers['content-encoding']], [200, undefined], accepted)
      assert.is(plain(body), text)
    }
  }
})

rule(17, 'a Range header is ignored', async () => {
  const { status, body } = await onTheWire('/cves', { range: 'bytes=0-10' })
  assert.is(status, 200)
  assert.ok(body.length > 11)
})

rule(
  17,
  'the ETag is strong and the same for every token, one for each coding; either gives 304 with a valid token',
  async () => {
    const other = await identity.as({ sub: 'somebody else' })
    for (const path of ['/cves', DETAIL, '/search?q=er', '/search/suggest?q=er', '/snapshot', '/openapi.json']) {
      const tag = (await onTheWire(path)).headers.etag!
      assert.match(tag, /^"[^"]+"$/)
      assert.is((await onTheWire(path, other)).headers.etag, tag)
      const zipped = (await onTheWire(path, { 'accept-encoding': 'gzip' })).headers.etag!
      assert.is(zipped, tag.replace(/"$/, '-gz"'))
      for (const known of [tag, zipped, `"x", ${zipped}`, `W/${tag}`, '*']) {
        for (const accepted of ['gzip', 'identity']) {
          const answer = await onTheWire(path, { 'if-none-match': known, 'accept-encoding': accepted })
          assert.equal([answer.status, answer.body], [304, ''], `${path} ${known}`)
          assert.is(answer.headers.etag, accepted === 'gzip' ? zipped : tag)
        }
      }
      assert.is((await onTheWire(path, { 'if-none-match': '"x"' })).status, 200)
      assert.is((await onTheWire(path, { 'if-none-match': tag, authorization: 'none' })).status, 401)
    }
  },
)

rule(17, 'the ETag changes only when the content changes, EPSS included', async () => {
  await withWorld({}, async (own) => {
    const tags = async () =>
      Promise.all([1, 2].map(async (n) => (await own.ask(`/cves/CVE-2024-000${n}`)).headers.get('etag')))
    const before = await tags()
    await own.night({ 'epss/epss_scores-2024-06-02.csv.gz': epssCsv([['CVE-2024-0001', 0.5, 0.5]], '2024-06-02') })
    const after = await tags()
    assert.is.not(after[0], before[0])
    assert.is(after[1], before[1])
  })
})

rule(17, 'answers have Snapshot-Id and Served-From', async () => {
  const cases = {
    '/cves': 'shard',
    '/openapi.json': 'shard',
    [DETAIL]: 'shard',
    '/cves/CVE-2024-0001/evidence?type=exploitation': 'shard',
    '/cves?kev=true': 'merge',
    '/cves?sort=cvss': 'merge',
    '/cves?q=cve': 'sqlite',
    '/search?q=er': 'sqlite',
    '/search/suggest?q=er': 'sqlite',
    '/cwes?q=x': 'sqlite',
  }
  for (const [path, from] of Object.entries(cases)) {
    const { headers } = await onTheWire(path)
    assert.equal([headers['served-from'], headers['snapshot-id']], [from, world.registry.current.id], path)
  }
})

rule(17, 'every answer has an X-Request-Id: that of the client if it is valid, else a new one', async () => {
  const seen = new Set<string>()
  const tag = (await onTheWire('/cves')).headers.etag!
  const cases: [number, string, Record<string, string>?, string?][] = [
    [200, '/cves'],
    [200, '/search?q=er'],
    [200, '/cves', {}, 'HEAD'],
    [304, '/cves', { 'if-none-match': tag }],
    [400, '/cves?x=1'],
    [401, '/cves', { authorization: 'none' }],
    [404, '/nothing'],
    [405, '/cves', {}, 'POST'],
    [417, '/cves', { expect: 'miracles' }],
    [200, '//healthz'],
    [200, '//'],
    [302, '//docs'],
    [404, '//assets/none.js'],
    [417, '//healthz', { expect: 'miracles' }],
  ]
  for (const [status, path, headers = {}, method] of cases) {
    for (const [sent, isKept] of [
      ['abc-123', true],
      ['!#[]~', true],
      ['x'.repeat(128), true],
      ['x'.repeat(129), false],
      ['', false],
      ['a b', false],
      ['a"b', false],
      ['a\\b', false],
      ['caf\u00e9', false],
    ] as const) {
      const answer = await onTheWire(path, { ...headers, 'x-request-id': sent }, method)
      assert.is(answer.status, status, path)
      const id = answer.headers['x-request-id']!
      if (isKept) assert.is(id, sent)
      else {
        assert.match(id, /^[0-9a-f]{12}-[0-9a-z]+$/, sent)
        assert.not.ok(seen.has(id))
        seen.add(id)
      }
    }
    assert.match((await onTheWire(path, headers, method)).headers['x-request-id']!, /^[0-9a-f]{12}-[0-9a-z]+$/)
  }
})

rule(17, 'HEAD gives the headers of GET without a body', async () => {
  for (const path of ['/cves', DETAIL, '/openapi.json', '/nothing', '/cves?x=1']) {
    for (const accepted of ['gzip', 'identity']) {
      const [get, head] = [
        await onTheWire(path, { 'accept-encoding': accepted }),
        await onTheWire(path, { 'accept-encoding': accepted }, 'HEAD'),
      ]
      assert.equal([head.status, head.body], [get.status, ''], path)
      const { date: _, ratelimit: __, 'x-request-id': ___, ...expected } = get.headers
      const { date: ____, ratelimit: _____, 'x-request-id': ______, ...given } = head.headers
      assert.equal(given, expected, path)
    }
  }
})

rule(17, 'CORS is off unless origins are configured', async () => {
  const origin = 'https://app.example'
  assert.not.ok('access-control-allow-origin' in (await onTheWire('/cves', { origin })).headers)
  await withWorld({ origins: [origin] }, async (other) => {
    assert.is((await onTheWire('/cves', { origin }, 'GET', other)).headers['access-control-allow-origin'], origin)
    const stranger = await onTheWire('/cves', { origin: 'https://evil.example' }, 'GET', other)
    assert.not.ok('access-control-allow-origin' in stranger.headers)
  })
})

states('28.2', 'health, readiness, explorer and metrics', async () => {
  const open = async (path: string, init?: RequestInit) => fetch(world.url + path, { redirect: 'manual', ...init })
  for (const path of ['/healthz', '/readyz', '/', '/favicon.ico', '/icon.svg', '/robots.txt', '/LICENSES.txt']) {
    assert.is((await open(path)).status, 200, path)
    assert.is((await open(path, { method: 'POST' })).status, 405, path)
  }
  assert.equal(await (await open('/auth/methods')).json(), { provider: null })
  const page = await open('/')
  assert.match(page.headers.get('content-type')!, 'text/html')
  for (const [, path] of (await page.text()).matchAll(/(?:src|href)="(assets\/[^"]+)"/g)) {
    assert.is((await open(`/${path}`)).status, 200, path)
  }
  assert.is((await open('/assets/none.js')).status, 404)
  const docs = await open('/docs')
  assert.equal([docs.status, docs.headers.get('location')], [302, './#/api'])
  assert.is((await open('/metrics')).status, 401)
  assert.match(world.metricsUrl!, /^http:\/\/127\.0\.0\.1:\d+\/metrics$/)
  assert.match(await (await fetch(world.metricsUrl!)).text(), /^# HELP /m)
  await withWorld({ explorer: false }, async (other) => {
    assert.is(other.metricsUrl, null)
    const headers = { authorization: `Bearer ${other.token}` }
    for (const path of ['/', '/docs', '/icon.svg', '/assets/main.js', '/auth/logout']) {
      assert.is((await fetch(other.url + path)).status, 401, path)
      assert.is((await fetch(other.url + path, { headers })).status, 404, path)
    }
    assert.is((await fetch(`${other.url}/healthz`)).status, 200)
  })
})

states('28.4', 'signing in with a token and signing out need a header of their own', async () => {
  const post = (path: string, headers: Record<string, string> = {}, method = 'POST') =>
    fetch(world.url + path, { method, headers })
  const own = { 'x-requested-with': 'explorer' }
  const bearer = { authorization: `Bearer ${world.token}` }
  const signedIn = await post('/auth/token', { ...own, ...bearer })
  assert.is(signedIn.status, 200)
  assert.match(signedIn.headers.get('set-cookie')!, /^session=\S+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/)
  const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!
  assert.is((await fetch(`${world.url}/api/v1/cves`, { headers: { cookie } })).status, 200)
  const overTls = await post('/auth/token', { ...own, ...bearer, origin: 'https://vulns.example.com' })
  assert.match(overTls.headers.get('set-cookie')!, /^__Host-session=\S+; .*Secure; SameSite=Strict$/)
  for (const headers of [own, { ...own, cookie }, { ...own, authorization: 'Bearer x.y.z' }]) {
    assert.is((await post('/auth/token', headers)).status, 401)
  }
  const signedOut = await post('/auth/logout', { ...own, cookie })
  assert.match(
    signedOut.headers.getSetCookie().join('\n'),
    /^session=; Path=\/; Max-Age=0; HttpOnly; SameSite=Strict$/m,
  )
  assert.equal(await signedOut.json(), { signed_in: false, provider_logout: null })
  for (const path of ['/auth/token', '/auth/logout']) {
    const foreign = await post(path, { ...bearer, origin: 'https://elsewhere.example' })
    assert.equal([foreign.status, foreign.headers.get('set-cookie')], [403, null])
    assert.is(foreign.headers.get('access-control-allow-origin'), null)
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']) {
      const { status, headers } = await post(path, own, method)
      assert.equal([status, headers.get('allow'), headers.get('set-cookie')], [405, 'POST', null], method)
    }
  }
  for (const path of ['/auth/login', '/auth/callback']) assert.is((await post(path, bearer, 'GET')).status, 404, path)
})

states('28.3', 'the document without a token on request, with a quota for each address', async () => {
  assert.is((await fetch(`${world.url}/api/v1/openapi.json`)).status, 401)
  await withWorld({ openDocs: true, rateLimit: 2 }, async (other) => {
    const open = (path: string, headers = {}) => fetch(`${other.url}/api/v1${path}`, { headers })
    const first = await open('/openapi.json', { authorization: 'none' })
    assert.is(first.status, 200)
    assert.match(first.headers.get('ratelimit')!, 'r=1')
    assert.is(((await first.json()) as { openapi: string }).openapi, '3.1.0')
    assert.is((await open('/cves')).status, 401)
    assert.is((await open('/openapi.json')).status, 200)
    assert.is((await open('/openapi.json')).status, 429)
    assert.is((await other.ask('/cves')).status, 200)
  })
})

contract.after(world.remove)
contract.run()
