/** Rule 16 of RULES.md and gateway/API.md, section 7: quotas, failed tokens, and each limit at both of its bounds. */
import * as assert from 'uvu/assert'
import { ROUTES } from '../../../corpus/answers/routes.ts'
import { parseRaw, sendRaw } from '../../support/server.ts'
import { contractSuite } from '../support/contract.ts'
import { everyEndpoint } from '../support/endpoints.ts'
import { identityOf, openWorld, sharedService, worldsOf } from '../support/service.ts'
import { cveList, lines } from '../support/upstream.ts'

interface Page {
  data: unknown[]
  pagination: { limit: number; next_cursor: string | null }
}

const contract = contractSuite('rules, limits')
const { rule, states } = contract

const FEEDS = cveList([{ id: 'CVE-2024-0001' }])
const world = await openWorld(FEEDS)
const identity = await identityOf(world)

const withWorld = worldsOf(FEEDS)

rule(16, 'each subject has its own quota; headers state the rest, and a 429 states when to retry', async () => {
  await withWorld({ rateLimit: 3, rateWindowSeconds: 30 }, async (other) => {
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
    assert.ok(wait >= 1 && wait <= 30, String(wait))
    assert.is(refused.headers.get('ratelimit-policy'), '"default";q=3;w=30')
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

rule(16, 'every answer states the policy; answers to a known subject state the rest of its quota', async () => {
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
  'after too many failed tokens from an address, further ones get 429; valid tokens work, and missing ones do not count',
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

rule(16, 'a 304 costs no quota, but an empty quota gives 429', async () => {
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

rule(16, 'a 304 for If-None-Match: * costs quota', async () => {
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
  await withWorld({ rateLimit: 2, rateWindowSeconds: 3600 }, async (other) => {
    const headers = { 'if-none-match': (await other.ask('/cves')).headers.get('etag')! }
    assert.is((await other.ask('/cves')).status, 200)
    assert.is((await other.ask('/cves', headers)).status, 429, 'though no 304 was given')
  })
})

interface Found {
  results: Record<string, unknown[]>
  counts: Record<string, number>
}

const service = await sharedService()
const endpoints = await everyEndpoint(service)
const statusOf = async (path: string) => (await service.ask(path)).status
const withLimit = (path: string, limit: number | string) => `${path}${path.includes('?') ? '&' : '?'}limit=${limit}`

states('7.1', 'rows on a page', async () => {
  const paged = ROUTES.filter(({ params, path }) => 'cursor' in params.query || path === '/products')
  assert.ok(paged.length >= 9)
  for (const { path: template } of paged) {
    const path = endpoints.find((one) => one.template === template)!.path
    for (const limit of [1, 100]) {
      const { data, pagination } = await service.json<Page>(withLimit(path, limit))
      assert.is(pagination.limit, limit, template)
      assert.ok(data.length <= limit)
    }
    assert.is((await service.json<Page>(path)).pagination.limit, 25, template)
    for (const limit of [0, 101, -1, 2.5, 'all']) assert.is(await statusOf(withLimit(path, limit)), 400, template)
  }
  for (const path of ['/cves', '/cwes', '/capecs', '/exploits']) {
    assert.is((await service.json<Page>(path)).data.length, 25, path)
    assert.is((await service.json<Page>(withLimit(path, 26))).data.length, 26, path)
  }
})

states('7.2', 'results of each type', async () => {
  const longest = async (query: string) => {
    const { results, counts } = await service.json<Found>(`/search?q=cve-${query}`)
    assert.ok(counts.cve! > 25)
    return results.cve!.length
  }
  assert.equal(await Promise.all(['', '&limit=1', '&limit=24', '&limit=25'].map(longest)), [5, 1, 24, 25])
  for (const limit of [0, 26]) assert.is(await statusOf(`/search?q=cve-&limit=${limit}`), 400)
})

states('7.3', 'number of suggestions', async () => {
  const count = async (query: string) =>
    (await service.json<{ suggestions: unknown[] }>(`/search/suggest?q=cve-${query}`)).suggestions.length
  assert.equal(await Promise.all(['', '&limit=1', '&limit=15'].map(count)), [8, 1, 15])
  for (const limit of [0, 16]) assert.is(await statusOf(`/search/suggest?q=cve-&limit=${limit}`), 400)
})

states('7.4', 'the shortest query', async () => {
  for (const path of ['/products', '/search', '/search/suggest']) {
    assert.is(await statusOf(path), 400, `${path} needs q`)
    assert.is(await statusOf(`${path}?q=e`), 400)
    assert.is(await statusOf(`${path}?q=er`), 200)
    // One character, however many bytes or UTF-16 units it has.
    assert.is(await statusOf(`${path}?q=${encodeURIComponent('é')}`), 400)
    assert.is(await statusOf(`${path}?q=${encodeURIComponent('😀')}`), 400)
    assert.is(await statusOf(`${path}?q=${encodeURIComponent('😀😀')}`), 200)
  }
  // Elsewhere one character will do.
  for (const path of ['/cves', '/cwes', '/capecs', '/vendors', '/cnas']) assert.is(await statusOf(`${path}?q=e`), 200)
})

states('7.5', 'bounds of EPSS values', async () => {
  for (const bound of ['0', '1', '0.5', '1e-3']) assert.is(await statusOf(`/cves?epss_min=${bound}`), 200, bound)
  for (const bound of ['-0.01', '1.01', '2', 'NaN', 'Infinity']) {
    assert.is(await statusOf(`/cves?epss_min=${bound}`), 400, bound)
  }
  const rows = await service.all<{ epss: { score: number | null; percentile: number | null } }>('/cves')
  const scores = rows.flatMap(({ epss }) => [epss.score, epss.percentile]).filter((one) => one !== null)
  assert.ok(scores.length > 100)
  for (const score of scores) assert.ok(score >= 0 && score <= 1, String(score))
})

states('7.6', 'an excerpt unless the whole text is requested', async () => {
  const text = `# Overview\n\n${'A long sentence about a fault. '.repeat(200)}The end.\n`
  const report = {
    id: '7b6c1f0e-5a53-4c1e-9c1b-3d2f8a4e6b90',
    cve_id: 'CVE-2024-0001',
    report_type: 'overview',
    model: 'm-1',
    created_at: '2024-05-20T08:00:00Z',
    status: 'final',
    report_text: text,
  }
  const world = await openWorld({
    ...cveList([{ id: 'CVE-2024-0001' }]),
    'first-party/reports.ndjson': lines([report]),
  })
  try {
    const path = '/cves/CVE-2024-0001/reports'
    const { reports } = await world.json<{ reports: { excerpt: string }[] }>(path)
    const { excerpt } = reports[0]!
    assert.ok(excerpt.length > 20 && excerpt.length < text.length / 2, `an excerpt of ${excerpt.length}`)
    assert.ok(text.startsWith(excerpt.replace(/…$/, '')), excerpt.slice(-40))
    assert.not.match(await world.body(path), 'The end.')
    const full = await world.json<{ reports: object[] }>(`${path}?full=true`)
    assert.is((full.reports[0] as { report_text: string }).report_text, text)
    assert.not.ok('excerpt' in full.reports[0]!)
    assert.not.ok('report_text' in reports[0]!)
  } finally {
    await world.remove()
  }
})

states('7.8', 'requests that wait', async () => {
  const ask = (more = '') => `GET /healthz HTTP/1.1\r\nHost: x\r\n${more}\r\n`
  const answers = (text: string) => sendRaw(service.port, text).catch(String)
  const last = ask('Connection: close\r\n')
  assert.is((await answers(ask().repeat(64) + last)).match(/HTTP\/1\.1 200/g)?.length, 65)
  assert.is.not((await answers(ask().repeat(65) + last)).match(/HTTP\/1\.1 200/g)?.length, 66)
})

contract.after(async () => {
  await world.remove()
  await service.remove()
})
contract.run()
