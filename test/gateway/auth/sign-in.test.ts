/** People sign in at an identity provider, over HTTP: a real provider, a real gateway, and a browser's cookies. */
import { writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { decodeJwt } from 'jose'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type OidcFlags, readOidcOptions } from '../../../gateway/auth/oidc-options.ts'
import { LOCAL, makeToken } from '../../../gateway/auth/token.ts'
import { type Gateway, startGateway } from '../../../gateway/process/gateway.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { CLIENT, CookieJar, type IdentityProvider, startIdentityProvider } from '../../support/identity-provider.ts'
import { freePort } from '../../support/listening.ts'
import { sharedSample } from '../../support/samples.ts'
import { type LogLine, listLog } from '../../support/server.ts'

const test = suite('signing in')
const folder = temporaryFolder('sign-in')
const secretFile = join(folder.path, 'secret')
writeFileSync(secretFile, `${CLIENT.secret}\n`)
const { dist } = await sharedSample('small')
const { token, jwksFile } = await makeToken({ dir: join(folder.path, 'keys') })

const port = await freePort()
const publicUrl = `http://127.0.0.1:${port}/`
let idp: IdentityProvider
let gateway: Gateway
let log: LogLine[]
/** Added to the clock of the gateway, in ms. */
let passedMs = 0

const flags = (more: Partial<OidcFlags> = {}): OidcFlags => ({
  issuer: idp.issuer,
  oidcClientId: CLIENT.id,
  oidcClientSecretFile: secretFile,
  publicUrl,
  ...more,
})

async function open(more: Partial<OidcFlags> = {}, options: object = {}): Promise<Gateway> {
  const lines = listLog()
  log = lines.lines
  const { audience } = LOCAL
  const oidc = readOidcOptions(flags(more))!
  const given = { dist, port, issuer: idp.issuer, audience, oidc, pollMs: 0, failedTokens: 1000, ...options }
  return startGateway(given, lines.log, { now: () => Date.now() + passedMs })
}

test.before(async () => {
  idp = await startIdentityProvider(() => [publicUrl])
  gateway = await open()
})
test.before.each(() => {
  passedMs = 0
  idp.account = { sub: 'alice', role: 'admin' }
  idp.idTokenSeconds = 3600
  idp.intercept = null
})
test.after(async () => {
  await gateway.close()
  await idp.stop()
  folder.remove()
})

const CVES = `${publicUrl}api/v1/cves?limit=1`
const OWN = { 'x-requested-with': 'explorer' }
const isCallback = (url: string) => url.startsWith(`${publicUrl}auth/callback`)
const isBack = (url: string) => url.startsWith(publicUrl) && !url.startsWith(`${publicUrl}auth/`)

async function signIn(jar = new CookieJar(), path = '/#/cves') {
  const login = `${publicUrl}auth/login?return=${encodeURIComponent(path)}`
  return { jar, ...(await jar.follow(login, isBack)) }
}

const statusOf = async (jar: CookieJar, url = CVES, headers = {}) => (await jar.fetch(url, { headers })).status

test('the code flow signs a browser in, and leads back to the page', async () => {
  const { jar, url, answer } = await signIn()
  assert.is(url, `${publicUrl}#/cves`)
  assert.is(await statusOf(jar), 200)
  const set = answer.headers.getSetCookie()
  const session = set.find((one) => one.startsWith('session='))!
  assert.match(session, /; Path=\/; HttpOnly; SameSite=Strict$/)
  assert.is(answer.headers.get('cache-control'), 'no-store')
  assert.equal([...jar.of(publicUrl).keys()], ['session'], 'the cookie of the sign-in is gone')
  assert.not.match(session, 'eyJhbGciOiJSUzI1NiI')
  assert.not.match(JSON.stringify(log), /code=|eyJ/)
})

test('role and tier come from the claims, by the rules of bearer tokens', async () => {
  idp.account = { sub: 'bob', role: 'viewer' }
  const { jar } = await signIn()
  const { status, text } = await jar.fetch(CVES)
  assert.is(status, 403)
  assert.match(text, '--no-preview')
  assert.match(text, 'role admin')
  idp.account = { sub: 'carol', roles: ['user', 'admin'], tier: 2 }
  assert.is(await statusOf((await signIn()).jar), 200)
})

