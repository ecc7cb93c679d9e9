/** Limits on a live server (rule 16), with a clock that only the test moves. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { jsonAnswer } from '../../../corpus/answers/answer.ts'
import { notFound } from '../../../corpus/answers/errors.ts'
import { cveId } from '../../../corpus/answers/parameters/ids.ts'
import { defineRoute } from '../../../corpus/answers/route.ts'
import type { Limiter } from '../../../gateway/limits/limiter.ts'
import { createLimits, type LimitOptions } from '../../../gateway/limits/limits.ts'
import { parseRaw, sendRaw, serveApp, type TestServerOptions } from '../../support/server.ts'
import { adminClaims, sign } from '../../support/tokens.ts'

const params = { path: { cveId: cveId() }, query: {} }
const routes = [
  defineRoute<null, (typeof params)['path'], Record<never, never>>({
    path: '/cves/:cveId',
    name: 'getCve',
    summary: 'One CVE',
    description: 'A route of the test',
    params,
    answer: z.object({}),
    *handle(_context, { cveId: id }) {
      if (id === 'CVE-2024-0404') throw notFound('no record')
      return jsonAnswer({ id }, 'shard', 's1')
    },
  }),
]
const path = '/api/v1/cves/CVE-2024-3400'

const opened: { close(): Promise<void> }[] = []
const closeAll = async () => {
  for (const server of opened.splice(0)) await server.close()
}

async function serve(options: LimitOptions = {}, more: Partial<TestServerOptions<null>> = {}) {
  const clock = { ms: 0 }
  const limits = createLimits(options, { now: () => clock.ms })
  const server = await serveApp<null>({ routes, context: () => null, deps: { limits }, ...more })
  opened.push(server)
  const as = async (claims: Record<string, unknown>) => ({
    authorization: `Bearer ${await sign(server.key, adminClaims(Date.now(), claims))}`,
  })
  const status = async (target = path, init: RequestInit = {}) => (await server.get(target, init)).status
  return { ...server, clock, limits, as, status }
}

const limitHeaders = ({ status, headers }: Response) => [
  status,
  headers.get('ratelimit-policy'),
  headers.get('ratelimit'),
  headers.get('retry-after'),
]

const POLICY = '"default";q=600;w=60'
const bad = { headers: { authorization: 'Bearer no.such.token' } }
const none = { headers: { authorization: '' } }

const subjects = suite('requests of a subject')

subjects('600 in 60 seconds by default, then 429 until the window ends, then 600 again', async () => {
  const { get, clock } = await serve()
  assert.equal(limitHeaders(await get(path)), [200, POLICY, '"default";r=599;t=60', null])
  clock.ms = 20_000.5
  for (let i = 2; i < 600; i++) await (await get(path)).arrayBuffer()
  assert.equal(limitHeaders(await get(path)), [200, POLICY, '"default";r=0;t=40', null])
  const refused = await get(path)
  assert.equal(limitHeaders(refused), [429, POLICY, '"default";r=0;t=40', '40'])
  assert.is(refused.headers.get('content-type'), 'application/json; charset=utf-8')
  const { error, message, ...rest } = (await refused.json()) as Record<string, string>
  assert.equal([error, rest], ['rate_limited', {}])
  assert.match(message!, /; retry in 40 seconds$/)
  clock.ms = 59_999
  const last = await get(path)
  assert.equal(limitHeaders(last), [429, POLICY, '"default";r=0;t=1', '1'])
  assert.match(((await last.json()) as { message: string }).message, /; retry in 1 second$/)
  clock.ms = 60_000
  assert.equal(limitHeaders(await get(path)), [200, POLICY, '"default";r=599;t=60', null])
})

subjects('HEAD counts as GET, and so does every error behind the limit', async () => {
  const { get } = await serve({ rateLimit: 10 })
  const left: (string | null)[] = []
  for (const [target, method] of [
    [path, 'HEAD'],
    ['/api/v1/nothing', 'GET'],
    [path, 'POST'],
    ['/api/v1/cves/rubbish', 'GET'],
    ['/api/v1/cves/CVE-2024-0404', 'GET'],
  ] as const) {
    const response = await get(target, { method })
    left.push(`${response.status} ${response.headers.get('ratelimit')}`)
  }
  assert.equal(
    left,
    [200, 404, 405, 400, 404].map((status, i) => `${status} "default";r=${9 - i};t=60`),
  )
})

subjects('a 304 costs nothing, but without quota it is 429', async () => {
  const { get } = await serve({ rateLimit: 2 })
  const headers = { 'if-none-match': (await get(path)).headers.get('etag')! }
  for (let i = 0; i < 2; i++) {
    const method = i === 1 ? 'HEAD' : 'GET'
    assert.equal(limitHeaders(await get(path, { headers, method })).slice(0, 3), [
      304,
      '"default";q=2;w=60',
      '"default";r=1;t=60',
    ])
  }
  await get(path)
  assert.equal(limitHeaders(await get(path, { headers })), [429, '"default";q=2;w=60', '"default";r=0;t=60', '60'])
})

subjects('a 304 waits until its refund is counted', async () => {
  const { subjects, ...limits } = createLimits({ rateLimit: 2 })
  const [asked, counted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const elsewhere: Limiter = {
    ...subjects,
    async giveBack(key, taken) {
      asked.resolve()
      await counted.promise
      subjects.giveBack(key, taken)
    },
  }
  const { get } = await serve({}, { deps: { limits: { ...limits, subjects: elsewhere } } })
  const headers = { 'if-none-match': (await get(path)).headers.get('etag')! }
  let answered = false
  const unchanged = get(path, { headers }).finally(() => {
    answered = true
  })
  await asked.promise
  assert.is((await get(path)).status, 429, 'the last unit is taken')
  assert.is(answered, false)
  counted.resolve()
  assert.is((await unchanged).status, 304)
  assert.is((await get(path)).status, 200)
})

subjects('If-None-Match: * is a 304 that costs as much as any answer', async () => {
  const { get } = await serve({ rateLimit: 3 })
  const left: (string | null)[] = []
  for (const tag of ['*', ' * ', '*']) {
    const response = await get(path, { headers: { 'if-none-match': tag } })
    left.push(`${response.status} ${response.headers.get('ratelimit')}`)
  }
  assert.equal(
    left,
    [2, 1, 0].map((r) => `304 "default";r=${r};t=60`),
  )
  assert.is((await get(path, { headers: { 'if-none-match': '*' } })).status, 429)
})

subjects('in a window, at most as many 304 are free as the limit', async () => {
  const { get, clock } = await serve({ rateLimit: 3 })
  const headers = { 'if-none-match': (await get(path)).headers.get('etag')! }
  const statuses = async () => {
    const found: number[] = []
    for (let i = 0; i < 7; i++) found.push((await get(path, { headers })).status)
    return found
  }
  assert.equal(await statuses(), [304, 304, 304, 304, 304, 429, 429])
  clock.ms = 60_000
  assert.equal(await statuses(), [304, 304, 304, 304, 304, 304, 429])
})

subjects('the order of judgement: 401, 403, then the limit, before routes, methods and parameters', async () => {
  const { get, as, status } = await serve({ rateLimit: 1 })
  const user = await as({ role: 'user' })
  assert.is(await status(), 200)
  for (const [target, method] of [
    [path, 'GET'],
    ['/api/v1/nothing', 'GET'],
    [path, 'POST'],
    ['/api/v1/cves/rubbish', 'GET'],
  ] as const) {
    assert.is(await status(target, { method, ...none }), 401)
    assert.is(await status(target, { method, headers: user }), 403)
    assert.is(await status(target, { method }), 429)
  }
  // The same subject: its quota is shown, and a 403 takes nothing from it.
  assert.equal(limitHeaders(await get(path, { headers: user })), [
    403,
    '"default";q=1;w=60',
    '"default";r=0;t=60',
    null,
  ])
})

subjects('a 403 takes nothing from the quota', async () => {
  const { get, as } = await serve({ rateLimit: 5 })
  const bob = await as({ sub: 'bob', role: 'user' })
  for (let i = 0; i < 3; i++) {
    assert.is((await get(path, { headers: bob })).headers.get('ratelimit'), '"default";r=5;t=60')
  }
})

subjects('every answer of the API states the policy; the quota only with a known subject', async () => {
  const origin = 'https://app.test'
  const { get, url, port } = await serve({}, { app: { origins: [origin] } })
  assert.equal(limitHeaders(await get(path, none)), [401, POLICY, null, null])
  assert.equal(limitHeaders(await get(path, bad)), [401, POLICY, null, null])
  const preflight = { origin, 'access-control-request-method': 'GET' }
  assert.equal(limitHeaders(await fetch(url + path, { method: 'OPTIONS', headers: preflight })), [
    204,
    POLICY,
    null,
    null,
  ])
  const shared = await get(path, { headers: { origin } })
  assert.is(shared.headers.get('access-control-allow-origin'), origin)
  assert.match(shared.headers.get('access-control-expose-headers')!, 'RateLimit, RateLimit-Policy, Retry-After')
  const raw = parseRaw(await sendRaw(port, `GET ${path} HTTP/1.1\r\nConnection: close\r\n\r\n`))
  assert.equal([raw.status, raw.headers['ratelimit-policy']], [400, POLICY])
})

subjects('a store that answers later is waited for', async () => {
  const { limits } = await serve()
  const later = <T>(value: T) => new Promise<T>((resolve) => setTimeout(resolve, 1, value))
  const slow: Limiter = {
    take: async (key) => later(await limits.subjects.take(key)),
    look: async (key) => later(await limits.subjects.look(key)),
    giveBack: (key, taken) => limits.subjects.giveBack(key, taken),
  }
  const server = await serveApp<null>({ routes, context: () => null, deps: { limits: { ...limits, subjects: slow } } })
  opened.push(server)
  const first = await server.get(path)
  const headers = { 'if-none-match': first.headers.get('etag')! }
  assert.is(first.headers.get('ratelimit'), '"default";r=599;t=60')
  assert.is((await server.get(path, { headers })).headers.get('ratelimit'), '"default";r=599;t=60')
})

subjects.after.each(closeAll)
subjects.run()

const failures = suite('failed tokens from one address')

failures('30 in 60 seconds are 401, then 429; good tokens and missing ones are judged as ever', async () => {
  const { get, clock, status } = await serve()
  for (let i = 0; i < 30; i++) assert.is(await status(path, bad), 401)
  clock.ms = 15_000
  const refused = await get(path, bad)
  assert.equal(limitHeaders(refused), [429, POLICY, null, '45'])
  const { error, message } = (await refused.json()) as { error: string; message: string }
  assert.is(error, 'rate_limited')
  assert.match(message, /too many invalid tokens from this address; retry in 45 seconds$/)
  assert.is(await status(), 200)
  assert.equal(limitHeaders(await get(path, none)), [401, POLICY, null, null])
  clock.ms = 60_000
  assert.is(await status(path, bad), 401)
})

failures('requests without a token, and good ones, never use it up', async () => {
  const { status } = await serve({ failedTokens: 2 })
  for (let i = 0; i < 5; i++) {
    assert.is(await status(path, none), 401)
    assert.is(await status(), 200)
  }
  assert.equal([await status(path, bad), await status(path, bad), await status(path, bad)], [401, 401, 429])
})

failures('whatever is wrong with the token counts: malformed, expired, forged, in the cookie, twice', async () => {
  const { as, key, port, status } = await serve({ failedTokens: 4 })
  const expired = await as({ exp: 1 })
  const [head, body] = (await sign(key, adminClaims(Date.now()))).split('.')
  assert.is(await status(path, bad), 401)
  assert.is(await status(path, { headers: expired }), 401)
  assert.is(await status(path, { headers: { authorization: `Bearer ${head}.${body}.AAAA` } }), 401)
  const cookie = `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nCookie: session=x\r\n\r\n`
  assert.is(parseRaw(await sendRaw(port, cookie)).status, 401)
  const twice = 'Authorization: Bearer a\r\nAuthorization: Bearer b\r\n'
  const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${twice}\r\n`
  assert.is(parseRaw(await sendRaw(port, request)).status, 429)
})

failures('behind a trusted proxy each client has its own count; otherwise the header is ignored', async () => {
  const behind = (client: string) => ({ headers: { ...bad.headers, 'x-forwarded-for': client } })
  const trusting = await serve({ failedTokens: 1, trustedProxies: ['127.0.0.1'] })
  assert.is(await trusting.status(path, behind('192.0.2.1')), 401)
  assert.is(await trusting.status(path, behind('192.0.2.1')), 429)
  assert.is(await trusting.status(path, behind('192.0.2.2')), 401)
  assert.is(await trusting.status(path, behind('6.6.6.6, 192.0.2.2')), 429)
  const plain = await serve({ failedTokens: 1 })
  assert.is(await plain.status(path, behind('192.0.2.1')), 401)
  assert.is(await plain.status(path, behind('192.0.2.2')), 429)
})

failures.after.each(closeAll)
failures.run()
