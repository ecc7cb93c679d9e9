/** gateway/API.md: the versions of the API (1.3), of the catalogs (19.5) and of EPSS (10.14). */
import * as assert from 'uvu/assert'
import { DOCUMENT, ROUTES } from '../../../gateway/routes/table.ts'
import { epssCsv } from '../../support/feeds.ts'
import { contractSuite } from '../support/contract.ts'
import { everyEndpoint } from '../support/every-endpoint.ts'
import { openWorld, sharedService } from '../support/service.ts'
import { capecXml, capecXmlEntry, cveList, cweXml, cweXmlEntry } from '../support/upstream.ts'

const contract = contractSuite('versioning')
const { states } = contract

const service = await sharedService()
const world = await openWorld({
  ...cveList([{ id: 'CVE-2024-0001' }, { id: 'CVE-2024-0002' }]),
  'cwe/cwec_v4.15.xml': cweXml(cweXmlEntry(79)),
  'capec/capec_v3.9.xml': capecXml(capecXmlEntry(66)),
  'epss/epss_scores-2024-06-01.csv.gz': epssCsv([['CVE-2024-0001', 0.25, 0.5]], '2024-06-01'),
})

states('1.3', 'the prefix is the version', async () => {
  const headers = { authorization: `Bearer ${service.token}` }
  const statusOf = async (path: string) => {
    const response = await fetch(service.url + path, { headers })
    await response.arrayBuffer()
    return response.status
  }
  const endpoints = await everyEndpoint(service)
  assert.is(endpoints.length, ROUTES.length)
  for (const { path } of endpoints) {
    assert.is(await statusOf(`/api/v1${path}`), 200, path)
    for (const other of ['', '/api', '/api/v2', '/v1']) assert.is(await statusOf(other + path), 404, other + path)
  }
  assert.equal(
    DOCUMENT.servers.map(({ url }) => url),
    ['/api/v1'],
  )
})

states('1.6', 'the operator ends the preview', async () => {
  const user = await service.tokenOf({ role: 'user' })
  assert.is((await service.ask('/cves', user)).status, 403)
  assert.is((await service.ask('/cves', await service.tokenOf({ role: 'admin' }))).status, 200)
  // The period ends when the operator says so.
  const open = await openWorld(cveList([{ id: 'CVE-2024-0001' }]), { preview: false })
  try {
    assert.is((await open.ask('/cves', await open.tokenOf({ role: 'user' }))).status, 200)
  } finally {
    await open.remove()
  }
})

states('19.5', 'version and date, in both catalogs', async () => {
  const cwe = await world.json<{ catalog_version: string; updated_at: string }>('/cwes/79')
  assert.equal([cwe.catalog_version, cwe.updated_at], ['4.15', '2024-07-16T00:00:00.000Z'])
  const capec = await world.json<{ catalog_version: string; updated_at: string }>('/capecs/66')
  assert.equal([capec.catalog_version, capec.updated_at], ['3.9', '2023-01-24T00:00:00.000Z'])
})

states('10.14', 'EPSS states its model version', async () => {
  const expected = { date: '2024-06-01', epss_score: 0.25, percentile: 0.5, model_version: 'v2024.01.01' }
  const { epss_detail } = await world.json<{ epss_detail: object }>('/cves/CVE-2024-0001')
  assert.equal(epss_detail, { current: expected })
  assert.equal(await world.json('/cves/CVE-2024-0001/epss'), { cve_id: 'CVE-2024-0001', current: expected })
  assert.equal(await world.json('/cves/CVE-2024-0002/epss'), { cve_id: 'CVE-2024-0002', current: null })
})

contract.after(async () => {
  await service.remove()
  await world.remove()
})
contract.run()
