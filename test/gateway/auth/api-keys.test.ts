/** API keys: their file, and requests that send one to a gateway. */
import { chmodSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ApiError } from '../../../corpus/answers/errors.ts'
import { FileError } from '../../../corpus/runtime/regular-file.ts'
import { type ApiKeyEntry, formatApiKeys, makeApiKey, parseApiKeys } from '../../../gateway/auth/api-key.ts'
import { addApiKey, revokeApiKey } from '../../../gateway/auth/api-key-file.ts'
import { openApiKeys, readApiKeys } from '../../../gateway/auth/api-keys.ts'
import { LOCAL, makeToken } from '../../../gateway/auth/token.ts'
import { GatewayError } from '../../../gateway/http/errors.ts'
import { type Gateway, type GatewayOptions, startGateway } from '../../../gateway/process/gateway.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { sharedSample } from '../../support/samples.ts'
import { listLog } from '../../support/server.ts'

const folder = temporaryFolder('api-keys')
const at = (name: string) => join(folder.path, name)
const NOW = Date.UTC(2026, 0, 15)
const day = (number: number) => new Date(NOW + number * 86_400_000).toISOString()

const stated = (more: Partial<ApiKeyEntry> = {}) => ({
  name: 'ci',
  role: 'admin',
  tier: null,
  created: day(0),
  expires: day(30),
  ...more,
})

/** The error of a key, or null. */
function faultOf(verify: (key: string) => unknown, key: string): ApiError | null {
  try {
    verify(key)
    return null
  } catch (error) {
    return error as ApiError
  }
}

const files = suite('file of API keys')

files('a key has a prefix, its id and 160 random bits; the file has the digest only', async () => {
  const path = at('new/api-keys.json')
  const { key, entry } = await addApiKey(path, stated())
  assert.match(key, new RegExp(`^vulnshelf_${entry.id}_[0-9a-f]{40}$`))
  const text = readFileSync(path, 'utf8')
  assert.not.match(text, key.slice(-40))
  assert.equal(readApiKeys(path), [entry])
  assert.equal(Object.keys(entry), ['id', 'name', 'role', 'tier', 'created', 'expires', 'revoked', 'sha256'])
  assert.is(statSync(path).mode & 0o777, 0o600)
  assert.is(statSync(at('new')).mode & 0o777, 0o700)
})

files('a change keeps the mode of the file and the link that leads to it', async () => {
  const [path, link] = [at('shared.json'), at('link.json')]
  await addApiKey(path, stated())
  chmodSync(path, 0o640)
  symlinkSync(path, link)
  const { entry } = await addApiKey(link, stated({ name: 'two' }))
  assert.is((await revokeApiKey(link, entry.id, day(1))).revoked, null)
  assert.equal(
    readApiKeys(path).map(({ revoked }) => revoked),
    [null, day(1)],
  )
  assert.is(statSync(path).mode & 0o777, 0o640)
  assert.is((await revokeApiKey(path, entry.id, day(2))).revoked, day(1), 'the first time counts')
})

files('keys that are added at the same time are all there', async () => {
  const path = at('many.json')
  const names = Array.from({ length: 20 }, (_, i) => `key ${i}`)
  await Promise.all(names.map((name) => addApiKey(path, stated({ name }))))
  assert.equal(
    readApiKeys(path)
      .map(({ name }) => name)
      .sort(),
    names.sort(),
  )
})

const { entry: sound } = makeApiKey(stated())

const BROKEN: [string, string | object[], RegExp][] = [
  ['no JSON', '{"keys": [', /is not JSON/],
  ['a list', '[]', /must be \{"keys": \[…\]\}/],
  ['another member', '{"keys": [], "more": 1}', /more/],
  ['two keys with one id', [sound, { ...sound, name: 'b' }], /key 2: another key has the same id/],
  ['a key without digest', [sound, { ...sound, sha256: undefined }], /key 2: sha256/],
  ['a short digest', [{ ...sound, sha256: 'ab' }], /sha256 must have 64 hexadecimal digits/],
  ['an unknown member', [{ ...sound, admin: true }], /admin/],
  ['a negative tier', [{ ...sound, tier: -1 }], /tier/],
  ['a tier that is no integer', [{ ...sound, tier: 1.5 }], /tier/],
  ['a date that is none', [{ ...sound, expires: 'tomorrow' }], /expires is not a timestamp/],
  ['a date before Christ', [{ ...sound, expires: '2026-13-45T00:00:00Z' }], /expires is not a timestamp/],
  ['no `revoked`', [{ ...sound, revoked: undefined }], /revoked/],
  ['a name of two lines', [{ ...sound, name: 'a\nb' }], /name must be one line of text/],
  ['deep nesting', `{"keys": ${'['.repeat(5000)}${']'.repeat(5000)}}`, /nested/],
]

