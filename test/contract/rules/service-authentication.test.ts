/** gateway/API.md, section 5: tokens, the session cookie, the preview and tiers; and that there are no events (1.5). */
import * as assert from 'uvu/assert'
import { DOCUMENT } from '../../../gateway/routes/table.ts'
import { signingKey } from '../../support/tokens.ts'
import { contractSuite } from '../support/contract.ts'
import { everyEndpoint, isPerCve } from '../support/every-endpoint.ts'
import { identityOf } from '../support/identity.ts'
import { openService, openWorld } from '../support/service.ts'
import { cveList } from '../support/upstream.ts'

const contract = contractSuite('authentication')
const { states } = contract

const service = await openService({ policy: { rules: [{ tier: 1, state: 'PUBLISHED' }] } })
const identity = await identityOf(service)
const endpoints = await everyEndpoint(service)
const admin = await identity.as()
const user = await identity.as({ role: 'user', sub: 'bob' })
const ask = (path: string, headers: Record<string, string>) => service.ask(path, headers)
/** A fetch without the token that the service adds. */
const bare = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${service.url}/api/v1${path}`, { headers, method })

states('5.2', 'the Bearer scheme and no other', async () => {
  assert.is((await bare('/cves', admin)).status, 200)
  const token = admin.authorization.slice('Bearer '.length)
  for (const authorization of [token, `Basic ${token}`, `Token ${token}`, 'Bearer', 'Bearer ']) {
    assert.is((await bare('/cves', { authorization })).status, 401, authorization.slice(0, 10))
  }
  assert.is((await bare(`/cves?access_token=${token}`)).status, 401)
})

states('5.3', 'tokens of another issuer or audience are refused', async () => {
  // Whatever the provider's keys have signed is a session; what another provider signed under the same name is none.
  const other = await signingKey(identity.key.kid)
  assert.is((await ask('/cves', await identity.as())).status, 200)
  assert.is((await ask('/cves', await identity.as({}, {}, other))).status, 401)
  assert.is((await ask('/cves', await identity.as({ iss: 'https://other.test' }))).status, 401)
  assert.is((await ask('/cves', await identity.as({ aud: 'another-service' }))).status, 401)
})

states('5.4', 'a token is good until it expires', async () => {
  const now = Math.floor(Date.now() / 1000)
  for (let request = 0; request < 3; request++) assert.is((await ask('/cves', admin)).status, 200)
  const { status, body } = await ask('/cves', await identity.as({ exp: now - 60 }))
  assert.equal([status, (body as { message: string }).message], [401, 'the token has expired'])
  assert.is((await ask('/cves', await identity.as({ exp: now + 60 }))).status, 200)
})

states('5.5', 'no token, on every endpoint', async () => {
  for (const { path } of endpoints) {
    const response = await bare(path)
    const { error } = (await response.json()) as { error: string }
    assert.equal([response.status, error], [401, 'unauthenticated'], path)
  }
})

states('5.6', 'a withdrawn key ends its tokens', async () => {
  // The token is good, and was used before; once its key is withdrawn, it is good no longer.
  const other = await openWorld(cveList([{ id: 'CVE-2024-0001' }]))
  const rotated = await identityOf(other)
  try {
    const headers = await rotated.as()
    assert.is((await other.ask('/cves', headers)).status, 200)
    const next = await signingKey('key-2')
    rotated.publish(next)
    // The file is looked at once a second at most.
    await new Promise((resolve) => setTimeout(resolve, 1100))
    assert.is((await other.ask('/cves', headers)).status, 401)
    assert.is((await other.ask('/cves', await rotated.as({}, {}, next))).status, 200)
  } finally {
    await other.remove()
  }
})

states('5.7', 'malformed and altered tokens are rejected', async () => {
  const token = admin.authorization
  const [head, claims, signature] = token.split('.') as [string, string, string]
  const flipped = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`
  for (const bad of ['Bearer rubbish', `${head}.${claims}.${flipped}`, `${head}.${claims}`, `${token}x`]) {
    const { status, body } = await ask('/cves', { authorization: bad })
    assert.equal([status, (body as { error: string }).error], [401, 'unauthenticated'])
  }
})

states('5.8', 'a bad header is not replaced by the cookie', async () => {
  const cookie = `session=${admin.authorization.slice('Bearer '.length)}`
  assert.is((await bare('/cves', { cookie })).status, 200)
  for (const authorization of ['Bearer rubbish', 'Basic YWJj', 'Bearer']) {
    assert.is((await bare('/cves', { cookie, authorization })).status, 401, authorization)
  }
})

states('5.9', 'the cookie opens every endpoint', async () => {
  const cookie = `theme=dark; session=${admin.authorization.slice('Bearer '.length)}; lang=en`
  const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  for (const { path } of endpoints) {
    const response = await bare(path, { cookie, accept })
    assert.is(response.status, 200, path)
    await response.arrayBuffer()
  }
})

states('5.10', 'the header goes before the cookie', async () => {
  const cookie = `session=${admin.authorization.slice('Bearer '.length)}`
  // Were the cookie what counts, the administrator's would let the user in, and the bad one keep the administrator out.
  assert.is((await bare('/cves', { cookie, ...user })).status, 403)
  assert.is((await bare('/cves', { cookie: 'session=rubbish', ...admin })).status, 200)
  assert.is((await bare('/cves', { cookie: 'session=rubbish' })).status, 401)
  assert.is((await bare('/cves', { cookie: cookie.replace('session', 'sessions') })).status, 401)
})

states('5.11', 'non-administrators are refused everywhere', async () => {
  for (const { path } of endpoints) {
    const { status, body } = await ask(path, user)
    assert.equal([status, (body as { error: string }).error], [403, 'forbidden'], path)
  }
})

states('5.12', 'a CVE above the tier of the caller', async () => {
  const limited = await identity.as({ tier: 0 })
  for (const { template, path } of endpoints) {
    if (!isPerCve(template)) continue
    assert.is((await ask(path, limited)).status, 403, path)
    assert.is((await ask(path, await identity.as({ tier: 1 }))).status, 200, path)
    assert.is((await ask(path, admin)).status, 200, path)
  }
})

states('5.13', 'lists are the same for every tier', async () => {
  const limited = await identity.as({ tier: 0 })
  const path = '/cves?limit=100'
  const [ofLimited, ofAdmin] = [await ask(path, limited), await ask(path, admin)]
  assert.is(ofLimited.status, 200)
  assert.ok((ofLimited.body as { data: unknown[] }).data.length > 0)
  assert.equal(ofLimited.body, ofAdmin.body)
})

states('1.5', 'no webhooks, no notifications', async () => {
  assert.equal(
    Object.keys(DOCUMENT.paths).filter((path) => /hook|event|notif|subscri|stream/i.test(path)),
    [],
  )
  assert.not.ok('webhooks' in DOCUMENT)
  for (const path of ['/events', '/webhooks', '/notifications', '/subscriptions']) {
    assert.is((await ask(path, admin)).status, 404, path)
  }
})

contract.after(service.remove)
contract.run()
