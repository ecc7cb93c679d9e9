/** Key sets that are fetched: how often, from where, and what happens when they cannot be had (rule 11). */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { ApiError } from '../../../corpus/answers/errors.ts'
import { type Fetch, keysByDiscovery, keyUrl } from '../../../gateway/auth/key-url.ts'
import { readHeaders } from '../../../gateway/http/request-headers.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { testGateway } from '../../support/gateway.ts'
import { listeningWith } from '../../support/listening.ts'
import { sharedSample } from '../../support/samples.ts'
import { listLog } from '../../support/server.ts'
import { AUDIENCE, adminClaims, authenticatorOf, ISSUER, jwks, sign, signingKey } from '../../support/tokens.ts'
import { until } from '../../support/until.ts'

const NOW = Date.UTC(2026, 0, 15)
const [key, next] = [await signingKey('key-1'), await signingKey('key-2')]
const headersOf = (token: string) => readHeaders(['Authorization', `Bearer ${token}`])
const oldToken = headersOf(await sign(key, adminClaims(NOW, { exp: NOW / 1000 + 864_000 })))
const newToken = headersOf(await sign(next, adminClaims(NOW, { exp: NOW / 1000 + 864_000 })))

/** A place on the web in a variable: what lies at each URL, null where nothing answers; and what was asked for. */
function web(pages: Record<string, string | null>) {
  const asked: string[] = []
  const fetch: Fetch = async (url) => {
    asked.push(url)
    const page = pages[url]
    if (page === null) throw new Error('connection refused')
    const body = async function* () {
      yield Buffer.from(page ?? '')
    }
    return { ok: page !== undefined, status: page === undefined ? 404 : 200, body: body() }
  }
  return { pages, asked, fetch }
}

const URL_ = 'https://issuer.test/jwks'

function following({ fetch }: { fetch: Fetch }) {
  const clock = { time: NOW }
  const { log, lines } = listLog()
  const now = () => clock.time
  const keys = keyUrl(URL_, { fetch, now, log })
  return { clock, lines, authenticate: authenticatorOf({ issuer: ISSUER, audience: AUDIENCE, keys, now }) }
}

async function refusalOf(attempt: () => unknown): Promise<ApiError> {
  try {
    await attempt()
  } catch (error) {
    return error as ApiError
  }
  throw new Error('was let in')
}

test('requests at the same time share one fetch, later ones need none', async () => {
  const site = web({ [URL_]: jwks(key) })
  const { authenticate } = following(site)
  await Promise.all([1, 2, 3].map(() => authenticate(oldToken)))
  await authenticate(oldToken)
  assert.equal(site.asked, [URL_])
})

test('an unknown kid fetches again at most once per cooldown', async () => {
  const site = web({ [URL_]: jwks(key) })
  const { clock, authenticate } = following(site)
  await authenticate(oldToken)
  site.pages[URL_] = jwks(key, next)
  assert.match((await refusalOf(() => authenticate(newToken))).message, 'unknown key')
  assert.is(site.asked.length, 1)
  clock.time += 30_000
  assert.is((await authenticate(newToken)).sub, 'alice')
  assert.is(site.asked.length, 2)
  const unknown = headersOf(await sign(await signingKey('key-3'), adminClaims(NOW)))
  for (let times = 0; times < 5; times++) await refusalOf(() => authenticate(unknown))
  assert.is(site.asked.length, 2)
})

test('a set gone old is fetched in the background, and a key that left it counts no longer', async () => {
  const site = web({ [URL_]: jwks(key) })
  const { clock, authenticate } = following(site)
  await authenticate(oldToken)
  site.pages[URL_] = jwks(next)
  clock.time += 600_001
  await authenticate(oldToken)
  await new Promise(setImmediate)
  assert.is(site.asked.length, 2)
  assert.match((await refusalOf(() => authenticate(oldToken))).message, 'unknown key')
  assert.is((await authenticate(newToken)).sub, 'alice')
})

test('an unchanged set leaves remembered tokens known at once', async () => {
  const site = web({ [URL_]: jwks(key) })
  const { clock, authenticate } = following(site)
  await authenticate(oldToken)
  clock.time += 600_001
  authenticate(oldToken)
  await new Promise(setImmediate)
  assert.is(site.asked.length, 2)
  assert.not.instance(authenticate(oldToken), Promise)
})

