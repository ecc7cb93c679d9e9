/** Which tokens are let in, against rules 11 to 15. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CompactSign, exportSPKI, importJWK, SignJWT } from 'jose'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ApiError } from '../../../corpus/answers/errors.ts'
import { keyFile } from '../../../gateway/auth/key-file.ts'
import { parseKeySet } from '../../../gateway/auth/key-set.ts'
import { GatewayError } from '../../../gateway/http/errors.ts'
import { readHeaders } from '../../../gateway/http/request-headers.ts'
import { fixedKeys, listLog } from '../../support/server.ts'
import {
  AUDIENCE,
  type AuthenticatorOptions,
  adminClaims,
  authenticatorOf,
  forge,
  hmac,
  ISSUER,
  jwks,
  sign,
  signingKey,
} from '../../support/tokens.ts'

const NOW = Date.UTC(2026, 0, 15)
const key = await signingKey('key-1')
const stranger = await signingKey('key-1')
const good = await sign(key, adminClaims(NOW))

function authenticator(options: Partial<AuthenticatorOptions> = {}) {
  return authenticatorOf({ issuer: ISSUER, audience: AUDIENCE, keys: fixedKeys(key), now: () => NOW, ...options })
}

const bearer = (token: string) => readHeaders(['Authorization', `Bearer ${token}`])

/** The subject of a request with these headers, whether it is known at once or not. */
const subjectOf = async (headers: string[], options: Partial<AuthenticatorOptions> = {}) =>
  authenticator(options)(readHeaders(headers))

async function refusal(headers: string[], options: Partial<AuthenticatorOptions> = {}): Promise<ApiError> {
  try {
    await subjectOf(headers, options)
  } catch (error) {
    return error as ApiError
  }
  throw new Error('was let in')
}

const tokens = suite('tokens')

tokens('a good one names its subject', async () => {
  const { sub, admin, tier } = await subjectOf(['Authorization', `Bearer ${good}`])
  assert.equal({ sub, admin, tier }, { sub: 'alice', admin: true, tier: Number.POSITIVE_INFINITY })
})

for (const alg of ['RS256', 'PS256', 'ES256', 'EdDSA']) {
  tokens(`${alg} is accepted`, async () => {
    const other = await signingKey('k', alg)
    const token = await sign(other, adminClaims(NOW))
    assert.is((await subjectOf(['Authorization', `Bearer ${token}`], { keys: fixedKeys(other) })).sub, 'alice')
  })
}

