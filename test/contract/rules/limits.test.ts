/** Rule 16 of RULES.md: quotas of subjects, failed tokens of addresses, and what the headers say of them. */
import * as assert from 'uvu/assert'
import { parseRaw, sendRaw } from '../../support/server.ts'
import { contractSuite } from '../support/contract.ts'
import { identityOf } from '../support/identity.ts'
import { openWorld, worldsOf } from '../support/service.ts'
import { cveList } from '../support/upstream.ts'

const contract = contractSuite('rules, limits')
const { rule, states } = contract

const FEEDS = cveList([{ id: 'CVE-2024-0001' }])
const world = await openWorld(FEEDS)
const identity = await identityOf(world)

const withWorld = worldsOf(FEEDS)

rule(16, 'each subject has its own quota; the headers say what is left, and a refusal when to come back', async () => {
  await withWorld({ rateLimit: 3, rateWindowSeconds: 60 }, async (other) => {
    const { as } = await identityOf(other)
    const [alice, bob] = [await as({ sub: 'alice' }), await as({ sub: 'bob' })]
    const left: string[] = []
    for (let i = 0; i < 3; i++) {
      const { status, headers } = await other.ask('/cves', alice)
      assert.is(status, 200)
      left.push(/^"default";r=(\d+);t=(\d+)$/.exec(headers.get('ratelimit')!)![1]!)
    }
    assert.equal(left, ['2', '1', '0'])
    const refused = await other.ask('/cves', alice)
    assert.is(refused.status, 429)
    assert.match(refused.headers.get('ratelimit')!, /^"default";r=0;t=\d+$/)
    const wait = Number(refused.headers.get('retry-after'))
    assert.ok(wait >= 1 && wait <= 60, String(wait))
    // Another token of the same subject does not help; another subject is not concerned.
    assert.is((await other.ask('/cves', await as({ sub: 'alice', jti: '2' }))).status, 429)
    assert.is((await other.ask('/cves', bob)).status, 200)
  })
})

states('6.16', 'the body of a 429 states when to retry', async () => {
  await withWorld({ rateLimit: 1, failedTokens: 1, rateWindowSeconds: 3600 }, async (other) => {
    await other.ask('/cves')
    const forged = { authorization: 'Bearer no.such.token' }
    await other.ask('/cves', forged)
    for (const refused of [await other.ask('/cves'), await other.ask('/cves', forged)]) {
      const { message } = refused.body as { message: string }
      const stated = Number(/; retry in (\d+) seconds$/.exec(message)?.[1])
      assert.equal([refused.status, stated], [429, Number(refused.headers.get('retry-after'))], message)
    }
  })
})

rule(16, 'the default is 600 requests in 60 seconds', async () => {
  await withWorld({ rateLimit: undefined as never }, async (other) => {
    const { headers } = await other.ask('/cves')
    assert.is(headers.get('ratelimit-policy'), '"default";q=600;w=60')
    assert.match(headers.get('ratelimit')!, /^"default";r=599;t=(?:60|59)$/)
  })
})

rule(16, 'the policy is on every answer, what is left wherever a subject is known', async () => {
  const user = await identity.as({ role: 'user', sub: 'bob' })
  for (const [path, headers, known] of [
    ['/cves', {}, true],
    ['/nothing', {}, true],
    ['/cves?x=1', {}, true],
    ['/cves', user, true],
    ['/cves', { authorization: 'Bearer x.y.z' }, false],
    ['/cves', { authorization: 'none' }, false],
  ] as const) {
    const answer = await world.ask(path, headers)
    assert.match(answer.headers.get('ratelimit-policy') ?? `none with ${answer.status}`, /^"default";q=\d+;w=60$/)
    assert.is(answer.headers.get('ratelimit') !== null, known, `${path} ${answer.status}`)
  }
})

rule(
  16,
  'too many failed tokens of an address get 429, its good ones pass, and a missing one is no failed one',
  async () => {
    await withWorld({ failedTokens: 2 }, async (other) => {
      const bad = { authorization: 'Bearer a.b.c' }
      const statuses = []
      for (let i = 0; i < 4; i++) statuses.push((await other.ask('/cves', bad)).status)
      assert.equal(statuses, [401, 401, 429, 429])
      assert.match((await other.ask('/cves', bad)).headers.get('retry-after')!, /^[1-9]\d*$/)
      assert.is((await other.ask('/cves')).status, 200)
      for (let i = 0; i < 3; i++) assert.is((await fetch(`${other.url}/api/v1/cves`)).status, 401)
    })
    await withWorld({ failedTokens: undefined as never }, async (other) => {
      const statuses = []
      for (let i = 0; i < 31; i++) statuses.push((await other.ask('/cves', { authorization: 'Bearer a.b.c' })).status)
      assert.equal([statuses.lastIndexOf(401), statuses.indexOf(429)], [29, 30])
    })
  },
)

rule(16, 'the scheme is case-insensitive; two Authorization headers are 401', async () => {
  for (const scheme of ['bearer', 'BEARER', 'bEaReR']) {
    assert.is((await world.ask('/cves', { authorization: `${scheme} ${world.token}` })).status, 200)
  }
  const token = `Authorization: Bearer ${world.token}\r\n`
  const statusWith = async (headers: string) => {
    const request = `GET /api/v1/cves HTTP/1.1\r\nHost: x\r\n${headers}Connection: close\r\n\r\n`
    return parseRaw(await sendRaw(world.port, request)).status
  }
  assert.equal([await statusWith(token), await statusWith(token + token)], [200, 401])
})

rule(16, 'a 304 costs nothing, but who has nothing left gets 429', async () => {
  await withWorld({ rateLimit: 2 }, async (other) => {
    const headers = { 'if-none-match': (await other.ask('/cves')).headers.get('etag')! }
    for (let i = 0; i < 2; i++) {
      const unchanged = await other.ask('/cves', headers)
      assert.equal([unchanged.status, /r=(\d)/.exec(unchanged.headers.get('ratelimit')!)![1]], [304, '1'])
    }
    assert.is((await other.ask('/cves')).status, 200)
    assert.is((await other.ask('/cves', headers)).status, 429)
  })
})

rule(16, 'If-None-Match: * costs as much as any answer', async () => {
  await withWorld({ rateLimit: 4 }, async (other) => {
    const statuses: number[] = []
    for (const q of ['aa', 'bb', 'cc', 'dd', 'ee']) {
      statuses.push((await other.ask(`/search?q=${q}`, { 'if-none-match': '*' })).status)
    }
    assert.equal(statuses, [304, 304, 304, 304, 429])
  })
})

states('7.9', 'as many free 304 in a window as the limit', async () => {
  await withWorld({ rateLimit: 4, rateWindowSeconds: 3600 }, async (other) => {
    const headers = { 'if-none-match': (await other.ask('/cves')).headers.get('etag')! }
    const left: string[] = []
    for (let i = 0; i < 8; i++) {
      const { status, headers: given } = await other.ask('/cves', headers)
      left.push(`${status} ${/r=(\d+)/.exec(given.get('ratelimit')!)![1]}`)
    }
    assert.equal(left, ['304 3', '304 3', '304 3', '304 3', '304 2', '304 1', '304 0', '429 0'])
  })
})

contract.after(world.remove)
contract.run()
