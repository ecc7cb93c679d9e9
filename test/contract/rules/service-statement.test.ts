/** gateway/API.md, section 1: what the service serves, how, and to whom. */
import * as assert from 'uvu/assert'
import { allDetails, type Detail } from '../support/answers.ts'
import { contractSuite } from '../support/contract.ts'
import { everyEndpoint } from '../support/every-endpoint.ts'
import { boolean, holdField, integer, object, string } from '../support/field-types.ts'
import { sampleFeeds } from '../support/sample-feeds.ts'
import { sharedService } from '../support/service.ts'

const { states, after, run } = contractSuite('what the service does')
const service = await sharedService()
const feeds = sampleFeeds(service.made)
const endpoints = await everyEndpoint(service)
const paths = endpoints.map(({ path }) => path)
const root = service.url
const details = await allDetails(service)

interface Document {
  servers: { url: string }[]
  paths: Record<string, Record<string, { responses: Record<string, object> }>>
}

/** Catalogs, details and searches. */
const DOCUMENTED = [
  '/cves',
  '/cves/:cveId',
  '/cwes/:cweId/cves',
  '/cnas/:slug/cves',
  '/cnas/stats',
  '/capecs',
  '/capecs/:capecId',
  '/cwes',
  '/cwes/:cweId',
  '/vendors/:vendorSlug/products',
  '/products',
  '/exploits',
  '/cves/:cveId/reports',
  '/reports/types',
  '/cves/:cveId/timeline',
  '/cves/:cveId/advisory',
  '/cves/:cveId/affected',
  '/cves/:cveId/evidence',
  '/search',
  '/search/suggest',
]
/** Parts of a CVE, and the lists of vendors and CNAs. */
const PARTS_AND_DIRECTORIES = [
  '/cves/:cveId/cvss',
  '/cves/:cveId/epss',
  '/cves/:cveId/references',
  '/cves/:cveId/exploits',
  '/cves/:cveId/analysis',
  '/cves/:cveId/reports/:reportId',
  '/vendors',
  '/cnas',
]
const pathOf = (template: string): string => {
  const found = endpoints.find((one) => one.template === template)
  assert.ok(found, `${template} is not served`)
  return found.path
}

states('1.4', 'documented endpoints are served and described', async () => {
  for (const template of DOCUMENTED) await service.json(pathOf(template))
  const { paths: described } = await service.json<Document>('/openapi.json')
  for (const template of DOCUMENTED) assert.ok(described[template.replace(/:(\w+)/g, '{$1}')], template)
  // Nothing else: no events and no webhooks.
  for (const path of Object.keys(described)) assert.not.match(path, /event|hook|subscri|notif/i)
})

states('1.4', 'endpoints for the parts of a CVE, vendors and CNAs', async () => {
  for (const template of PARTS_AND_DIRECTORIES) await service.json(pathOf(template))
  const [first] = details
  for (const section of ['references', 'exploits', 'analysis'] as const) assert.ok(Object.hasOwn(first!, section))
})

states('1.1', 'read-only, and every answer is JSON', async () => {
  const authorization = `Bearer ${service.token}`
  for (const path of paths) {
    const url = `${root}/api/v1${path}`
    const before = await fetch(url, { headers: { authorization } })
    assert.match(before.headers.get('content-type')!, /^application\/json/, path)
    const text = await before.text()
    JSON.parse(text)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const refused = await fetch(url, { method, headers: { authorization }, body: '{}' })
      assert.is(refused.status, 405, `${method} ${path}`)
      await refused.text()
    }
    assert.is(await (await fetch(url, { headers: { authorization } })).text(), text, path)
  }
})

states('1.2', 'every operation is a GET', async () => {
  const { paths: described } = await service.json<Document>('/openapi.json')
  for (const [path, operations] of Object.entries(described)) assert.equal(Object.keys(operations), ['get'], path)
  for (const path of paths) assert.is((await service.ask(path)).status, 200, path)
})

states('1.3', 'the prefix, and 404 with another one', async () => {
  const { servers } = await service.json<Document>('/openapi.json')
  assert.equal(
    servers.map(({ url }) => url),
    ['/api/v1'],
  )
  const headers = { authorization: `Bearer ${service.token}` }
  for (const path of paths) {
    for (const [prefix, status] of [
      ['/api/v1', 200],
      ['', 404],
      ['/api/v2', 404],
      ['/api', 404],
    ] as const) {
      const response = await fetch(`${root}${prefix}${path}`, { headers })
      assert.is(response.status, status, `${prefix}${path}`)
      await response.text()
    }
  }
})

