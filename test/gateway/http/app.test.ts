/**
 * The app on a real server: what handlers get and throw, and what is answered without a handler. The order of the checks
 * and each error: test/contract/rules/errors.test.ts.
 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { type Answer, jsonAnswer } from '../../../corpus/answers/answer.ts'
import { unavailable } from '../../../corpus/answers/errors.ts'
import { cveId } from '../../../corpus/answers/parameters/ids.ts'
import { boolean, openText } from '../../../corpus/answers/parameters/parameter-types.ts'
import { defineRoute } from '../../../corpus/answers/route.ts'
import type { Steps } from '../../../corpus/runtime/steps.ts'
import type { Subject } from '../../../gateway/auth/subject.ts'
import { healthRoutes } from '../../../gateway/http/health.ts'
import { listLog, parseRaw, sendRaw, serveApp } from '../../support/server.ts'

interface Context {
  subject: Subject
}

/** What a handler may throw, by the name that a test asks for. */
const THROWS: Record<string, () => Error> = {
  unavailable: () => unavailable('no snapshot is loaded', 5),
  internal: () => new Error('secret detail at /srv/vulnshelf/gateway.ts'),
}

const params = <T extends Parameters<typeof defineRoute>[0]['params']>(schemas: T) => schemas
const routes = [
  defineRoute({
    name: 'getCve',
    path: '/cves/:cveId',
    summary: 'One CVE',
    description: 'A route of the test',
    params: params({ path: { cveId: cveId() }, query: { kev: boolean() } }),
    answer: z.object({}),
    *handle({ subject }: Context, { cveId, kev }) {
      return jsonAnswer({ cveId, kev: kev ?? null, sub: subject.sub }, 'shard', 's1')
    },
  }),
  defineRoute({
    name: 'getModule',
    path: '/exploits/:source/:id',
    summary: 'An id with a slash',
    description: 'A route of the test',
    params: { path: { source: openText(), id: openText() }, query: {} },
    answer: z.object({}),
    *handle(_context: Context, { source, id }) {
      return (yield Promise.resolve(jsonAnswer({ source, id }, 'sqlite', 's1'))) as Answer
    },
  }),
  defineRoute({
    name: 'fail',
    path: '/throws/:what',
    summary: 'Fails as asked',
    description: 'A route of the test',
    params: { path: { what: openText() }, query: {} },
    answer: z.object({}),
    *handle(_context: Context, { what }) {
      return (yield Promise.reject(THROWS[what]!())) as Answer
    },
  }),
  defineRoute({
    name: 'failAtOnce',
    path: '/throws-at-once',
    summary: 'Fails before it waits for anything',
    description: 'A route of the test',
    params: { path: {}, query: {} },
    answer: z.object({}),
    *handle(_context: Context): Steps<Answer> {
      throw new TypeError('undefined is not a shelf')
    },
  }),
]

const server = await serveApp<Context>({ routes, context: (subject) => ({ subject }) })
const path = '/api/v1/cves/CVE-2024-3400'
const without = { headers: { authorization: 'none' } }

const order = suite('order of judgement')

order('a good request reaches its handler with typed parameters and its subject', async () => {
  const response = await server.get('/api/v1/cves/cve-2024-3400?kev=true')
  assert.is(response.status, 200)
  assert.equal(await response.json(), { cveId: 'CVE-2024-3400', kev: true, sub: 'alice' })
})

order('parameters are judged before the snapshot is asked for', async () => {
  const empty = await serveApp<Context>({
    routes,
    context: () => {
      throw unavailable('no snapshot is loaded', 5)
    },
  })
  assert.is((await empty.get('/api/v1/cves/rubbish')).status, 400)
  const response = await empty.get(path)
  assert.is(response.status, 503)
  assert.is(response.headers.get('retry-after'), '5')
  await empty.close()
})

order.run()

const errors = suite('errors of handlers')

errors('any other error is 500 internal: the log has the cause, the answer does not', async () => {
  for (const target of ['/api/v1/throws/internal', '/api/v1/throws-at-once']) {
    server.log.length = 0
    const response = await server.get(target)
    assert.is(response.status, 500)
    assert.equal(await response.json(), { error: 'internal', message: 'internal error' })
    const line = server.log.find(({ level }) => level === 'error')
    assert.match(String(line?.err), /secret detail|not a shelf/)
  }
})

