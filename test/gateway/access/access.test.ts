/**
 * Access tiers on a whole gateway: rules that combine, and what becomes of a changed policy. Each condition (rule 15):
 * test/contract/rules/auth.test.ts.
 */
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { LOCAL, makeToken } from '../../../gateway/auth/token.ts'
import { GatewayError } from '../../../gateway/http/errors.ts'
import { startGateway } from '../../../gateway/process/gateway.ts'
import { walk } from '../../support/ask.ts'
import type { Summary } from '../../support/cve-cases.ts'
import { ingestAndBuild, temporaryFolder } from '../../support/dist.ts'
import { testGateway } from '../../support/gateway.ts'
import { disclose } from '../../support/odd-records.ts'
import { ownSample } from '../../support/samples.ts'
import { listLog } from '../../support/server.ts'

const folder = temporaryFolder('access')
const sample = await ownSample('usual', folder.path)
const policyFile = join(folder.path, 'access-policy.json')
/** Puts a policy in place as an editor does: by rename. */
function putPolicy(value: unknown): void {
  writeFileSync(`${policyFile}.new`, typeof value === 'string' ? value : JSON.stringify(value))
  renameSync(`${policyFile}.new`, policyFile)
}
putPolicy({ rules: [] })
const gateway = await testGateway(folder.path, sample.dist, { accessPolicy: policyFile, preview: false })
type Row = Summary
const allRows = () => walk<Row>((query) => gateway.body(`/cves?${query}`))
const rows = await allRows()

async function tokenOf(tier?: number, role = 'user'): Promise<string> {
  return (await makeToken({ dir: join(folder.path, 'keys'), role, ...(tier === undefined ? {} : { tier }) })).token
}
const tokens = new Map<string, string>()
/** Status and error code for somebody with this tier; without one there is no claim. */
async function ask(path: string, tier?: number, role?: string): Promise<string> {
  const who = `${tier} ${role}`
  if (!tokens.has(who)) tokens.set(who, await tokenOf(tier, role))
  const response = await gateway.get(path, { authorization: `Bearer ${tokens.get(who)}` })
  const body = (await response.json()) as { error?: string }
  return `${response.status} ${body.error ?? ''}`.trim()
}
const take = async (policy: unknown) => {
  putPolicy(policy)
  await gateway.refresh()
}
const RESTRICTED = '403 tier_restricted'

const published = rows.filter(({ state }) => state === 'PUBLISHED')
const reserved = rows.filter(({ state }) => state === 'RESERVED')
const [first, second] = published as [Row, Row]
/** An assigner with several records. */
const assigner = published.map((row) => row.assigner!).find((name, i, all) => all.indexOf(name) < i)!

test('tier 0 is for everybody, also for a token with a negative tier', async () => {
  await take({ rules: [{ id: first.cve_id, tier: 0 }] })
  const { token } = await makeToken({ dir: join(folder.path, 'keys'), role: 'user', tier: -5 })
  assert.is((await gateway.get(`/cves/${first.cve_id}`, { authorization: `Bearer ${token}` })).status, 200)
})

test('by a list of ids, unknown ones among them', async () => {
  await take({ rules: [{ id: ['CVE-1999-9999999', first.cve_id, second.cve_id], tier: 1 }] })
  assert.is(await ask(`/cves/${first.cve_id}`), RESTRICTED)
  assert.is(await ask(`/cves/${second.cve_id}`), RESTRICTED)
  assert.is(await ask('/cves/CVE-1999-9999999'), '404 not_found')
})

test('a rule with several conditions needs all of them; of several rules the highest tier counts', async () => {
  const theirs = published.filter((row) => row.assigner === assigner)
  const other = published.find((row) => row.assigner !== assigner)!
  await take({
    rules: [
      { id: [theirs[0]!.cve_id, other.cve_id], assigner, state: 'PUBLISHED', tier: 5 },
      { assigner, tier: 2 },
      { id: theirs[0]!.cve_id, tier: 1 },
      { id: theirs[0]!.cve_id, state: 'RESERVED', tier: 9 },
    ],
  })
  assert.is(await ask(`/cves/${theirs[0]!.cve_id}`, 4), RESTRICTED)
  assert.is(await ask(`/cves/${theirs[0]!.cve_id}`, 5), '200')
  assert.is(await ask(`/cves/${theirs[1]!.cve_id}`, 1), RESTRICTED)
  assert.is(await ask(`/cves/${theirs[1]!.cve_id}`, 2), '200')
  assert.is(await ask(`/cves/${other.cve_id}`, 0), '200')
})