const now = NOW / 1000
const claims = adminClaims(NOW)
const publicPem = await exportSPKI((await importJWK({ ...key.publicJwk, ext: true }, 'ES256')) as CryptoKey)
const [head, body, signature] = good.split('.') as [string, string, string]
const flipped = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`

const REFUSED: [string, string, RegExp][] = [
  ['that is no JWT', 'not-a-token', /malformed/],
  ['that is empty', '', /malformed/],
  ['with two parts', `${head}.${body}`, /malformed/],
  ['with five parts', `${good}.a.b`, /malformed/],
  ['with a header that is not JSON', `AAAA.${body}.${signature}`, /malformed/],
  ['with a flipped signature', `${head}.${body}.${flipped}`, /the signature of the token is invalid/],
  ['without a signature', `${head}.${body}.`, /signature of the token is invalid|malformed/],
  ['whose claims were changed', forge({ alg: 'ES256', kid: 'key-1' }, { ...claims, tier: 9 }, signature), /signature/],
  ['signed by a stranger under a known kid', await sign(stranger, claims), /the signature of the token is invalid/],
  ['with an unknown kid', await sign(key, claims, { kid: 'key-9' }), /unknown key/],
  ['with alg none', forge({ alg: 'none' }, claims), /malformed|algorithm/],
  ['with alg none and a signature', forge({ alg: 'none', kid: 'key-1' }, claims, signature), /algorithm/],
  ['with HS256 over the public key', forge({ alg: 'HS256', kid: 'key-1' }, claims, hmac(publicPem)), /algorithm/],
  ['with an algorithm not allowed', await sign(await signingKey('key-1', 'ES384'), claims), /algorithm/],
  [
    'that brings its own key (jwk, jku, x5u)',
    await sign(stranger, claims, { jwk: stranger.publicJwk, jku: 'https://evil.test/jwks', x5u: 'https://evil.test' }),
    /the signature of the token is invalid/,
  ],
  ['with an extension that must be understood', await sign(key, claims, { crit: ['b64'], b64: true }), /malformed/],
  ['that has expired', await sign(key, { ...claims, exp: now - 31 }), /expired/],
  ['that expired exactly the tolerance ago', await sign(key, { ...claims, exp: now - 30 }), /expired/],
  ['that is not valid yet', await sign(key, { ...claims, nbf: now + 31 }), /not valid yet/],
  ['without exp', await sign(key, { ...claims, exp: undefined }), /lifetime/],
  ['with exp as text', await sign(key, { ...claims, exp: String(now + 60) }), /lifetime/],
  ['with nbf as text', await sign(key, { ...claims, nbf: 'now' }), /lifetime/],
  ['of another issuer', await sign(key, { ...claims, iss: `${ISSUER}/` }), /issuer/],
  ['without issuer', await sign(key, { ...claims, iss: undefined }), /issuer/],
  ['for another audience', await sign(key, { ...claims, aud: 'other' }), /audience/],
  ['without audience', await sign(key, { ...claims, aud: undefined }), /audience/],
  ['for a list of others', await sign(key, { ...claims, aud: ['other', [AUDIENCE]] }), /audience/],
  ['whose subject is a number', await sign(key, { ...claims, sub: 7 }), /subject/],
]

for (const [what, token, reason] of REFUSED) {
  tokens(`one ${what} is 401`, async () => {
    const error = await refusal(['Authorization', `Bearer ${token}`])
    assert.is(error.code, 'unauthenticated')
    assert.match(error.message, reason)
    assert.is(error.headers['WWW-Authenticate'], 'Bearer error="invalid_token"')
    if (token.length > 8) assert.not.match(JSON.stringify(error.body), token.slice(0, 12))
  })
}

tokens('one that JSON lets last for ever (exp: 1e400) is 401', async () => {
  const text = JSON.stringify({ ...claims, exp: 0 }).replace('"exp":0', '"exp":1e400')
  assert.is(JSON.parse(text).exp, Number.POSITIVE_INFINITY)
  const token = await new CompactSign(Buffer.from(text))
    .setProtectedHeader({ alg: 'ES256', kid: 'key-1' })
    .sign(key.privateKey)
  const error = await refusal(['Authorization', `Bearer ${token}`])
  assert.equal([error.code, error.fault], ['unauthenticated', 'claims'])
})

tokens('30 seconds of tolerance are given to both ends', async () => {
  for (const other of [{ exp: now - 29 }, { nbf: now + 30 }, { aud: ['other', AUDIENCE] }]) {
    const token = await sign(key, { ...claims, ...other })
    assert.is((await subjectOf(['Authorization', `Bearer ${token}`])).sub, 'alice')
  }
})

tokens('one without kid is tried with each key that fits', async () => {
  const another = await signingKey('key-2')
  const keys = fixedKeys(another, key)
  const token = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(key.privateKey)
  assert.is((await subjectOf(['Authorization', `Bearer ${token}`], { keys })).sub, 'alice')
  const forged = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(stranger.privateKey)
  assert.match(
    (await refusal(['Authorization', `Bearer ${forged}`], { keys })).message,
    'the signature of the token is invalid',
  )
})

tokens('none and HS* cannot be configured', () => {
  for (const algorithm of ['none', 'HS256', 'HS512', 'dir', '']) {
    assert.throws(
      () => authenticator({ algorithms: ['RS256', algorithm] }),
      (error: unknown) => error instanceof GatewayError && error.code === 'bad_option',
    )
  }
  assert.throws(() => authenticator({ algorithms: [] }))
})

tokens.run()

const positions = suite('where the token is')

positions('the scheme may be written in any case', async () => {
  for (const scheme of ['bearer', 'BEARER', 'bEaReR', 'Bearer ']) {
    assert.is((await subjectOf(['authorization', `${scheme} ${good}`])).sub, 'alice')
  }
})

positions('no header and no cookie is 401 without an error code in the challenge', async () => {
  const error = await refusal(['Accept', '*/*'])
  assert.is(error.code, 'unauthenticated')
  assert.is(error.headers['WWW-Authenticate'], 'Bearer')
})

positions('another scheme, or only the name of ours, is 401', async () => {
  for (const value of [`Basic ${good}`, 'Bearer', '', good, `Bearer\t${good}`]) {
    assert.is((await refusal(['Authorization', value])).code, 'unauthenticated', value)
  }
})

positions('two Authorization headers are 401, also when both are good', async () => {
  const error = await refusal(['Authorization', `Bearer ${good}`, 'authorization', `Bearer ${good}`])
  assert.match(error.message, 'more than one Authorization header')
})

positions('the session cookie is read where there is no bearer token', async () => {
  assert.is((await subjectOf(['Cookie', `theme=dark; session=${good}; x=y`])).sub, 'alice')
  assert.is((await subjectOf(['Cookie', 'theme=dark', 'Cookie', `session="${good}"`])).sub, 'alice')
  assert.is((await subjectOf(['Cookie', `sid=${good}`], { cookie: 'sid' })).sub, 'alice')
  assert.is((await refusal(['Cookie', `sid=${good}`])).headers['WWW-Authenticate'], 'Bearer')
  assert.match((await refusal(['Cookie', 'session=rubbish'])).message, 'malformed')
})

positions('a bad bearer token never falls back to the cookie; another scheme is no token', async () => {
  for (const value of ['Bearer rubbish', 'Bearer', 'bearer ', 'BEARER x']) {
    assert.is((await refusal(['Cookie', `session=${good}`, 'Authorization', value])).code, 'unauthenticated')
  }
  for (const value of ['Basic eDp5', 'Negotiate x', '']) {
    assert.is((await subjectOf(['Cookie', `session=${good}`, 'Authorization', value])).sub, 'alice')
    assert.is((await refusal(['Authorization', value])).code, 'unauthenticated')
  }
})

positions.run()

const rights = suite('administrators and tiers')

/** Claims besides the usual ones, and what they make of the subject. */
const RIGHTS: [string, object, { admin: boolean; tier: number }, string[]?][] = [
  ['role admin', {}, { admin: true, tier: Number.POSITIVE_INFINITY }],
  ['no role', { role: undefined }, { admin: false, tier: 0 }],
  ['another role', { role: 'administrator' }, { admin: false, tier: 0 }],
  ['admin among roles', { role: 'user', roles: ['a', 'admin'] }, { admin: true, tier: Number.POSITIVE_INFINITY }],
  ['roles without admin', { role: 'user', roles: ['a'] }, { admin: false, tier: 0 }],
  ['a tier', { role: 'user', tier: 3 }, { admin: false, tier: 3 }],
  ["an administrator's own tier", { tier: 1 }, { admin: true, tier: 1 }],
  ['a tier that is no integer', { tier: '5' }, { admin: true, tier: 0 }],
  [
    'a nested claim',
    { role: undefined, realm: { roles: ['admin'] } },
    { admin: true, tier: Number.POSITIVE_INFINITY },
    ['realm.roles'],
  ],
  [
    'a claim named by a URL',
    { role: undefined, 'https://x.test/roles': ['admin'] },
    { admin: true, tier: Number.POSITIVE_INFINITY },
    ['https://x.test/roles'],
  ],
  ['a path through what is not there', { role: undefined }, { admin: false, tier: 0 }, ['a.b.c', '__proto__.x']],
]

for (const [what, other, expected, adminClaims] of RIGHTS) {
  rights(`${what}`, async () => {
    const token = await sign(key, { ...claims, ...other })
    const options = adminClaims === undefined ? {} : { adminClaims }
    const { admin, tier } = await subjectOf(['Authorization', `Bearer ${token}`], options)
    assert.equal({ admin, tier }, expected)
  })
}

rights.run()

const memory = suite('remembered tokens')

memory('are known at once the second time', async () => {
  const authenticate = authenticator()
  const first = authenticate(bearer(good))
  assert.instance(first, Promise)
  const subject = await first
  assert.is(authenticate(bearer(good)), subject)
})

memory('expire all the same', async () => {
  let time = NOW
  const authenticate = authenticator({ now: () => time })
  await authenticate(bearer(good))
  time = NOW + 3_600_000 + 29_999
  authenticate(bearer(good))
  time++
  assert.throws(() => authenticate(bearer(good)), /expired/)
})

memory('are verified again when the key set changes, and rejected when their key was removed', async () => {
  let keys = fixedKeys(key)
  const ring = { current: () => keys.current(), obtain: () => keys.obtain(), renew: () => keys.obtain() }
  const authenticate = authenticator({ keys: ring })
  await authenticate(bearer(good))
  keys = fixedKeys(key, await signingKey('key-2'))
  assert.instance(await authenticate(bearer(good)), Object)
  keys = fixedKeys(await signingKey('key-2'))
  for (let times = 0; times < 2; times++) {
    try {
      await authenticate(bearer(good))
      assert.unreachable()
    } catch (error) {
      assert.match((error as ApiError).message, 'unknown key')
    }
  }
  keys = fixedKeys(stranger)
  try {
    await authenticate(bearer(good))
    assert.unreachable()
  } catch (error) {
    assert.match((error as ApiError).message, 'the signature of the token is invalid')
  }
})

memory('are forgotten beyond its bounds, which changes no outcome', async () => {
  const authenticate = authenticator({ rememberBytes: 4000 })
  const others = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => sign(key, { ...claims, sub: `user-${n}` })))
  for (const token of [good, ...others, good]) await authenticate(bearer(token))
  assert.instance(authenticate(bearer(others[0]!)), Promise)
  assert.is((await authenticate(bearer(others[0]!))).sub, 'user-1')
})

memory('a token that was refused is not remembered as good or bad', async () => {
  let time = NOW - 7_200_000
  const early = await sign(key, { ...claims, nbf: now })
  const authenticate = authenticator({ now: () => time })
  assert.match((await refusal(['Authorization', `Bearer ${early}`], { now: () => time })).message, 'not valid yet')
  time = NOW
  assert.is((await authenticate(bearer(early))).sub, 'alice')
})

memory.run()

const files = suite('key set file')

files('is read again when it changes; a cached token is rejected when its key was removed', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'vulnshelf-keys-'))
  try {
    const path = join(dir, 'jwks.json')
    let time = NOW
    const { log, lines } = listLog()
    writeFileSync(path, jwks(key))
    const authenticate = authenticator({ keys: keyFile(path, { now: () => time, log }), now: () => time })
    await authenticate(bearer(good))
    const next = await signingKey('key-2')
    writeFileSync(path, jwks(next))
    time += 1000
    try {
      await authenticate(bearer(good))
      assert.unreachable()
    } catch (error) {
      assert.match((error as ApiError).message, 'unknown key')
    }
    const token = await sign(next, claims)
    assert.is((await authenticate(bearer(token))).sub, 'alice')

    writeFileSync(path, '{"keys": [')
    time += 1000
    assert.is((await authenticate(bearer(token))).sub, 'alice')
    assert.match(lines.at(-1)!.message, 'keeping the last key set')
  } finally {
    rmSync(dir, { recursive: true })
  }
})

files('that is not there is 503 with Retry-After', async () => {
  const { log } = listLog()
  const error = await refusal(['Authorization', `Bearer ${good}`], {
    keys: keyFile(join(tmpdir(), 'vulnshelf-no-such-file.json'), { now: () => NOW, log }),
  })
  assert.is(error.status, 503)
  assert.equal(error.headers, { 'Retry-After': '1' })
  assert.not.match(error.message, 'no-such-file')
})

files('with a private key, or without a list of keys, is rejected', () => {
  for (const text of ['[]', '{}', '{"keys":{}}', '{"keys":[1]}', '{"keys":[{}]}', 'null', '']) {
    assert.throws(() => parseKeySet(text))
  }
  assert.throws(() => parseKeySet(JSON.stringify({ keys: [{ ...key.publicJwk, d: 'AAAA' }] })), /private key/)
})

files.run()