errors('clients cannot fill the log: ten lines a minute for each message', async () => {
  const lines = async (target: string) => {
    server.log.length = 0
    for (let i = 0; i < 15; i++) await server.get(target)
    return server.log.filter(({ level }) => level !== 'info').length
  }
  assert.ok((await lines('/api/v1/throws/unavailable')) <= 10)
  assert.is(await lines('/api/v1/throws/unavailable'), 0)
  // Failures of different routes may have different causes.
  assert.ok((await lines('/api/v1/throws/internal')) <= 10)
  assert.is(await lines('/api/v1/throws/internal'), 0)
  assert.ok((await lines('/api/v1/throws-at-once')) > 0)
})

errors.run()

const paths = suite('paths')

paths('an id with an encoded slash arrives decoded, once', async () => {
  const response = await server.get('/api/v1/exploits/exploit_framework/exploit%2Fwindows%252Fsmb')
  assert.equal(await response.json(), { source: 'exploit_framework', id: 'exploit/windows%2Fsmb' })
})

const rawGet = (target: string, ...headers: string[]) =>
  sendRaw(server.port, [`GET ${target} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers, '', ''].join('\r\n'))

paths('an absolute target is understood', async () => {
  const raw = await rawGet(`http://example.org${path}?kev=false`, `Authorization: Bearer ${server.token}`)
  assert.is(parseRaw(raw).status, 200)
})

paths.run()

const connections = suite('connections')

const EVERYWHERE = [path, '/api/v1/nothing', '/healthz', '/readyz', '/nothing']

connections('no Host, two of them, and what is no host are 400 on every path', async () => {
  const end = `Authorization: Bearer ${server.token}\r\nConnection: close\r\n\r\n`
  for (const target of EVERYWHERE) {
    for (const host of [
      '',
      'Host: x\r\nHost: x\r\n',
      'Host: a b\r\n',
      'Host: a/b\r\n',
      'Host: u@h\r\n',
      'Host: x:y\r\n',
    ]) {
      const raw = await sendRaw(server.port, `GET ${target} HTTP/1.1\r\n${host}${end}`)
      const { status, body } = parseRaw(raw)
      assert.equal([status, JSON.parse(body).error], [400, 'invalid_parameter'], target + host)
    }
    const ok = target.includes('nothing') ? 404 : 200
    for (const host of ['', 'Host: \r\n', 'Host: [::1]:8080\r\n', 'Host: a_b.example:80\r\n']) {
      const version = host === '' ? '1.0' : '1.1'
      const raw = await sendRaw(server.port, `GET ${target} HTTP/${version}\r\n${host}${end}`)
      assert.is(parseRaw(raw).status, ok, target + host)
    }
  }
})

connections('an unknown expectation and a long target are refused on every path', async () => {
  const authorization = `Authorization: Bearer ${server.token}`
  for (const target of EVERYWHERE) {
    assert.is(parseRaw(await rawGet(target, authorization, 'Expect: miracles')).status, 417, target)
    assert.is(parseRaw(await rawGet(`${target}?${'a'.repeat(8192)}`, authorization)).status, 414, target)
  }
})

