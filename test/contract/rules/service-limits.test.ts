/** gateway/API.md, section 7: each row of the table at both of its bounds. */
import * as assert from 'uvu/assert'
import { ROUTES } from '../../../gateway/routes/table.ts'
import { sendRaw } from '../../support/server.ts'
import { contractSuite } from '../support/contract.ts'
import { everyEndpoint } from '../support/every-endpoint.ts'
import { openService, openWorld, sharedService } from '../support/service.ts'
import { cveList, lines } from '../support/upstream.ts'

interface Page {
  data: unknown[]
  pagination: { limit: number; next_cursor: string | null }
}
interface Found {
  results: Record<string, unknown[]>
  counts: Record<string, number>
}

const contract = contractSuite('limits')
const { states } = contract

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

states('7.7', 'every endpoint, once the quota is used up', async () => {
  const limited = await openService({ cves: 400, rateLimit: 1_000 })
  try {
    const paths = await everyEndpoint(limited)
    for (let spent = false; !spent; ) spent = (await limited.ask('/snapshot')).status === 429
    for (const { template, path } of paths) {
      const { status, headers, body } = await limited.ask(path)
      assert.equal([status, (body as { error: string }).error], [429, 'rate_limited'], template)
      assert.match(headers.get('retry-after')!, /^[1-9]\d*$/)
    }
  } finally {
    await limited.remove()
  }
})

states('7.8', 'requests that wait', async () => {
  const ask = (more = '') => `GET /healthz HTTP/1.1\r\nHost: x\r\n${more}\r\n`
  const answers = (text: string) => sendRaw(service.port, text).catch(String)
  const last = ask('Connection: close\r\n')
  assert.is((await answers(ask().repeat(64) + last)).match(/HTTP\/1\.1 200/g)?.length, 65)
  assert.is.not((await answers(ask().repeat(65) + last)).match(/HTTP\/1\.1 200/g)?.length, 66)
})

contract.after(service.remove)
contract.run()
