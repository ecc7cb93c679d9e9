/** What a scrape of a whole gateway says, and what it never says. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ROUTES } from '../../../corpus/answers/routes.ts'
import { ingestAndBuild, temporaryFolder } from '../../support/dist.ts'
import { type TestGateway, testGateway } from '../../support/gateway.ts'
import { ownSample } from '../../support/samples.ts'
import { parseRaw, sendRaw } from '../../support/server.ts'

const folder = temporaryFolder('metrics')
const sample = await ownSample('small', folder.path)
const limits = { rateLimit: 12, failedTokens: 2 }
const gateway = await testGateway(folder.path, sample.dist, { metricsPort: 0, ...limits })

/** The samples of a scrape by name and labels: `vulnshelf_requests_total{route="/cves"}`. */
async function scrape({ metricsUrl }: TestGateway): Promise<Map<string, number>> {
  const response = await fetch(metricsUrl!)
  assert.is(response.status, 200)
  assert.match(response.headers.get('content-type')!, 'text/plain; version=0.0.4')
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const space = line.lastIndexOf(' ')
      return [line.slice(0, space), Number(line.slice(space + 1))]
    }),
  )
}

const named = (samples: Map<string, number>, name: string) =>
  Object.fromEntries([...samples].filter(([key, value]) => key.split('{')[0] === name && value > 0))

const [id] = JSON.parse(await gateway.body('/cves?limit=1')).data.map((row: { cve_id: string }) => row.cve_id)

test('without a port for them there are none', async () => {
  const quiet = await testGateway(folder.path, sample.dist)
  assert.is(quiet.metricsUrl, null)
  await quiet.close()
})

test('answers are counted by route template, status and source, and timed by route', async () => {
  await gateway.body(`/cves/${id}`)
  const etag = (await gateway.get(`/cves/${id}?include=`)).headers.get('etag')!
  await gateway.get(`/cves/${id}?include=`, { 'if-none-match': etag })
  await gateway.get('/cves/rubbish')
  await gateway.get('/cves/CVE-1999-99999')
  await gateway.get('/nothing/at/all')
  await gateway.get('/cves', { authorization: '' })
  const samples = await scrape(gateway)
  assert.equal(named(samples, 'vulnshelf_requests_total'), {
    'vulnshelf_requests_total{route="/cves",status="200",served_from="merge"}': 1,
    'vulnshelf_requests_total{route="/cves/:cveId",status="200",served_from="shard"}': 2,
    'vulnshelf_requests_total{route="/cves/:cveId",status="304",served_from="shard"}': 1,
    'vulnshelf_requests_total{route="/cves/:cveId",status="400",served_from="none"}': 1,
    'vulnshelf_requests_total{route="/cves/:cveId",status="404",served_from="none"}': 1,
    'vulnshelf_requests_total{route="none",status="404",served_from="none"}': 1,
    'vulnshelf_requests_total{route="/cves",status="401",served_from="none"}': 1,
  })
  assert.is(samples.get('vulnshelf_request_duration_seconds_count{route="/cves/:cveId"}'), 5)
  assert.is(samples.get('vulnshelf_request_duration_seconds_bucket{le="+Inf",route="/cves/:cveId"}'), 5)
  assert.is(samples.get('vulnshelf_response_bytes_total{route="/cves/:cveId",status="304",served_from="shard"}'), 0)
  assert.ok(samples.get('vulnshelf_response_bytes_total{route="/cves/:cveId",status="200",served_from="shard"}')! > 300)
})

test('failed tokens are counted by what was wrong, refusals by the limit', async () => {
  for (let i = 0; i < 3; i++) await gateway.get('/cves', { authorization: 'Bearer a.b.c' })
  for (let i = 0; i < limits.rateLimit; i++) await gateway.get('/cves')
  const samples = await scrape(gateway)
  assert.equal(named(samples, 'vulnshelf_auth_failures_total'), {
    'vulnshelf_auth_failures_total{fault="missing"}': 1,
    'vulnshelf_auth_failures_total{fault="malformed"}': 3,
  })
  assert.is(samples.get('vulnshelf_rate_limited_total{limit="address"}'), 1)
  const refused = samples.get('vulnshelf_requests_total{route="/cves",status="429",served_from="none"}')!
  assert.is(samples.get('vulnshelf_rate_limited_total{limit="subject"}'), refused - 1)
})

