/** The development token: made, kept, and good for the gateway's own check. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { keyFile } from '../../../gateway/auth/key-file.ts'
import { LOCAL, makeToken, parseLifetime } from '../../../gateway/auth/token.ts'
import { GatewayError } from '../../../gateway/http/errors.ts'
import { readHeaders } from '../../../gateway/http/request-headers.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { listLog } from '../../support/server.ts'
import { authenticatorOf } from '../../support/tokens.ts'

const { path: root, remove } = temporaryFolder('token')
const dir = join(root, 'keys')
const NOW = Date.UTC(2026, 0, 15)
const now = () => NOW

function authenticatorFor(jwksFile: string, time = NOW) {
  const keys = keyFile(jwksFile, { now: () => time, log: listLog().log })
  return authenticatorOf({ issuer: LOCAL.issuer, audience: LOCAL.audience, keys, now: () => time })
}

test('a token passes the check of a gateway that has its key set', async () => {
  const { token, jwksFile, expiresAt } = await makeToken({ dir, now })
  const subject = await authenticatorFor(jwksFile)(readHeaders(['Authorization', `Bearer ${token}`]))
  assert.equal([subject.admin, subject.tier], [true, Number.POSITIVE_INFINITY])
  assert.is(expiresAt.getTime(), NOW + 3_600_000)
})

test('role, tier and lifetime are as asked', async () => {
  const { token, jwksFile } = await makeToken({ dir, role: 'user', tier: 2, expires: '2d', now })
  const headers = readHeaders(['Authorization', `Bearer ${token}`])
  const subject = await authenticatorFor(jwksFile, NOW + 172_800_000)(headers)
  assert.equal([subject.admin, subject.tier], [false, 2])
})

test('the key pair is made once, and two at the same time agree on one', async () => {
  const fresh = join(root, 'fresh')
  const [one, two] = await Promise.all([makeToken({ dir: fresh, now }), makeToken({ dir: fresh, now })])
  const third = await makeToken({ dir: fresh, now })
  for (const { token } of [one, two, third]) {
    assert.ok(await authenticatorFor(third.jwksFile)(readHeaders(['Authorization', `Bearer ${token}`])))
  }
})

test('an empty role is rejected before a key is made', async () => {
  const unmade = join(root, 'unmade')
  try {
    await makeToken({ dir: unmade, role: '', now })
    assert.unreachable()
  } catch (error) {
    assert.ok(error instanceof GatewayError && error.code === 'bad_option')
    assert.match(error.message, /^--role must name a role/)
  }
  assert.not.ok(existsSync(unmade))
})

test('the private key is for its owner alone, and not in the key set', async () => {
  const { jwksFile } = await makeToken({ dir, now })
  assert.is(statSync(join(dir, 'private-key.json')).mode & 0o777, 0o600)
  const { keys } = JSON.parse(readFileSync(jwksFile, 'utf8'))
  assert.equal(Object.keys(keys[0]).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
})

test('a folder that cannot be used, and a key file that is none, are named', async () => {
  const file = join(root, 'file')
  writeFileSync(file, '')
  const spoilt = join(root, 'fresh')
  writeFileSync(join(spoilt, 'private-key.json'), '{}')
  for (const bad of [join(file, 'below'), spoilt]) {
    try {
      await makeToken({ dir: bad, now })
      assert.unreachable()
    } catch (error) {
      assert.ok(error instanceof GatewayError && error.code === 'key_file')
    }
  }
})

test('lifetimes are a number and a unit, up to a year', () => {
  const seconds = ['30s', '15m', '1h', '2d', '365d'].map(parseLifetime)
  assert.equal(seconds, [30, 900, 3600, 172_800, 31_536_000])
  for (const text of ['', '1', 'h', '0h', '-1h', '1.5h', '1w', '366d', '1 h', '99999999999d']) {
    assert.throws(
      () => parseLifetime(text),
      (error: unknown) => error instanceof GatewayError,
    )
  }
})

test.after(remove)
test.run()