connections('more than 256 headers are 431 on every path, and the connection closes', async () => {
  const filler = (count: number) => Array.from({ length: count }, (_, i) => `${(i % 36).toString(36)}:`)
  const bearer = `Authorization: Bearer ${server.token}`
  // With Host and Connection, these are 256.
  for (const target of EVERYWHERE) {
    assert.is.not(parseRaw(await rawGet(target, bearer, ...filler(253))).status, 431, target)
    const { status, headers, body } = parseRaw(await rawGet(target, bearer, ...filler(254)))
    assert.equal([status, headers.connection, JSON.parse(body).error], [431, 'close', 'headers_too_large'])
  }
  const many = `GET ${path} HTTP/1.1\r\nHost: x\r\n${filler(3000).join('\r\n')}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`
  assert.equal((await sendRaw(server.port, many)).match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 431'])
})

connections('CONNECT is 405 with Allow, whatever it brings, and ends the connection', async () => {
  for (const more of ['', `Authorization: Bearer ${server.token}\r\n`]) {
    const raw = await sendRaw(server.port, `CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n${more}\r\nGET /`)
    const { status, headers, body } = parseRaw(raw)
    assert.equal([status, headers.allow, headers.connection], [405, 'GET, HEAD', 'close'])
    assert.is(JSON.parse(body).error, 'method_not_allowed')
  }
})

connections('an unknown expectation gives 417 with a body; 100-continue is answered', async () => {
  const authorization = `Authorization: Bearer ${server.token}`
  const { status, headers, body } = parseRaw(await rawGet(path, authorization, 'Expect: miracles'))
  assert.equal([status, headers['content-type']], [417, 'application/json; charset=utf-8'])
  assert.is(JSON.parse(body).error, 'expectation_failed')
  const continued = await rawGet(path, authorization, 'Expect: 100-Continue')
  assert.match(continued, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/)
})

connections('two Authorization headers are 401, also behind many others', async () => {
  const filler = Array.from({ length: 250 }, (_, i) => `${(i % 36).toString(36)}:`)
  const bearer = `Authorization: Bearer ${server.token}`
  assert.is(parseRaw(await rawGet(path, bearer, bearer)).status, 401)
  assert.is(parseRaw(await rawGet(path, bearer, ...filler)).status, 200)
  assert.is(parseRaw(await rawGet(path, bearer, ...filler, bearer)).status, 401)
})

connections('an unread body closes the connection', async () => {
  const request = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n`
  const { status, headers } = parseRaw(await sendRaw(server.port, request))
  assert.is(status, 401)
  assert.is(headers.connection, 'close')
})

connections('a client that does not finish its headers gets 408 and is cut off', async () => {
  const slow = await serveApp<Context>({
    routes,
    context: (subject) => ({ subject }),
    serve: { headersTimeoutMs: 100, requestTimeoutMs: 200 },
  })
  const { status, body } = parseRaw(await sendRaw(slow.port, `GET ${path} HTTP/1.1\r\nHost: x\r\n`))
  assert.is(status, 408)
  assert.is(JSON.parse(body).error, 'request_timeout')
  await slow.close()
})

connections.run()

const others = suite('health, log and origins')

others('/healthz and /readyz need no token', async () => {
  const health = await server.get('/healthz', without)
  assert.equal([health.status, await health.json()], [200, { status: 'ok' }])
  const ready = await server.get('/readyz', without)
  assert.equal([ready.status, await ready.json()], [200, { status: 'ready', snapshot: 'snapshot-1' }])
})

others('/readyz is 503 with Retry-After while there is no snapshot', async () => {
  const openRoutes = healthRoutes(() => null)
  const empty = await serveApp<Context>({ routes, context: (subject) => ({ subject }), deps: { openRoutes } })
  const response = await fetch(`${empty.url}/readyz`)
  assert.equal([response.status, response.headers.get('retry-after')], [503, '1'])
  assert.is((await fetch(`${empty.url}/healthz`)).status, 200)
  await empty.close()
})

others('each request leaves one line, without the query where it was refused, and without a token', async () => {
  server.log.length = 0
  await server.get(`${path}?kev=true`)
  await server.get(`${path}?access_token=${server.token}`)
  const [good, bad, ...rest] = server.log
  assert.is(rest.length, 0)
  const { ms, bytes, subject, id, ...line } = good!
  assert.match(String(id), /^[0-9a-f]{12}-[0-9a-z]+$/)
  assert.equal(line, {
    level: 'info',
    message: 'request',
    method: 'GET',
    path,
    query: '?kev=true',
    status: 200,
    from: 'shard',
  })
  assert.ok(typeof ms === 'number' && typeof bytes === 'number' && bytes > 0)
  assert.match(String(subject), /^[0-9a-f]{12}$/)
  assert.equal([bad!.status, bad!.path, bad!.query], [400, path, ''])
  assert.not.match(JSON.stringify(server.log), server.token.slice(0, 30))
})

others(
  'the id of a request is in its answer, its line and its error; a debug line has the reason of a 4xx',
  async () => {
    const { log, lines } = listLog()
    const debugged: object[] = []
    log.debug = (fields) => void debugged.push(fields)
    const traced = await serveApp<Context>({ routes, context: (subject) => ({ subject }), deps: { log } })
    const ask = async (target: string, id: string, authorization = `Bearer ${traced.token}`) => {
      const response = await traced.get(target, { headers: { 'x-request-id': id, authorization } })
      assert.is(response.headers.get('x-request-id'), id)
    }
    await ask(path, 'good')
    await ask('/api/v1/throws/internal', 'failed')
    await ask('/api/v1/throws/unavailable', 'late')
    await ask(path, 'anonymous', 'none')
    await ask(`${path}?x=1`, 'wrong')
    assert.equal(
      lines.map(({ id, level, message }) => [id, level, message]),
      [
        ['good', 'info', 'request'],
        ['failed', 'error', 'internal error'],
        ['failed', 'info', 'request'],
        ['late', 'warn', 'no snapshot is loaded'],
        ['late', 'info', 'request'],
        ['anonymous', 'info', 'request'],
        ['wrong', 'info', 'request'],
      ],
    )
    assert.equal(debugged, [
      { id: 'anonymous', error: 'unauthenticated', fault: 'missing' },
      { id: 'wrong', error: 'invalid_parameter', fault: undefined },
    ])
    await traced.close()
  },
)

others('an error on a bare connection has an id, that of the client where there is one', async () => {
  const headers = async (text: string) => parseRaw(await sendRaw(server.port, text)).headers
  assert.match((await headers('rubbish\r\n\r\n'))['x-request-id']!, /^[0-9a-f]{12}-[0-9a-z]+$/)
  const connect = 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\nX-Request-Id: mine\r\n\r\n'
  assert.is((await headers(connect))['x-request-id'], 'mine')
  const twice = `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\r\nX-Request-Id: b\r\nConnection: close\r\n\r\n`
  assert.match((await headers(twice))['x-request-id']!, /^[0-9a-f]{12}-/)
})

others('the access log can be switched off', async () => {
  const quiet = await serveApp<Context>({ routes, context: (subject) => ({ subject }), app: { accessLog: false } })
  await quiet.get(path)
  assert.is(quiet.log.length, 0)
  await quiet.close()
})

others('a configured origin may read answers, errors and preflights; another may not', async () => {
  const shared = await serveApp<Context>({
    routes,
    context: (subject) => ({ subject }),
    app: { origins: ['https://app.test'] },
  })
  for (const target of [path, '/api/v1/cves/rubbish']) {
    const mine = await shared.get(target, { headers: { origin: 'https://app.test' } })
    assert.is(mine.headers.get('access-control-allow-origin'), 'https://app.test')
    assert.is(mine.headers.get('vary'), 'Accept-Encoding, Origin')
    const other = await shared.get(target, { headers: { origin: 'https://evil.test' } })
    assert.is(other.headers.get('access-control-allow-origin'), null)
    assert.is(other.headers.get('vary'), 'Accept-Encoding, Origin')
  }
  const ask = (origin: string) =>
    fetch(shared.url + path, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'GET' } })
  const preflight = await ask('https://app.test')
  assert.is(preflight.status, 204)
  assert.is(preflight.headers.get('access-control-allow-headers'), 'Authorization, If-None-Match, X-Request-Id')
  assert.match(preflight.headers.get('access-control-expose-headers')!, /, X-Request-Id$/)
  assert.ok(preflight.headers.get('x-request-id'))
  assert.is((await ask('https://evil.test')).status, 401)
  const twoHosts = 'Host: x\r\nHost: y\r\nOrigin: https://app.test\r\nAccess-Control-Request-Method: GET\r\n\r\n'
  assert.is(parseRaw(await sendRaw(shared.port, `OPTIONS ${path} HTTP/1.1\r\n${twoHosts}`)).status, 400)
  await shared.close()
})

others.after(() => server.close())
others.run()