test('an ID token is no access token, and the session counts as a cookie only', async () => {
  const { jar } = await signIn()
  const session = jar.of(publicUrl).get('session')!
  assert.is((await fetch(CVES, { headers: { authorization: `Bearer ${session}` } })).status, 401)
  const out = await jar.fetch(`${publicUrl}auth/logout`, { method: 'POST', headers: OWN })
  const idToken = new URL((JSON.parse(out.text) as { provider_logout: string }).provider_logout).searchParams.get(
    'id_token_hint',
  )!
  assert.is(decodeJwt(idToken).aud, CLIENT.id)
  assert.is((await fetch(CVES, { headers: { authorization: `Bearer ${idToken}` } })).status, 401)
  assert.is((await fetch(CVES, { headers: { cookie: `session=${idToken}` } })).status, 401)
})

test('an expired session is renewed once, though several tabs ask', async () => {
  idp.idTokenSeconds = 60
  const { jar } = await signIn()
  passedMs = 300_000
  const expired = await jar.fetch(CVES)
  assert.is(expired.status, 401)
  assert.match(expired.headers.get('www-authenticate')!, 'session_expired')
  idp.idTokenSeconds = 3600
  const before = idp.requested.filter((path) => path === '/token').length
  for (const renewed of [true, false, false]) {
    const { status, text } = await jar.fetch(`${publicUrl}auth/refresh`, { method: 'POST', headers: OWN })
    assert.equal([status, JSON.parse(text)], [200, { renewed }])
  }
  assert.is(idp.requested.filter((path) => path === '/token').length, before + 1)
  assert.is(await statusOf(jar), 200)
})

test('a refresh token that is used twice ends the session', async () => {
  idp.idTokenSeconds = 60
  const { jar } = await signIn()
  const thief = new CookieJar()
  thief.of(publicUrl).set('session', jar.of(publicUrl).get('session')!)
  passedMs = 300_000
  idp.idTokenSeconds = 3600
  const refresh = (one: CookieJar) => one.fetch(`${publicUrl}auth/refresh`, { method: 'POST', headers: OWN })
  assert.is((await refresh(jar)).status, 200)
  const { status, headers } = await refresh(thief)
  assert.is(status, 401)
  assert.match(headers.get('www-authenticate')!, 'session_ended')
})

test('a provider that is down leaves the session, and states so', async () => {
  idp.idTokenSeconds = 60
  const { jar } = await signIn()
  passedMs = 300_000
  await idp.stop()
  const { status, text } = await jar.fetch(`${publicUrl}auth/refresh`, { method: 'POST', headers: OWN })
  const login = await jar.fetch(`${publicUrl}auth/login`)
  await idp.start()
  assert.is(status, 503)
  assert.match(text, 'does not answer')
  assert.is(login.status, 303, 'the metadata are known')
  idp.idTokenSeconds = 3600
  assert.is((await jar.fetch(`${publicUrl}auth/refresh`, { method: 'POST', headers: OWN })).status, 200)
})

test('logout ends the session here and at the provider', async () => {
  const { jar } = await signIn()
  const url = `${publicUrl}auth/logout`
  assert.is((await jar.fetch(url, { method: 'POST' })).status, 403, 'a form of another page')
  assert.is((await jar.fetch(url, { method: 'POST', headers: { ...OWN, 'sec-fetch-site': 'same-site' } })).status, 403)
  const { status, text } = await jar.fetch(url, { method: 'POST', headers: OWN })
  assert.is(status, 200)
  const { provider_logout } = JSON.parse(text) as { provider_logout: string }
  const end = new URL(provider_logout)
  assert.is(end.origin, idp.issuer)
  assert.is(end.searchParams.get('post_logout_redirect_uri'), publicUrl)
  assert.is(await statusOf(jar), 401)
  assert.equal([...jar.of(publicUrl).keys()], [])
  assert.ok(idp.requested.includes('/token/revocation'))
  assert.is((await jar.fetch(provider_logout)).status, 200)
})