states('1.8', 'records with scores, KEV, SSVC and flags', () => {
  const served = feeds.records.filter(({ cveMetadata }) => cveMetadata.state !== 'REJECTED')
  assert.is(details.length, served.length)
  for (const name of ['has_patch', 'has_workaround', 'has_exploit', 'has_detection']) {
    holdField(details, name, boolean)
  }
  const some = (holds: (detail: Detail) => boolean) => assert.ok(details.filter(holds).length > 2)
  some(({ cvss, cvss_score: score }) => cvss.metrics.length > 0 && score !== null)
  some(({ kev }) => kev.listed)
  some(({ ssvc }) => ssvc.decision !== null)
  some(({ epss }) => epss.score !== null)
})

states('1.9', 'affected products, evidence, timeline, reports and advisory of a CVE', async () => {
  const sources = (detail: Detail) => new Set(detail.affected.map(({ source }) => source)).size
  assert.ok(details.filter((detail) => sources(detail) > 1).length > 50)
  assert.ok(details.filter(({ evidence }) => evidence.length > 0).length > 50)
  assert.ok(details.every(({ state, timeline }) => state === 'RESERVED' || timeline.length > 0))
  const reports = await service.json<{ reports: { model: string }[] }>(
    pathOf('/cves/:cveId/reports/:reportId').replace(/\/[^/]+$/, ''),
  )
  assert.ok(reports.reports.length > 0 && reports.reports.every(({ model }) => model !== ''))
  assert.match((await service.json<{ advisory_id: string }>(pathOf('/cves/:cveId/advisory'))).advisory_id, /^GHSA-/)
})

states('1.10', 'both catalogs, whole', async () => {
  assert.is((await service.all('/cwes')).length, feeds.weaknesses().length)
  assert.is((await service.all('/capecs')).length, feeds.patterns().length)
})

states('1.11', 'CNAs, vendors and products', async () => {
  const assigners = feeds.records
    .filter(({ cveMetadata }) => cveMetadata.state !== 'REJECTED')
    .map(({ cveMetadata }) => cveMetadata.assignerShortName)
  const names = [...feeds.cnas.map(({ shortName }) => shortName), ...assigners.flatMap((name) => name ?? [])]
  const cnas = new Set(names.map((name) => name.toLowerCase().replaceAll(' ', '_')))
  assert.ok(cnas.size > feeds.cnas.length)
  assert.is((await service.all('/cnas')).length, cnas.size)
  const { summary } = await service.json<{ summary: { total_cnas: number } }>('/cnas/stats')
  assert.is(summary.total_cnas, cnas.size)
  const [vendor] = await service.all<{ slug: string; product_count: number }>('/vendors')
  const products = await service.all(`/vendors/${encodeURIComponent(vendor!.slug)}/products`)
  assert.is(products.length, vendor!.product_count)
})

const exploits = await service.all<Record<string, unknown>>('/exploits')

states('1.12', 'every module of both sources', () => {
  assert.is(exploits.length, feeds.archive.length + feeds.framework.length)
  for (const name of ['source', 'source_id', 'name']) holdField(exploits, name, string)
})

states('1.7', 'no exploit code, and no link to a raw file', async () => {
  const files = feeds.archive.map(({ file }) => file!)
  assert.ok(files.every((file) => file.startsWith('exploits/')))
  for (const module of exploits) {
    const { source, source_id: id } = module
    const alone = await service.json<Record<string, unknown>>(`/exploits/${source}/${encodeURIComponent(String(id))}`)
    for (const one of [module, alone]) {
      const names = Object.keys(one).filter((name) => /^(code|body|file|content|script|raw|payload)/.test(name))
      assert.equal(names, [], String(id))
      // The link is to the page of the module, not to its file.
      assert.not.match(String(one.source_url), /\/(raw|download)\//)
      assert.not.ok(files.some((file) => String(one.source_url).endsWith(file)))
    }
    for (const part of ['code', 'source', 'raw', 'download']) {
      if (id !== exploits[0]!.source_id) break
      assert.is((await service.ask(`/exploits/${source}/${encodeURIComponent(String(id))}/${part}`)).status, 404)
    }
  }
})

states('1.13', 'search and suggestions', async () => {
  const { counts } = await service.json<{ counts: object }>('/search?q=er')
  const number = integer
  assert.ok(object({ vendor: number, product: number, cwe: number, capec: number, cna: number, cve: number })(counts))
  const { suggestions } = await service.json<{ suggestions: object[] }>('/search/suggest?q=er')
  assert.ok(suggestions.length > 0)
})

states('5.1', 'no endpoint answers without a token', async () => {
  for (const path of paths) {
    const response = await fetch(`${root}/api/v1${path}`)
    assert.is(response.status, 401, path)
    assert.is(((await response.json()) as { error: string }).error, 'unauthenticated')
  }
})

states('1.6', 'administrators only, during the preview', async () => {
  const user = await service.tokenOf({ role: 'user' })
  const administrator = await service.tokenOf({ role: 'admin' })
  for (const path of paths) {
    const { status, body } = await service.ask(path, user)
    assert.equal([status, (body as { error: string }).error], [403, 'forbidden'], path)
    assert.is((await service.ask(path, administrator)).status, 200, path)
  }
})

after(() => service.remove())
run()
