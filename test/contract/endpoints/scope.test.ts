/** gateway/API.md, section 1: what the service serves, how, and to whom. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { apiDocument, ROUTES } from '../../../gateway/routes/table.ts'
import { contractSuite } from '../support/contract.ts'
import { everyEndpoint } from '../support/endpoints.ts'
import { boolean, expectField, integer, object, string } from '../support/field-types.ts'
import { allDetails, type Detail } from '../support/rows.ts'
import { sampleFeeds } from '../support/sample-feeds.ts'
import { openWorld, sharedService } from '../support/service.ts'
import { cveList } from '../support/upstream.ts'

const { states, after, run } = contractSuite('what the service does')
const service = await sharedService()
const feeds = sampleFeeds(service.made)
const endpoints = await everyEndpoint(service)
const paths = endpoints.map(({ path }) => path)
const root = service.url
const details = await allDetails(service)

const pathOf = (template: string): string => {
  const found = endpoints.find((one) => one.template === template)
  assert.ok(found, `${template} is not served`)
  return found.path
}

states('1.4', 'every endpoint of the document is described and served, and no other', async () => {
  const text = readFileSync(join(import.meta.dirname, '../../../gateway/API.md'), 'utf8')
  const documented = new Set(Array.from(text.matchAll(/`GET (?:\/api\/v1)?(\/[^`]*)`/g), ([, path]) => path!))
  const { paths: described } = await service.json<{ paths: object }>('/openapi.json')
  assert.equal(Object.keys(described).sort(), [...documented].sort())
  assert.equal(endpoints.map(({ template }) => template.replace(/:(\w+)/g, '{$1}')).sort(), [...documented].sort())
  for (const path of paths) assert.is((await service.ask(path)).status, 200, path)
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
      assert.equal([refused.status, refused.headers.get('allow')], [405, 'GET, HEAD'], `${method} ${path}`)
      await refused.text()
    }
    assert.is(await (await fetch(url, { headers: { authorization } })).text(), text, path)
  }
})

states('1.2', 'every operation is a GET', async () => {
  const { paths: described } = await service.json<{ paths: Record<string, object> }>('/openapi.json')
  for (const [path, operations] of Object.entries(described)) assert.equal(Object.keys(operations), ['get'], path)
})

states('1.3', 'the prefix is the version', async () => {
  assert.is(endpoints.length, ROUTES.length)
  assert.equal(
    apiDocument().servers.map(({ url }) => url),
    ['/api/v1'],
  )
  const headers = { authorization: `Bearer ${service.token}` }
  const statusOf = async (path: string) => {
    const response = await fetch(root + path, { headers })
    await response.arrayBuffer()
    return response.status
  }
  for (const path of paths) {
    assert.is(await statusOf(`/api/v1${path}`), 200, path)
    for (const other of ['', '/api', '/api/v2', '/v1']) assert.is(await statusOf(other + path), 404, other + path)
  }
})

states('1.5', 'no webhooks, no notifications', async () => {
  assert.equal(
    Object.keys(apiDocument().paths).filter((path) => /hook|event|notif|subscri|stream/i.test(path)),
    [],
  )
  assert.not.ok('webhooks' in apiDocument())
  for (const path of ['/events', '/webhooks', '/notifications', '/subscriptions']) {
    assert.is((await service.ask(path)).status, 404, path)
  }
})

states('1.8', 'records with scores, KEV, SSVC and flags', () => {
  const served = feeds.records.filter(({ cveMetadata }) => cveMetadata.state !== 'REJECTED')
  assert.is(details.length, served.length)
  for (const name of ['has_patch', 'has_workaround', 'has_exploit', 'has_detection']) {
    expectField(details, name, boolean)
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
  for (const name of ['source', 'source_id', 'name']) expectField(exploits, name, string)
})

states('1.13', 'search and suggestions', async () => {
  const { counts } = await service.json<{ counts: object }>('/search?q=er')
  const number = integer
  assert.ok(
    object({ vendor: number, product: number, cwe: number, capec: number, cna: number, cve: number, package: number })(
      counts,
    ),
  )
  const { suggestions } = await service.json<{ suggestions: object[] }>('/search/suggest?q=er')
  assert.ok(suggestions.length > 0)
})

states('1.6', 'administrators only, until the operator ends the preview', async () => {
  const user = await service.tokenOf({ role: 'user' })
  assert.is((await service.ask('/cves', user)).status, 403)
  assert.is((await service.ask('/cves', await service.tokenOf({ role: 'admin' }))).status, 200)
  const open = await openWorld(cveList([{ id: 'CVE-2024-0001' }]), { preview: false })
  try {
    assert.is((await open.ask('/cves', await open.tokenOf({ role: 'user' }))).status, 200)
  } finally {
    await open.remove()
  }
})

after(() => service.remove())
run()
