/** Claims by themselves, as far as no signed token can carry them through a library. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { checkLifetime, readClaims } from '../../../gateway/auth/subject.ts'

const RULES = { issuer: 'i', audience: 'a', adminClaims: ['role'] }
const CLAIMS = { iss: 'i', aud: 'a', exp: 1000 }

test('a lifetime without end is none', () => {
  for (const text of ['{"exp":1e999}', '{"exp":null}', '{"exp":[1]}', '{"nbf":-1e999}', '{"nbf":null}']) {
    assert.throws(() => readClaims({ ...CLAIMS, ...JSON.parse(text) }, RULES), /lifetime/)
  }
})

test('claims inherited from objects are no claims', () => {
  for (const path of ['constructor.name', '__proto__', 'toString']) {
    assert.is(readClaims(CLAIMS, { ...RULES, adminClaims: [path] }).subject.admin, false)
  }
})

test('tokens without a subject share one, which the log can name', () => {
  const { sub, logName } = readClaims(CLAIMS, RULES).subject
  assert.is(sub, '-')
  assert.match(logName, /^[0-9a-f]{12}$/)
})

test('a lifetime is judged to the millisecond, with 30 seconds at both ends', () => {
  const lifetime = { exp: 1000, nbf: 500 }
  checkLifetime(lifetime, 1_029_999)
  assert.throws(() => checkLifetime(lifetime, 1_030_000), /expired/)
  checkLifetime(lifetime, 470_000)
  assert.throws(() => checkLifetime(lifetime, 469_999), /not valid yet/)
})

test.run()
