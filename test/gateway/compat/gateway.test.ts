/** The listener for other tools as a part of a gateway. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { sha256 } from '../../../corpus/runtime/digest.ts'
import { gzipFile } from '../../../corpus/snapshot/codec/deflate.ts'
import { gunzipFile } from '../../../corpus/snapshot/codec/inflate.ts'
import { fileOf } from '../../../corpus/snapshot/files/layout.ts'
import { LOCAL, makeToken } from '../../../gateway/auth/token.ts'
import { GatewayError } from '../../../gateway/http/errors.ts'
import { type GatewayOptions, type PrimaryParts, startGateway } from '../../../gateway/process/gateway.ts'
import { goodSnapshot } from '../../corpus/snapshot/forgery.ts'
import { BULK, npmRecord, packagesOf } from '../../support/compat.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { schemaFaults } from '../../support/osv-schema.ts'
import { listLog } from '../../support/server.ts'

const folder = temporaryFolder('compat-gateway')
const good = await goodSnapshot('compat-gateway-snapshot')
const { dist } = good
const { token, jwksFile } = await makeToken({ dir: join(folder.path, 'keys') })
const packages = packagesOf([npmRecord('GHSA-1', 'left', '1.0.0')])

function start(options: Partial<GatewayOptions>, parts: PrimaryParts = { packages }) {
  const { log, lines } = listLog()
  const { issuer, audience } = LOCAL
  const given = { dist, port: 0, issuer, audience, jwks: jwksFile, pollMs: 0, metricsPort: 0, ...options }
  return startGateway(given, log, parts).then((gateway) => ({ ...gateway, lines }))
}

test('the interface of OSV answers an advisory of which every CVE is above the tier with its id alone', async () => {
  const open = await start({ compat: ['osv'], compatPort: 0, compatAuth: 'none' }, {})
  const { record, cveIds, body } = await restrictable(open)
  await open.close()
  const policy = join(folder.path, 'policy.json')
  writeFileSync(policy, JSON.stringify({ rules: [{ id: cveIds, tier: 2 }] }))
  const ask = async (gateway: typeof open, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${gateway.compatUrl}/v1/query`, { method: 'POST', body, headers })
    const { vulns } = (await answer.json()) as { vulns: Restrictable['record'][] }
    const single = await fetch(`${gateway.compatUrl}/v1/vulns/${record.id}`, { headers })
    return [vulns.find(({ id }) => id === record.id), single.status]
  }
  const alone = { id: record.id, modified: new Date(record.modified).toISOString() }
  const restricted = await start({ compat: ['osv'], compatPort: 0, compatAuth: 'none', accessPolicy: policy }, {})
  assert.equal(await ask(restricted), [alone, 404])
  await restricted.close()
  const tokenOf = async (tier: number) =>
    (await makeToken({ dir: join(folder.path, 'keys'), role: 'user', tier })).token
  const tokens = new Map([
    [1, await tokenOf(1)],
    [2, await tokenOf(2)],
  ])
  const withTokens = await start({ compat: ['osv'], compatPort: 0, accessPolicy: policy, preview: false }, {})
  const as = (tier: number) => ask(withTokens, { authorization: `Bearer ${tokens.get(tier)}` })
  assert.equal(await as(1), [alone, 404])
  assert.equal(await as(2), [record, 200])
  await withTokens.close()
})

interface Restrictable {
  record: { id: string; modified: string }
  cveIds: string[]
  /** The query that finds the record. */
  body: Buffer<ArrayBuffer>
}

/** Returns an advisory on CVEs of the snapshot. */
async function restrictable({ url, compatUrl }: Awaited<ReturnType<typeof start>>): Promise<Restrictable> {
  const get = async <Row>(path: string) => {
    const answer = await fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } })
    return ((await answer.json()) as { data: Row[] }).data
  }
  for (const { ecosystem, name } of await get<{ ecosystem: string; name: string }>('/packages?limit=100')) {
    const asked = new URLSearchParams({ ecosystem, name })
    for (const row of await get<{ advisory_id: string; cve_ids: string[] }>(`/affected?${asked}`)) {
      if (row.cve_ids.length === 0 || (await get(`/cves?ids=${row.cve_ids}`)).length === 0) continue
      // With a text, fetch would state a media type.
      const body = Buffer.from(JSON.stringify({ package: { ecosystem, name } }))
      const answer = await fetch(`${compatUrl}/v1/query`, { method: 'POST', body })
      const { vulns } = (await answer.json()) as { vulns: Restrictable['record'][] }
      return { record: vulns.find(({ id }) => id === row.advisory_id)!, cveIds: row.cve_ids, body }
    }
  }
  throw new Error('no advisory names a CVE of the snapshot')
}

