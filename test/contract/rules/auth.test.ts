/** Rules 11 to 15 of RULES.md and gateway/API.md, section 5: tokens, the session cookie, the preview and tiers. */

import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { addApiKey, revokeApiKey } from '../../../gateway/auth/api-key-file.ts'
import { LOCAL } from '../../../gateway/auth/token.ts'
import { listeningWith } from '../../support/listening.ts'
import { parseRaw, sendRaw } from '../../support/server.ts'
import { forge, hmac, jwks, signingKey } from '../../support/tokens.ts'
import { until } from '../../support/until.ts'
import { contractSuite } from '../support/contract.ts'
import { identityOf, openWorld, type World, worldsOf } from '../support/service.ts'
import { cveList } from '../support/upstream.ts'

const contract = contractSuite('rules, authentication and tiers')
const { rule, states } = contract

const RECORDS = cveList([
  { id: 'CVE-2024-0001' },
  { id: 'CVE-2024-0002', metadata: { assignerShortName: 'secret_corp' } },
  { id: 'CVE-2024-0003', metadata: { state: 'RESERVED', datePublished: undefined } },
])
const world = await openWorld(RECORDS)
const identity = await identityOf(world)
const now = () => Math.floor(Date.now() / 1000)
const statusOf = async (headers: Record<string, string>, path = '/cves', on: World = world) =>
  (await on.ask(path, headers)).status
/** The status of a request without the token that the service adds. */
const bare = async (headers: Record<string, string>, path = '/cves') =>
  (await fetch(`${world.url}/api/v1${path}`, { headers })).status
/** Runs `work` on another gateway. */
const withWorld = worldsOf(RECORDS)

const admin = await identity.as()
const adminToken = admin.authorization.slice('Bearer '.length)

states('5.2', 'the Bearer scheme and no other', async () => {
  assert.is(await bare(admin), 200)
  for (const authorization of [adminToken, `Basic ${adminToken}`, `Token ${adminToken}`, 'Bearer', 'Bearer ']) {
    assert.is(await bare({ authorization }), 401, authorization.slice(0, 10))
  }
  assert.is(await bare({}, `/cves?access_token=${adminToken}`), 401)
})

states('5.3', 'tokens of another issuer or audience are refused', async () => {
  // Another provider signed with a key of the same id.
  const other = await signingKey(identity.key.kid)
  assert.is(await statusOf(admin), 200)
  assert.is(await statusOf(await identity.as({}, {}, other)), 401)
  assert.is(await statusOf(await identity.as({ iss: 'https://other.test' })), 401)
  assert.is(await statusOf(await identity.as({ aud: 'another-service' })), 401)
})

states('5.4', 'a token is good until it expires', async () => {
  for (let request = 0; request < 3; request++) assert.is(await statusOf(admin), 200)
  const { status, body } = await world.ask('/cves', await identity.as({ exp: now() - 60 }))
  assert.equal([status, (body as { message: string }).message], [401, 'the token has expired'])
  assert.is(await statusOf(await identity.as({ exp: now() + 60 })), 200)
})

states('5.6', 'a withdrawn key ends its tokens', async () => {
  await withWorld({}, async (other) => {
    const rotated = await identityOf(other)
    const headers = await rotated.as()
    assert.is(await statusOf(headers, '/cves', other), 200)
    const next = await signingKey('key-2')
    rotated.publish(next)
    // The gateway checks the file at most once a second.
    await new Promise((resolve) => setTimeout(resolve, 1100))
    assert.is(await statusOf(headers, '/cves', other), 401)
    assert.is(await statusOf(await rotated.as({}, {}, next), '/cves', other), 200)
  })
})