for (const [what, content, reason] of BROKEN) {
  files(`a file with ${what} is rejected`, () => {
    const text = typeof content === 'string' ? content : JSON.stringify({ keys: content })
    try {
      parseApiKeys(text, 'keys.json')
      assert.unreachable()
    } catch (error) {
      assert.ok(error instanceof GatewayError)
      assert.match(error.message, reason)
      assert.match(error.message, 'keys.json')
    }
  })
}

files('a name that the file could not have is rejected before anything is written', async () => {
  for (const more of [{ name: 'a\nb' }, { role: 'x'.repeat(300) }, { role: '' }]) {
    try {
      await addApiKey(at('never.json'), stated(more))
      assert.unreachable()
    } catch (error) {
      assert.ok(error instanceof GatewayError && error.code === 'bad_option')
      assert.match(error.message, /^--(?:name|role) /)
    }
  }
  assert.throws(() => readApiKeys(at('never.json')), /does not exist/)
})

files('a path that is no file is refused before anything is written', async () => {
  for (const path of ['', '-', '/dev/stdout']) {
    const error = await addApiKey(path, stated()).catch((thrown: Error) => thrown)
    assert.instance(error, FileError)
  }
})

files.run()

const keys = suite('API keys')

/** Keys in a file of their own, and what verifies them. */
function opened(entries: readonly ApiKeyEntry[], name: string) {
  const path = at(name)
  const clock = { ms: NOW }
  const { log, lines } = listLog()
  writeFileSync(path, formatApiKeys(entries))
  return { ...openApiKeys(path, { now: () => clock.ms, log }), path, clock, lines }
}

keys('a key gives its role, its tier and a subject of its own', () => {
  const roles: [Partial<ApiKeyEntry>, boolean, number][] = [
    [{}, true, Number.POSITIVE_INFINITY],
    [{ tier: 2 }, true, 2],
    [{ role: 'user' }, false, 0],
    [{ role: 'user', tier: 3 }, false, 3],
    [{ role: 'Admin' }, false, 0],
  ]
  const made = roles.map(([more]) => makeApiKey(stated(more)))
  const { verify } = opened(
    made.map(({ entry }) => entry),
    'roles.json',
  )
  assert.equal(
    made.map(({ key }) => verify(key)),
    made.map(({ entry: { id } }, i) => {
      const [, admin, tier] = roles[i]!
      return { sub: `API key ${id}`, logName: id, admin, tier }
    }),
  )
})

keys('a key that is malformed, unknown, revoked or expired is rejected, and the message states the remedy', () => {
  const [good, revoked, expired] = [
    makeApiKey(stated()),
    makeApiKey(stated()),
    makeApiKey(stated({ expires: day(0) })),
  ] as const
  const { verify } = opened([good.entry, { ...revoked.entry, revoked: day(0) }, expired.entry], 'faults.json')
  const unknown = makeApiKey(stated()).key
  const [, , secret] = unknown.split('_') as [string, string, string]
  const cases: [string, string, RegExp][] = [
    [unknown, 'unknown', /ask the operator/],
    [`vulnshelf_${good.entry.id}_${secret}`, 'unknown', /unknown/],
    // The secret of another key does not fit, and a wrong secret does not show what became of a key.
    [`vulnshelf_${revoked.entry.id}_${good.key.slice(-40)}`, 'unknown', /unknown/],
    [`vulnshelf_${expired.entry.id}_${secret}`, 'unknown', /unknown/],
    [revoked.key, 'revoked', new RegExp(`the API key ${revoked.entry.id} was revoked; ask`)],
    [expired.key, 'expired', new RegExp(`the API key ${expired.entry.id} has expired; ask`)],
    [good.key.slice(0, -1), 'malformed', /copy the whole key/],
    [`${good.key}0`, 'malformed', /malformed/],
    [good.key.replace(/[0-9a-f]{40}$/, (digits) => `${digits.slice(1)}A`), 'malformed', /malformed/],
    [`vulnshelf_${'0'.repeat(2e6)}`, 'malformed', /malformed/],
    [`vulnshelf_${good.entry.id}_${good.key}`, 'malformed', /malformed/],
    [`${good.key}\n`, 'malformed', /malformed/],
    ['vulnshelf___proto__', 'malformed', /malformed/],
  ]
  for (const [key, fault, message] of cases) {
    const error = faultOf(verify, key)
    assert.equal([error?.status, error?.fault], [401, fault], key.slice(0, 80))
    assert.match(error!.message, message)
    assert.is(error!.headers['WWW-Authenticate'], 'Bearer error="invalid_token"')
    assert.not.match(error!.message, secret)
  }
  assert.is(faultOf(verify, good.key), null)
})