test('another browser cannot finish a sign-in, and nobody twice', async () => {
  const jar = new CookieJar()
  const { url } = await jar.follow(`${publicUrl}auth/login`, isCallback)
  const stolen = await new CookieJar().fetch(url)
  assert.is(stolen.status, 400)
  assert.match(stolen.text, 'has not begun this sign-in')
  const other = new CookieJar()
  await other.fetch(`${publicUrl}auth/login`)
  assert.is((await other.fetch(url)).status, 400, 'with a sign-in of its own')
  const used = new CookieJar()
  for (const [name, value] of jar.of(publicUrl)) used.of(publicUrl).set(name, value)
  assert.is((await jar.fetch(url)).status, 303)
  assert.is((await jar.fetch(url)).status, 400)
  const replayed = await used.fetch(url)
  assert.is(replayed.status, 403, 'with a copy of the cookie: the code is used')
  assert.match(replayed.text, 'invalid_grant')
})

test('two tabs can sign in at the same time, and a browser has at most four begun sign-ins', async () => {
  const jar = new CookieJar()
  const first = await jar.follow(`${publicUrl}auth/login?return=/%23/cves`, isCallback)
  const second = await jar.follow(`${publicUrl}auth/login?return=/%23/cwes`, isCallback)
  assert.is((await jar.fetch(first.url)).headers.get('location'), `${publicUrl}#/cves`)
  assert.is((await jar.fetch(second.url)).headers.get('location'), `${publicUrl}#/cwes`)
  for (let i = 0; i < 8; i++) await jar.fetch(`${publicUrl}auth/login`)
  assert.is([...jar.of(publicUrl).keys()].filter((name) => name.startsWith('vulnshelf-login.')).length, 4)
})

const FOREIGN = [
  'https://evil.example/',
  '//evil.example/',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/x\r\nSet-Cookie: a=b',
  'javascript:alert(1)',
  '/auth/login',
  '/./auth/logout',
  '/login/x',
  '/a/..//evil.example',
  '',
  `/${'x'.repeat(1000)}`,
]

test('a sign-in returns to this site alone', async () => {
  const jar = new CookieJar()
  for (const path of FOREIGN) {
    const url = `${publicUrl}auth/login?return=${encodeURIComponent(path)}`
    const { status, headers } = await jar.fetch(url)
    assert.is(status, 400, path)
    assert.is(headers.get('location'), null, path)
  }
  assert.is(
    (await signIn(jar, '/?snapshot=2026-01-01#/cves/CVE-2024-1')).url,
    `${publicUrl}?snapshot=2026-01-01#/cves/CVE-2024-1`,
  )
})

test('a hostile callback gets a page of fixed texts', async () => {
  const jar = new CookieJar()
  const { url } = await jar.follow(`${publicUrl}auth/login`, isCallback)
  const state = new URL(url).searchParams.get('state')!
  const hostile = [
    '',
    '?',
    `?state=${state}`,
    `?state=${state}&state=${state}&code=x`,
    '?state=__proto__&code=x',
    `?state=${'x'.repeat(4000)}&code=x`,
    '?code=<script>alert(1)</script>&state=<script>',
    '?error=%0d%0aSet-Cookie:%20a=b&state=x',
    '?%ff%fe=%00',
  ]
  for (const search of hostile) {
    const copy = new CookieJar()
    for (const [name, value] of jar.of(publicUrl)) copy.of(publicUrl).set(name, value)
    const { status, headers, text } = await copy.fetch(`${publicUrl}auth/callback${search}`)
    assert.ok(status === 400 || status === 403, `${search}: ${status}`)
    assert.not.match(text, /<script|alert/)
    assert.match(headers.get('content-security-policy')!, "default-src 'none'")
    assert.not.ok(headers.getSetCookie().some((one) => one.startsWith('session=')))
  }
  const wrongIssuer = new URL(url)
  wrongIssuer.searchParams.set('iss', 'https://other.example')
  const copy = new CookieJar()
  for (const [name, value] of jar.of(publicUrl)) copy.of(publicUrl).set(name, value)
  assert.is((await copy.fetch(wrongIssuer.href)).status, 403, 'of another issuer')
})

test('a user who declines gets the reason', async () => {
  idp.account = null
  const { answer } = await signIn()
  assert.is(answer.status, 403)
  assert.match(answer.text, 'access_denied')
})