states('5.7', 'malformed and altered tokens are rejected', async () => {
  const token = admin.authorization
  const [head, claims, signature] = token.split('.') as [string, string, string]
  const flipped = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`
  for (const bad of ['Bearer rubbish', `${head}.${claims}.${flipped}`, `${head}.${claims}`, `${token}x`]) {
    const { status, body } = await world.ask('/cves', { authorization: bad })
    assert.equal([status, (body as { error: string }).error], [401, 'unauthenticated'])
  }
})

states('5.8', 'a bad header is not replaced by the cookie', async () => {
  const cookie = `session=${adminToken}`
  assert.is(await bare({ cookie }), 200)
  for (const authorization of ['Bearer rubbish', 'Bearer']) {
    assert.is(await bare({ cookie, authorization }), 401, authorization)
  }
})

states('5.10', 'the header goes before the cookie', async () => {
  const cookie = `session=${adminToken}`
  assert.is(await bare({ cookie, authorization: 'Basic YWJj' }), 200, 'of another scheme')
  assert.is(await bare({ authorization: 'Basic YWJj' }), 401)
  const user = await identity.as({ role: 'user', sub: 'bob' })
  assert.is(await bare({ cookie, ...user }), 403)
  assert.is(await bare({ cookie: 'session=rubbish', ...admin }), 200)
  assert.is(await bare({ cookie: 'session=rubbish' }), 401)
  assert.is(await bare({ cookie: cookie.replace('session', 'sessions') }), 401)
})

rule(
  11,
  'RS256, PS256, ES256 and EdDSA are accepted; none, HS* and others are rejected for every key set',
  async () => {
    await withWorld({}, async (other) => {
      const { key, publish, as } = await identityOf(other)
      const more = await Promise.all(
        ['RS256', 'PS256', 'ES256', 'EdDSA', 'ES384'].map((alg) => signingKey(`k-${alg}`, alg)),
      )
      publish(key, ...more)
      await new Promise((resolve) => setTimeout(resolve, 1100))
      for (const one of more) {
        assert.is(await statusOf(await as({}, {}, one), '/cves', other), one.alg === 'ES384' ? 401 : 200, one.alg)
      }
    })
    const claims = { iss: LOCAL.issuer, aud: LOCAL.audience, exp: now() + 60, role: 'admin' }
    const { kid, publicJwk } = identity.key
    const forged = [
      forge({ alg: 'none', kid }, claims),
      forge({ alg: 'none', kid }, claims, 'AAAA'),
      forge({ alg: 'HS256', kid }, claims, hmac(JSON.stringify(publicJwk))),
      forge({ alg: 'HS256', kid }, claims, hmac(jwks(identity.key))),
    ]
    for (const token of forged) assert.is(await statusOf({ authorization: `Bearer ${token}` }), 401)
  },
)

rule(
  11,
  'issuer and audience must match exactly, and an expiry is required, with a tolerance of 30 seconds',
  async () => {
    const cases: [claims: Record<string, unknown>, status: number][] = [
      [{ iss: `${LOCAL.issuer}/` }, 401],
      [{ iss: LOCAL.issuer.toUpperCase() }, 401],
      [{ iss: undefined }, 401],
      [{ aud: `${LOCAL.audience}s` }, 401],
      [{ aud: undefined }, 401],
      [{ aud: ['other', LOCAL.audience] }, 200],
      [{ exp: undefined }, 401],
      [{ exp: String(now() + 60) }, 401],
      [{ exp: now() - 20 }, 200],
      [{ exp: now() - 35 }, 401],
      [{ nbf: now() + 20 }, 200],
      [{ nbf: now() + 45 }, 401],
    ]
    for (const [claims, status] of cases)
      assert.is(await statusOf(await identity.as(claims)), status, JSON.stringify(claims))
  },
)

rule(11, 'keys in a token, and keys that it links to, are ignored', async () => {
  const stranger = await signingKey(identity.key.kid)
  const asked: string[] = []
  const server = await listeningWith((request, response) => {
    asked.push(request.url ?? '')
    response.end(jwks(stranger))
  })
  try {
    const url = `${server.origin}/`
    for (const header of [{ jwk: stranger.publicJwk }, { jku: url }, { x5u: url }]) {
      assert.is(await statusOf(await identity.as({}, header, stranger)), 401, Object.keys(header)[0])
    }
    assert.equal(asked, [])
  } finally {
    await server.close()
  }
})

rule(
  11,
  'keys can come from a URL; an unknown kid requests it once per cooldown; without keys the answer is 503',
  async () => {
    const first = await signingKey('key-1')
    const next = await signingKey('key-2')
    const web = { asked: 0, keys: null as string | null }
    const server = await listeningWith((_request, response) => {
      web.asked++
      response.statusCode = web.keys === null ? 500 : 200
      response.end(web.keys ?? 'no')
    })
    const url = `${server.origin}/jwks`
    try {
      for (const [keys, status] of [
        [jwks(first), 200],
        [null, 503],
      ] as const) {
        Object.assign(web, { keys, asked: 0 })
        await withWorld({ jwks: url }, async (other) => {
          const { headers, ...answer } = await other.ask('/cves', await identity.as({}, {}, first))
          assert.is(answer.status, status)
          if (status === 503) return assert.match(headers.get('retry-after')!, /^\d+$/)
          const before = web.asked
          for (let i = 0; i < 5; i++) assert.is(await statusOf(await identity.as({}, {}, next), '/cves', other), 401)
          assert.ok(web.asked <= before + 1, `${web.asked - before} times`)
        })
      }
    } finally {
      await server.close()
    }
  },
)

rule(12, 'a cached token still expires, and a changed token is verified again', async () => {
  // The tolerance of 30 seconds is over in five.
  const token = await identity.token({ exp: now() - 25 })
  const headers = { authorization: `Bearer ${token}` }
  assert.is(await statusOf(headers), 200)
  assert.is(await statusOf(headers), 200)
  await until(
    async () => (await statusOf(headers)) === 401,
    () => 'the token is still valid',
    10_000,
  )
  const good = await identity.token()
  assert.is(await statusOf({ authorization: `Bearer ${good}` }), 200)
  const [head, , signature] = good.split('.')
  const [, claims] = (await identity.token({ sub: 'mallory' })).split('.')
  assert.is(await statusOf({ authorization: `Bearer ${head}.${claims}.${signature}` }), 401)
})

states('5.14', 'the cookie does not count in requests of pages of other hosts', async () => {
  const cookie = `session=${adminToken}`
  const from = async (site: string, mode: string, more = '') => {
    const head = `GET /api/v1/cves HTTP/1.1\r\nHost: x\r\nConnection: close\r\nSec-Fetch-Site: ${site}\r\nSec-Fetch-Mode: ${mode}`
    return parseRaw(await sendRaw(world.port, `${head}\r\n${more}Cookie: ${cookie}\r\n\r\n`)).status
  }
  assert.equal([await from('same-origin', 'cors'), await from('none', 'navigate')], [200, 200])
  assert.equal([await from('same-site', 'navigate'), await from('cross-site', 'navigate')], [200, 200])
  assert.equal([await from('same-site', 'cors'), await from('cross-site', 'no-cors')], [401, 401])
  assert.is(await from('cross-site', 'cors', `Authorization: Bearer ${adminToken}\r\n`), 200)
})

states('5.16', 'API keys of the operator are tokens, until they are revoked', async () => {
  const path = join(world.folder, 'api-keys.json')
  const made = { name: 'ci', role: 'admin', tier: null, created: '2026-01-15T00:00:00Z', expires: null }
  const { key, entry } = await addApiKey(path, made)
  const expired = await addApiKey(path, { ...made, expires: '2026-01-16T00:00:00Z' })
  await withWorld({ apiKeys: path }, async (other) => {
    const status = (token: string) => statusOf({ authorization: `Bearer ${token}` }, '/cves', other)
    const unknown = `${key.slice(0, -40)}${expired.key.slice(-40)}`
    assert.equal(
      await Promise.all(
        [key, (await other.tokenOf({})).authorization.slice(7), expired.key, unknown, `${key}0`].map(status),
      ),
      [200, 200, 401, 401, 401],
    )
    await revokeApiKey(path, entry.id, '2026-01-17T00:00:00Z')
    // The gateway checks the file at most once a second.
    await new Promise((resolve) => setTimeout(resolve, 1100))
    assert.is(await status(key), 401)
  })
})

states('5.15', 'a session of another key is none, and no failed token', async () => {
  const cookie = 'session=eyJhbGciOiJkaXIifQ..AAAA.AAAA.AAAA'
  for (let request = 0; request < 40; request++) {
    const { status, headers } = await fetch(`${world.url}/api/v1/cves`, { headers: { cookie } })
    assert.equal([status, /error_description="session_ended"/.test(headers.get('www-authenticate')!)], [401, true])
  }
})

rule(13, 'the cookie counts only without a bearer token; its name is configurable', async () => {
  const token = await identity.token()
  assert.is(await bare({ cookie: `session=${token}` }), 200)
  for (const [authorization, status] of [
    ['', 200],
    ['Basic eA==', 200],
    ['Bearer x', 401],
  ] as const) {
    const raw = await sendRaw(
      world.port,
      `GET /api/v1/cves HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nCookie: session=${token}\r\nConnection: close\r\n\r\n`,
    )
    assert.is(parseRaw(raw).status, status, authorization)
  }
  await withWorld({ cookie: 'sid' }, async (other) => {
    const own = await (await identityOf(other)).token()
    const ask = async (cookie: string) => (await fetch(`${other.url}/api/v1/cves`, { headers: { cookie } })).status
    assert.equal([await ask(`sid=${own}`), await ask(`session=${own}`)], [200, 401])
  })
})

rule(14, 'an administrator has role admin, or admin among roles; the claims are configurable', async () => {
  const cases: [claims: Record<string, unknown>, status: number][] = [
    [{ role: 'admin' }, 200],
    [{ role: undefined, roles: ['reader', 'admin'] }, 200],
    [{ role: undefined, roles: ['reader'] }, 403],
    [{ role: 'administrator' }, 403],
    [{ role: 'Admin' }, 403],
    [{ role: undefined }, 403],
    [{ role: undefined, realm: { roles: ['admin'] } }, 403],
  ]
  for (const [claims, status] of cases)
    assert.is(await statusOf(await identity.as(claims)), status, JSON.stringify(claims))
  await withWorld({ adminClaims: ['realm.roles'] }, async (other) => {
    const { as } = await identityOf(other)
    assert.is(await statusOf(await as({ role: undefined, realm: { roles: ['admin'] } }), '/cves', other), 200)
    assert.is(await statusOf(await as({ role: 'admin' }), '/cves', other), 403)
  })
})

rule(14, 'the preview is on by default', async () => {
  const user = { role: 'user' }
  assert.is(await statusOf(await identity.as(user)), 403)
  await withWorld({ preview: false }, async (other) => {
    assert.is(await statusOf(await (await identityOf(other)).as(user), '/cves', other), 200)
  })
})

rule(15, 'a CVE has tier 0 unless a policy rule for its id, state or assigner sets another', async () => {
  const rules = [
    { tier: 1, id: 'CVE-2024-0001' },
    { tier: 2, assigner: 'SECRET_corp' },
    { tier: 3, state: 'RESERVED' },
  ]
  await withWorld({ policy: { rules }, preview: false }, async (other) => {
    const { as } = await identityOf(other)
    const seen = async (claims: Record<string, unknown>) => {
      const headers = await as(claims)
      const paths = [1, 2, 3].map((n) => `/cves/CVE-2024-000${n}`)
      return Promise.all(paths.map((path) => statusOf(headers, path, other)))
    }
    const user = { role: 'user' }
    assert.equal(await seen({ ...user }), [403, 403, 403])
    assert.equal(await seen({ ...user, tier: 0 }), [403, 403, 403])
    assert.equal(await seen({ ...user, tier: 1 }), [200, 403, 403])
    assert.equal(await seen({ ...user, tier: 2 }), [200, 200, 403])
    assert.equal(await seen({ ...user, tier: 3 }), [200, 200, 200])
    // Only an integer counts.
    for (const tier of ['3', 3.5, true]) assert.equal(await seen({ ...user, tier }), [403, 403, 403], String(tier))
    assert.equal(await seen({}), [200, 200, 200])
    assert.equal(await seen({ tier: 1 }), [200, 403, 403])
  })
})

contract.after(world.remove)
contract.run()