keys('the file is read again a second later: new keys count, revoked ones do not', async () => {
  const { key, entry } = makeApiKey(stated())
  const { verify, path, clock } = opened([entry], 'followed.json')
  verify(key)
  const later = await addApiKey(path, stated())
  await revokeApiKey(path, entry.id, day(1))
  clock.ms += 1000
  assert.is(faultOf(verify, key)?.fault, 'revoked')
  assert.is(faultOf(verify, later.key), null)
})

keys('a clock that is set back delays nothing', async () => {
  const { key, entry } = makeApiKey(stated())
  const { verify, path, clock } = opened([entry], 'clock.json')
  clock.ms = NOW + 3_600_000
  verify(key)
  await revokeApiKey(path, entry.id, day(1))
  clock.ms = NOW
  assert.is(faultOf(verify, key)?.fault, 'revoked')
})

keys('a key expires at its time, without tolerance; one without a time never does', () => {
  const [timed, lasting] = [makeApiKey(stated()), makeApiKey(stated({ expires: null }))] as const
  const { verify, expiryOf, clock } = opened([timed.entry, lasting.entry], 'expiry.json')
  assert.equal([expiryOf(timed.key), expiryOf(lasting.key)], [Date.parse(day(30)), null])
  clock.ms = Date.parse(day(30)) - 1
  verify(timed.key)
  clock.ms++
  assert.is(faultOf(verify, timed.key)?.fault, 'expired')
  clock.ms = Date.parse(day(36_500))
  verify(lasting.key)
})

keys('a broken or removed file leaves the last keys, and the log states it as an error', async () => {
  const { key, entry } = makeApiKey(stated())
  const { verify, path, clock, lines } = opened([entry], 'broken.json')
  const faults: [string, () => void][] = [
    ['is not JSON', () => writeFileSync(path, '{"keys": [')],
    ['another key has the same id', () => writeFileSync(path, formatApiKeys([entry, { ...entry, revoked: day(1) }]))],
    ['ENOENT', () => rmSync(path)],
  ]
  for (const [reason, spoil] of faults) {
    spoil()
    clock.ms += 1000
    verify(key)
    const { level, message, err } = lines.at(-1)!
    assert.equal([level, message], ['error', 'API keys file unreadable, keeping the last API keys'])
    assert.match((err as Error).message, reason)
  }
  writeFileSync(path, formatApiKeys([{ ...entry, revoked: day(1) }]))
  clock.ms += 1000
  assert.is(faultOf(verify, key)?.fault, 'revoked')
})

keys('a start fails without a valid file', () => {
  const { log } = listLog()
  writeFileSync(at('spoilt.json'), '{}')
  for (const path of [at('none.json'), at('spoilt.json'), folder.path]) {
    assert.throws(
      () => openApiKeys(path, { now: Date.now, log }),
      (error: unknown) => error instanceof GatewayError && error.code === 'bad_option',
    )
  }
})

keys.run()

const http = suite('API keys over HTTP')
const { dist } = await sharedSample('small')
const { token, jwksFile } = await makeToken({ dir: at('keys') })
const clock = { ms: Date.now() }

async function serve(name: string, more: Partial<GatewayOptions> = {}): Promise<Gateway> {
  const { issuer, audience } = LOCAL
  const given = {
    dist,
    port: 0,
    issuer,
    audience,
    apiKeys: at(name),
    pollMs: 0,
    compat: ['epss'],
    compatPort: 0,
    ...more,
  }
  return startGateway(given, listLog().log, { now: () => clock.ms })
}

const added = (name: string, more: Partial<ApiKeyEntry> = {}) =>
  addApiKey(at(name), stated({ created: new Date().toISOString(), expires: null, ...more }))

async function ask(gateway: Gateway, headers: Record<string, string>, path = '/api/v1/cves?limit=1') {
  const response = await fetch(gateway.url + path, { headers })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    message: (JSON.parse(text) as { message?: string }).message,
  }
}
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

http('without --jwks and an issuer, only API keys are accepted', async () => {
  const { key } = await added('only.json')
  const gateway = await serve('only.json')
  assert.is((await ask(gateway, bearer(key))).status, 200)
  const other = await ask(gateway, bearer(token))
  assert.is(other.status, 401)
  assert.match(other.message!, 'accepts only API keys')
  assert.is((await ask(gateway, {})).status, 401)
  const scores = await fetch(`${gateway.compatUrl}/data/v1/epss?limit=1`, { headers: bearer(key) })
  assert.is(scores.status, 200)
  await scores.text()
  await gateway.close()
})