test('nothing grows with subjects, addresses, ids or what clients make up', async () => {
  for (let i = 0; i < 30; i++) {
    await gateway.get(`/cves/CVE-1999-9${i}99?x=${i}`, { authorization: `Bearer a.b.${i}` })
    await gateway.get(`/made-up-${i}`)
  }
  const after = await scrape(gateway)
  const text = [...after.keys()].join('\n')
  const routes = new Set([...text.matchAll(/route="([^"]*)"/g)].map(([, route]) => route!))
  const known = ['none', ...ROUTES.map(({ path }) => path)]
  assert.equal(
    [...routes].filter((route) => !known.includes(route)),
    [],
  )
  for (const secret of [id, 'made-up', 'CVE-', '127.0.0.1', 'local', gateway.token.slice(0, 20)]) {
    assert.not.ok(text.includes(secret), secret)
  }
})

test('the snapshot, its age, swaps and refusals; queries; the process', async () => {
  const first = gateway.registry.current
  const before = await scrape(gateway)
  assert.is(before.get(`vulnshelf_snapshot_info{snapshot="${first.id}"}`), 1)
  const age = before.get('vulnshelf_snapshot_age_seconds')!
  assert.ok(Math.abs(age - (Date.now() - first.createdAt) / 1000) < 60)
  for (const [feed, { updated_at }] of Object.entries(first.about.feeds)) {
    const stated = before.get(`vulnshelf_feed_age_seconds{feed="${feed}"}`)
    if (updated_at === null) assert.is(stated, undefined, feed)
    else assert.ok(Math.abs(stated! - (Date.now() - Date.parse(updated_at)) / 1000) < 60, feed)
  }
  assert.is((await fetch(new URL('/readyz', gateway.url))).status, 200, 'the age of a feed is no reason to stop')
  for (const name of ['snapshot_swaps_total', 'snapshot_refusals_total', 'queries_waiting', 'query_timeouts_total']) {
    assert.is(before.get(`vulnshelf_${name}`), 0, name)
  }
  for (const name of ['process_resident_memory_bytes', 'nodejs_eventloop_lag_p99_seconds']) {
    assert.ok(before.has(name), name)
  }
  await ingestAndBuild({ ...sample, asOf: sample.nights[1]! })
  await gateway.refresh()
  writeFileSync(join(sample.dist, 'latest.json'), '{}')
  await gateway.refresh()
  const after = await scrape(gateway)
  assert.equal(named(after, 'vulnshelf_snapshot_info'), {
    [`vulnshelf_snapshot_info{snapshot="${gateway.registry.current.id}"}`]: 1,
  })
  assert.is.not(gateway.registry.current.id, first.id)
  assert.equal(
    ['snapshot_swaps_total', 'snapshot_refusals_total', 'snapshots_open'].map((name) => after.get(`vulnshelf_${name}`)),
    [1, 1, 2],
  )
})

test('metrics have a listener of their own, on loopback, with nothing else on it', async () => {
  const { origin, hostname } = new URL(gateway.metricsUrl!)
  assert.is(hostname, '127.0.0.1')
  assert.is((await fetch(`${origin}/`)).status, 404)
  assert.is((await fetch(`${origin}/api/v1/cves`)).status, 404)
  assert.is((await fetch(gateway.metricsUrl!, { method: 'POST' })).status, 405)
  assert.is((await fetch(gateway.metricsUrl!, { method: 'HEAD' })).status, 200)
  assert.is((await fetch(`${gateway.url}/metrics`)).status, 401)
  const withoutHost = 'GET /metrics HTTP/1.1\r\nConnection: close\r\n\r\n'
  assert.is(parseRaw(await sendRaw(Number(new URL(origin).port), withoutHost)).status, 400)
})

test.after(async () => {
  await gateway.close()
  folder.remove()
})
test.run()
