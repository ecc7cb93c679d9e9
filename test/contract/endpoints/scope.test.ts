/** gateway/API.md, section 1: what the service serves, how, and to whom. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { apiDocument, ROUTES } from '../../../corpus/answers/routes.ts'
import { contractSuite } from '../support/contract.ts'
import { everyEndpoint } from '../support/endpoints.ts'
import { allDetails, type Detail } from '../support/rows.ts'
import { sharedService } from '../support/service.ts'

const { states, after, run } = contractSuite('what the service does')
const service = await sharedService()
const endpoints = await everyEndpoint(service)
const paths = endpoints.map(({ path }) => path)
const root = service.url
const details = await allDetails(service)

const pathOf = (template: string): string => {
  const found = endpoints.find((one) => one.template === template)
  assert.ok(found, `${template} is not served`)
  return found.path
}

states('1.4, 28.1', 'every endpoint of the document is described and served, and no other', async () => {
  const text = readFileSync(join(import.meta.dirname, '../../../gateway/API.md'), 'utf8')
  const documented = new Set(Array.from(text.matchAll(/`GET (?:\/api\/v1)?(\/[^`]*)`/g), ([, path]) => path!))
  const document = await service.json<{ openapi: string; paths: object }>('/openapi.json')
  assert.match(document.openapi, /^3\.1\./)
  assert.equal(document, JSON.parse(JSON.stringify(apiDocument())))
  assert.equal(Object.keys(document.paths).sort(), [...documented].sort())
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
  const some = (holds: (detail: Detail) => unknown) => assert.ok(details.filter(holds).length > 2)
  some(({ cvss, cvss_score: score }) => cvss.metrics.length > 0 && score !== null)
  some(({ kev }) => kev.listed)
  some(({ ssvc }) => ssvc.decision !== null)
  some(({ epss }) => epss.score !== null)
  for (const flag of ['has_patch', 'has_workaround', 'has_exploit', 'has_detection'] as const) some((one) => one[flag])
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

states('1.13', 'search and suggestions', async () => {
  const { counts } = await service.json<{ counts: Record<string, number> }>('/search?q=er')
  assert.ok(Object.values(counts).some((count) => count > 0))
  const { suggestions } = await service.json<{ suggestions: object[] }>('/search/suggest?q=er')
  assert.ok(suggestions.length > 0)
})

after(() => service.remove())
run()