http('with --jwks, both are accepted; without --api-keys, a key is rejected', async () => {
  const { key } = await added('both.json')
  const both = await serve('both.json', { jwks: jwksFile })
  assert.equal([(await ask(both, bearer(key))).status, (await ask(both, bearer(token))).status], [200, 200])
  await both.close()
  const { apiKeys: _, ...without } = { apiKeys: 0, jwks: jwksFile }
  const gateway = await startGateway(
    { dist, port: 0, issuer: LOCAL.issuer, audience: LOCAL.audience, pollMs: 0, ...without },
    listLog().log,
  )
  const { status, message } = await ask(gateway, bearer(key))
  assert.equal([status, message], [401, 'this gateway accepts no API keys; its operator can add --api-keys'])
  await gateway.close()
})

http('a bad key is 401, also with a valid cookie', async () => {
  const { key, entry } = await added('cookie.json')
  const gateway = await serve('cookie.json', { jwks: jwksFile })
  const cookie = `session=${token}`
  assert.is((await ask(gateway, { cookie })).status, 200)
  assert.is((await ask(gateway, { cookie, ...bearer(`${key.slice(0, -1)}x`) })).status, 401)
  await revokeApiKey(at('cookie.json'), entry.id, day(0))
  clock.ms += 1000
  const { status, message, headers } = await ask(gateway, { cookie, ...bearer(key) })
  assert.is(status, 401)
  assert.match(message!, `the API key ${entry.id} was revoked`)
  assert.is(headers.get('www-authenticate'), 'Bearer error="invalid_token"')
  await gateway.close()
})

http('a key that is revoked ends on connections that are open', async () => {
  const { key, entry } = await added('open.json')
  const gateway = await serve('open.json')
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const sockets = new Set<unknown>()
  const status = () =>
    new Promise<number>((resolve, reject) => {
      const request = get(`${gateway.url}/api/v1/cves?limit=1`, { agent, headers: bearer(key) }, (response) => {
        sockets.add(response.socket)
        response.resume().once('end', () => resolve(response.statusCode!))
      })
      request.once('error', reject)
    })
  assert.equal([await status(), await status()], [200, 200])
  await revokeApiKey(at('open.json'), entry.id, day(0))
  clock.ms += 1000
  assert.is(await status(), 401)
  assert.is(sockets.size, 1)
  agent.destroy()
  await gateway.close()
})

http('each key has a quota of its own, and failed keys that of their address', async () => {
  const [one, two] = [await added('limits.json'), await added('limits.json')]
  const gateway = await serve('limits.json', { rateLimit: 2, failedTokens: 2 })
  const statuses = async (key: string, count: number) => {
    const found: number[] = []
    for (let i = 0; i < count; i++) found.push((await ask(gateway, bearer(key))).status)
    return found
  }
  assert.equal(await statuses(one.key, 3), [200, 200, 429])
  assert.equal(await statuses(makeApiKey(stated()).key, 3), [401, 401, 429])
  assert.equal(await statuses(two.key, 1), [200])
  await gateway.close()
})

http('during the preview, a key without the role admin is 403', async () => {
  const { key } = await added('preview.json', { role: 'user' })
  const preview = await serve('preview.json')
  assert.is((await ask(preview, bearer(key))).status, 403)
  await preview.close()
  const open = await serve('preview.json', { preview: false })
  assert.is((await ask(open, bearer(key))).status, 200)
  await open.close()
})

http('a key signs a browser in until it expires or is revoked', async () => {
  const expires = new Date(clock.ms + 600_000).toISOString()
  const [timed, lasting] = [await added('browser.json', { expires }), await added('browser.json')]
  const gateway = await serve('browser.json')
  const signIn = async (key: string) => {
    const own = { ...bearer(key), 'x-requested-with': 'explorer' }
    const response = await fetch(`${gateway.url}/auth/token`, { method: 'POST', headers: own })
    await response.text()
    return response.headers.getSetCookie()[0]!
  }
  assert.match(await signIn(timed.key), /^session=vulnshelf_[^;]+;.*Max-Age=600\b/)
  const set = await signIn(lasting.key)
  assert.not.match(set, 'Max-Age')
  const cookie = set.slice(0, set.indexOf(';'))
  assert.is((await ask(gateway, { cookie })).status, 200)
  await revokeApiKey(at('browser.json'), lasting.entry.id, day(0))
  clock.ms += 1000
  assert.is((await ask(gateway, { cookie })).status, 401)
  await gateway.close()
})

http('a file that another one replaces is followed', async () => {
  const { key } = await added('replaced.json')
  const next = await added('next.json')
  const gateway = await serve('replaced.json')
  assert.is((await ask(gateway, bearer(key))).status, 200)
  renameSync(at('next.json'), at('replaced.json'))
  clock.ms += 1000
  assert.is((await ask(gateway, bearer(key))).status, 401)
  assert.is((await ask(gateway, bearer(next.key))).status, 200)
  await gateway.close()
})

http.after(folder.remove)
http.run()