test('an ID token for another audience, or a forged one, signs nobody in', async () => {
  for (const change of ['aud', 'signature', 'iss', 'nonce'] as const) {
    const jar = new CookieJar()
    const begun = await jar.fetch(`${publicUrl}auth/login`)
    const authorization = begun.headers.get('location')!
    const { url } = await jar.follow(authorization, isCallback)
    const changed = await swapIdToken(change, authorization)
    const { status, headers, text } = await jar.fetch(url)
    assert.is(status, 403, change)
    assert.match(
      text,
      change === 'signature' ? /signature of the token is invalid|unknown key/ : /does not belong/,
      change,
    )
    assert.not.ok(headers.getSetCookie().some((one) => one.startsWith('session=')))
    changed()
  }
})

/** The provider answers with a changed ID token. */
async function swapIdToken(change: 'aud' | 'signature' | 'iss' | 'nonce', authorization: string): Promise<() => void> {
  idp.intercept = (request, response) => {
    if (!request.url!.startsWith('/token')) return false
    const nonce = change === 'nonce' ? 'x' : new URL(authorization).searchParams.get('nonce')
    const claims = {
      iss: change === 'iss' ? 'https://other.example' : idp.issuer,
      aud: change === 'aud' ? 'other' : CLIENT.id,
      sub: 'mallory',
      role: 'admin',
      iat: Math.floor(Date.now() / 1000),
      exp: Math.floor(Date.now() / 1000) + 600,
      nonce,
    }
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const id_token = `${part({ alg: 'RS256', kid: 'keystore-CHANGE-ME' })}.${part(claims)}.${'A'.repeat(342)}`
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ access_token: 'x', token_type: 'Bearer', id_token }))
    return true
  }
  return () => {
    idp.intercept = null
  }
}

test('many groups need several cookies; too many are an error that names the remedy', async () => {
  idp.account = {
    sub: 'dora',
    role: 'admin',
    groups: Array.from({ length: 100 }, (_, i) => `a-group-of-the-company-${i}`),
  }
  const { jar } = await signIn()
  assert.equal([...jar.of(publicUrl).keys()], ['session', 'session.1'])
  for (const value of jar.of(publicUrl).values()) assert.ok(value.length <= 3950)
  assert.is(await statusOf(jar), 200)
  jar.of(publicUrl).delete('session.1')
  assert.is(await statusOf(jar), 401)
  idp.account = {
    sub: 'erin',
    role: 'admin',
    groups: Array.from({ length: 900 }, (_, i) => `a-group-of-the-company-${i}`),
  }
  const { answer } = await signIn()
  assert.is(answer.status, 500)
  assert.match(answer.text, 'fewer claims')
  idp.account = { sub: 'alice', role: 'admin' }
  // Otherwise the provider knows the user.
  jar.of(idp.issuer).clear()
  await signIn(jar)
  assert.equal([...jar.of(publicUrl).keys()], ['session'])
})

test('a cookie counts only for pages of this site, and for addresses that are opened', async () => {
  const { jar } = await signIn()
  // `fetch` sets the mode itself.
  const from = (site: string, mode: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { cookie: jar.header(CVES), 'sec-fetch-site': site, 'sec-fetch-mode': mode }
      get(CVES, { headers }, (response) => resolve(response.resume().statusCode)).on('error', reject)
    })
  assert.equal(
    [await from('same-origin', 'cors'), await from('none', 'navigate'), await from('same-site', 'navigate')],
    [200, 200, 200],
  )
  assert.equal(
    [await from('same-site', 'no-cors'), await from('cross-site', 'cors'), await from('cross-site', 'no-cors')],
    [401, 401, 401],
  )
})

test('a changed session, one of another key, and one for another purpose are none', async () => {
  const { jar } = await signIn()
  const session = jar.of(publicUrl).get('session')!
  await jar.fetch(`${publicUrl}auth/login`)
  const login = [...jar.of(publicUrl)].find(([name]) => name.startsWith('vulnshelf-login.'))![1]
  const parts = session.split('.')
  const changed = [login, `${session.slice(0, -2)}AA`, [parts[0], '', parts[2], 'AAAA', parts[4]].join('.')]
  for (const value of changed) {
    const { status } = await fetch(CVES, { headers: { cookie: `session=${value}` } })
    assert.is(status, 401)
  }
  await gateway.close()
  gateway = await open()
  const { status, headers } = await fetch(CVES, { headers: { cookie: `session=${session}` } })
  assert.equal([status, /session_ended/.test(headers.get('www-authenticate')!)], [401, true], 'of another key')
})