test('a gateway has the listener only if it is asked for', async () => {
  const gateway = await start({})
  assert.is(gateway.compatUrl, null)
  await gateway.close()
})

test('it shares tokens, log and metrics with the API, and ends with it', async () => {
  const gateway = await start({ compat: ['npm'], compatPort: 0 })
  const url = gateway.compatUrl!
  assert.match(url, /^http:\/\/127\.0\.0\.1:/)
  assert.is.not(url, gateway.url)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const answer = await fetch(url + BULK, { method: 'POST', headers, body: '{"left":["0.1.0"]}' })
  assert.is(answer.status, 200)
  assert.match(await answer.text(), 'GHSA-1')
  assert.is((await fetch(`${url}/api/v1/cves`, { headers })).status, 404)
  assert.is((await fetch(gateway.url + BULK, { method: 'POST', headers, body: '{}' })).status, 404)
  const metrics = await (await fetch(gateway.metricsUrl!)).text()
  assert.match(metrics, `vulnshelf_requests_total{route="${BULK}",status="200",served_from="merge"} 1`)
  assert.ok(gateway.lines.some(({ path, subject }) => path === BULK && subject))
  await gateway.close()
  assert.is(await fetch(url).catch(() => 'closed'), 'closed')
})

test('the interface of OSV answers the records of the snapshot, which are valid in the OSV schema', async () => {
  const gateway = await start({ compat: ['osv'], compatPort: 0, compatAuth: 'none' }, {})
  const headers = { authorization: `Bearer ${token}` }
  const api = async (path: string) => (await fetch(`${gateway.url}/api/v1${path}`, { headers })).text()
  const { data } = JSON.parse(await api('/packages?limit=100')) as { data: { ecosystem: string; name: string }[] }
  const ids = new Set<string>()
  for (const { ecosystem, name } of data) {
    const body = JSON.stringify({ package: { ecosystem, name } })
    const answer = await fetch(`${gateway.compatUrl}/v1/query`, { method: 'POST', body: Buffer.from(body) })
    const { vulns } = (await answer.json()) as { vulns: { id: string }[] }
    for (const record of vulns) {
      // Ids of the sample are those of no database.
      assert.equal(schemaFaults({ ...record, id: 'OSV-1' }), [], record.id)
      ids.add(record.id)
    }
  }
  assert.ok(ids.size > 10, String(ids.size))
  for (const id of ids) {
    const answer = await fetch(`${gateway.compatUrl}/v1/vulns/${id}`)
    assert.is(await answer.text(), await api(`/advisories/${id}`))
  }
  await gateway.close()
})

test('an audit against a snapshot without packages is a 503, not an audit without findings', async () => {
  const without = good.copy()
  const about = JSON.parse(gunzipFile('about', good.bytesOf('about')).toString())
  const plain = Buffer.from(JSON.stringify({ ...about, ecosystems: [] }))
  good.forge(without, fileOf(good.manifest, 'about'), gzipFile(plain), sha256(plain))
  const body = '{"left":["0.1.0"]}'
  for (const [of, status] of [
    [without, 503],
    [dist, 200],
  ] as const) {
    const gateway = await start({ dist: of, compat: ['npm'], compatPort: 0, compatAuth: 'none' }, {})
    const headers = { 'content-type': 'application/json' }
    assert.is((await fetch(gateway.compatUrl + BULK, { method: 'POST', headers, body })).status, status)
    await gateway.close()
  }
})

test('a port in use and an unknown interface are refused, and nothing stays open', async () => {
  const gateway = await start({ compat: ['npm'], compatPort: 0 })
  const codeOf = (options: Partial<GatewayOptions>) =>
    start(options).then(
      () => 'started',
      (error: unknown) => error instanceof GatewayError && error.code,
    )
  assert.is(await codeOf({ compat: ['npm'], compatPort: Number(new URL(gateway.compatUrl!).port) }), 'port_in_use')
  assert.is(await codeOf({ compat: ['cargo'] }), 'bad_option')
  assert.is(await codeOf({ compat: [] }), 'bad_option')
  await gateway.close()
})

test.after(() => {
  good.remove()
  folder.remove()
})
test.run()