test('a tier counts before a 304', async () => {
  await take({ rules: [{ id: first.cve_id, tier: 1 }] })
  const etag = (await gateway.get(`/cves/${first.cve_id}`)).headers.get('etag')!
  const authorization = `Bearer ${await tokenOf()}`
  const known = await gateway.get(`/cves/${first.cve_id}`, { authorization, 'if-none-match': etag })
  assert.equal([known.status, known.headers.get('etag')], [403, null])
})

test('answers and entity tags are the same for every tier', async () => {
  await take({ rules: [{ id: first.cve_id, tier: 1 }] })
  const restricted = await gateway.get(`/cves/${first.cve_id}`, { authorization: `Bearer ${await tokenOf(1)}` })
  await take({ rules: [] })
  const open = await gateway.get(`/cves/${first.cve_id}`, { authorization: `Bearer ${await tokenOf()}` })
  assert.is(restricted.headers.get('etag'), open.headers.get('etag'))
  assert.is(await restricted.text(), await open.text())
})

test('a broken change is refused, loudly and once, and the old policy stays; so it does when the file is gone', async () => {
  await take({ rules: [{ id: first.cve_id, tier: 1 }] })
  gateway.log.length = 0
  const told = () => gateway.log.filter(({ level }) => level === 'error').map(({ err }) => String(err))
  await take({ rules: [{ name: 'all', tier: 1 }] })
  await gateway.refresh()
  assert.is(told().length, 1)
  assert.match(told()[0]!, "rule 1 ('all'): needs an id, a state or an assigner")
  assert.is(await ask(`/cves/${first.cve_id}`), RESTRICTED)
  rmSync(policyFile)
  await gateway.refresh()
  assert.is(told().length, 2)
  assert.is(await ask(`/cves/${first.cve_id}`), RESTRICTED)
  await take({ rules: [{ id: second.cve_id, tier: 1 }] })
  assert.is(await ask(`/cves/${first.cve_id}`), '200')
  assert.is(await ask(`/cves/${second.cve_id}`), RESTRICTED)
})

test('a change is taken up by itself with the next look', async () => {
  const polling = await testGateway(folder.path, sample.dist, { accessPolicy: policyFile, preview: false, pollMs: 10 })
  const headers = { authorization: `Bearer ${await tokenOf()}` }
  putPolicy({ rules: [{ id: first.cve_id, tier: 7 }] })
  let status = 200
  for (let i = 0; i < 500 && status === 200; i++) {
    await new Promise((resolve) => setTimeout(resolve, 10))
    status = (await polling.get(`/cves/${first.cve_id}/epss`, headers)).status
  }
  assert.is(status, 403)
  await polling.close()
})

test('a gateway does not start with a policy that is broken or missing', async () => {
  const { issuer, audience } = LOCAL
  const keys = join(folder.path, 'keys', 'jwks.json')
  const options = { dist: sample.dist, port: 0, issuer, audience, jwks: keys, pollMs: 0 }
  writeFileSync(join(folder.path, 'broken.json'), '{"rules":[{"tier":1}]}')
  for (const [name, said] of [
    ['broken.json', /rule 1: needs an id/],
    ['absent.json', /cannot read/],
  ] as const) {
    try {
      const started = await startGateway({ ...options, accessPolicy: join(folder.path, name) }, listLog().log)
      await started.close()
      assert.unreachable('it started')
    } catch (error) {
      assert.ok(error instanceof GatewayError, String(error))
      assert.match(error.message, said)
    }
  }
})

test('a new snapshot is judged by the same policy, with what its own records say', async () => {
  await take({ rules: [{ state: 'RESERVED', tier: 1 }] })
  disclose(sample.feeds, sample.nights[1]!)
  await ingestAndBuild(sample)
  await gateway.refresh()
  const after = await allRows()
  const disclosed = after.filter((row) => row.state === 'PUBLISHED' && reserved.some((r) => r.cve_id === row.cve_id))
  const still = after.filter(({ state }) => state === 'RESERVED')
  assert.equal([disclosed.length, still.length], [1, reserved.length - 1])
  for (const { cve_id } of disclosed) assert.is(await ask(`/cves/${cve_id}/epss`), '200')
  for (const { cve_id } of still) assert.is(await ask(`/cves/${cve_id}/epss`), RESTRICTED)
})

test.after(async () => {
  await gateway.close()
  folder.remove()
})
test.run()