test('with a key file, sessions outlast a restart', async () => {
  const sessionKeyFile = join(folder.path, 'session.key')
  writeFileSync(sessionKeyFile, `${Buffer.alloc(32, 7).toString('base64')}\n`)
  await gateway.close()
  gateway = await open({ sessionKeyFile })
  const { jar } = await signIn()
  await gateway.close()
  gateway = await open({ sessionKeyFile })
  assert.is(await statusOf(jar), 200)
})

test('with TLS in front, the cookies are for this host and TLS alone', async () => {
  const oidc = { publicUrl: 'https://vulns.example.com' }
  await gateway.close()
  gateway = await open(oidc)
  const { headers } = await fetch(`${publicUrl}auth/login`, { redirect: 'manual' })
  assert.match(
    headers.get('set-cookie')!,
    /^__Host-vulnshelf-login\.[\w-]{12}=\S+; Path=\/; Max-Age=600; HttpOnly; Secure; SameSite=Lax$/,
  )
  assert.is(
    new URL(headers.get('location')!).searchParams.get('redirect_uri'),
    'https://vulns.example.com/auth/callback',
  )
  await gateway.close()
  gateway = await open(oidc, { issuer: LOCAL.issuer, jwks: jwksFile })
  const set = await fetch(`${publicUrl}auth/token`, {
    method: 'POST',
    headers: { ...OWN, authorization: `Bearer ${token}` },
  })
  assert.match(
    set.headers.get('set-cookie')!,
    /^__Host-session=\S+; Path=\/; Max-Age=\d+; HttpOnly; Secure; SameSite=Strict$/,
  )
  const withCookie = async (name: string) => (await fetch(CVES, { headers: { cookie: `${name}=${token}` } })).status
  assert.equal([await withCookie('__Host-session'), await withCookie('session')], [200, 401])
  await gateway.close()
  gateway = await open()
})

test('without the provider, the gateway starts, and tokens work', async () => {
  await gateway.close()
  await idp.stop()
  gateway = await open({}, { issuer: LOCAL.issuer, jwks: jwksFile })
  try {
    const { status, headers } = await fetch(CVES, { headers: { authorization: `Bearer ${token}` } })
    assert.is(status, 200)
    assert.ok(headers.get('etag'))
    const login = await fetch(`${publicUrl}auth/login`)
    assert.is(login.status, 503)
    assert.match(await login.text(), /does not answer/)
    assert.ok(log.some(({ message, reason }) => message === 'sign-in failed' && /ECONNREFUSED/.test(String(reason))))
  } finally {
    await idp.start()
    await gateway.close()
    gateway = await open()
  }
  assert.is(await statusOf((await signIn()).jar), 200)
})

test('failed sign-ins of an address are limited', async () => {
  await gateway.close()
  gateway = await open({}, { failedTokens: 3 })
  const statuses = []
  for (let i = 0; i < 5; i++) statuses.push((await fetch(`${publicUrl}auth/callback?state=x`)).status)
  assert.equal(statuses, [400, 400, 400, 429, 429])
  const token = []
  for (let i = 0; i < 2; i++) {
    const headers = { ...OWN, authorization: 'Bearer x.y.z' }
    token.push((await fetch(`${publicUrl}auth/token`, { method: 'POST', headers })).status)
  }
  assert.equal(token, [429, 429])
  await gateway.close()
  gateway = await open()
})

const WRONG: [Partial<OidcFlags>, RegExp][] = [
  [{ publicUrl: undefined as never }, /requires --public-url/],
  [{ publicUrl: 'http://vulns.example.com' }, /invalid public URL/],
  [{ publicUrl: 'https://user@vulns.example.com' }, /invalid public URL/],
  [{ publicUrl: 'https://vulns.example.com/?a' }, /invalid public URL/],
  [{ issuer: 'http://id.example.com' }, /not an https URL/],
  [{ oidcScope: 'profile' }, /invalid scope/],
  [{ oidcClientSecretFile: '/nowhere/secret' }, /cannot read the client secret/],
  [{ sessionKeyFile: secretFile }, /must be 32 bytes in base64. Create one: openssl rand/],
  [{ oidcClientId: '' }, /must not be empty/],
]

test('wrong options are named with the remedy', () => {
  for (const [more, message] of WRONG) assert.throws(() => readOidcOptions(flags(more)), message)
  assert.is(readOidcOptions({ issuer: LOCAL.issuer }), null)
})

test.run()