test('without any key set it is 503 with Retry-After, and the issuer is not asked by every request', async () => {
  const site = web({ [URL_]: null })
  const { clock, lines, authenticate } = following(site)
  const error = await refusalOf(() => authenticate(oldToken))
  assert.is(error.code, 'unavailable')
  assert.is(error.headers['Retry-After'], '5')
  assert.not.match(error.message, 'issuer.test')
  await refusalOf(() => authenticate(oldToken))
  assert.is(site.asked.length, 1)
  assert.is(lines.length, 1)
  site.pages[URL_] = jwks(key)
  clock.time += 5000
  assert.is((await authenticate(oldToken)).sub, 'alice')
})

test('the last good set outlives an issuer that is away, for a day', async () => {
  const site = web({ [URL_]: jwks(key) })
  const { clock, authenticate } = following(site)
  await authenticate(oldToken)
  for (const broken of [null, '<html>', '{"keys":7}']) {
    site.pages[URL_] = broken
    clock.time += 3_600_000
    assert.is((await authenticate(oldToken)).sub, 'alice')
    await new Promise(setImmediate)
  }
  clock.time = NOW + 86_400_001
  assert.is((await refusalOf(() => authenticate(oldToken))).code, 'unavailable')
})

test('discovery follows the jwks_uri of the issuer itself', async () => {
  const metadata = 'https://issuer.test/.well-known/openid-configuration'
  const site = web({ [metadata]: JSON.stringify({ issuer: ISSUER, jwks_uri: URL_ }), [URL_]: jwks(key) })
  const { log } = listLog()
  await keysByDiscovery(ISSUER, { fetch: site.fetch, now: () => NOW, log }).obtain()
  assert.equal(site.asked, [metadata, URL_])
})

test('discovery refuses metadata of another issuer, and keys over plain http', async () => {
  const metadata = 'https://issuer.test/.well-known/openid-configuration'
  for (const document of [
    { issuer: 'https://other.test', jwks_uri: URL_ },
    { issuer: ISSUER, jwks_uri: 'http://issuer.test/jwks' },
    { issuer: ISSUER, jwks_uri: 'file:///etc/jwks' },
    { issuer: ISSUER },
    null,
  ]) {
    const site = web({ [metadata]: JSON.stringify(document), [URL_]: jwks(key) })
    const { log } = listLog()
    const error = await refusalOf(() => keysByDiscovery(ISSUER, { fetch: site.fetch, now: () => NOW, log }).obtain())
    assert.is(error.code, 'unavailable')
    assert.equal(site.asked, [metadata])
  }
})

test('with a real fetch: redirects are not followed, and a body is read only up to a limit', async () => {
  const { origin: base, close } = await listeningWith((request, response) => {
    if (request.url === '/good') response.end(jwks(key))
    else if (request.url === '/moved') response.writeHead(302, { location: '/good' }).end()
    else response.end(' '.repeat(1_048_577) + jwks(key))
  })
  try {
    const { log } = listLog()
    const ring = (path: string) => keyUrl(base + path, { fetch, now: () => NOW, log })
    assert.ok(await ring('/good').obtain())
    assert.is((await refusalOf(() => ring('/moved').obtain())).code, 'unavailable')
    assert.is((await refusalOf(() => ring('/huge').obtain())).code, 'unavailable')
  } finally {
    await close()
  }
})

test('a gateway requests the keys at its start, and logs that they are unreachable before a client asks', async () => {
  const folder = temporaryFolder('key-url')
  const { dist } = await sharedSample('small')
  const asked: string[] = []
  const issuer = await listeningWith(({ url }, response) => {
    asked.push(url!)
    response.writeHead(503).end()
  })
  const gateway = await testGateway(folder.path, dist, { jwks: `${issuer.origin}/jwks.json` })
  const failures = () => gateway.log.filter(({ message }) => message === 'key set download failed')
  await until(
    () => failures().length > 0,
    () => JSON.stringify(gateway.log),
  )
  assert.equal(asked, ['/jwks.json'])
  assert.match(JSON.stringify(failures()), `${issuer.origin}/jwks.json`)
  await gateway.close()
  await issuer.close()
  folder.remove()
})

test.run()
