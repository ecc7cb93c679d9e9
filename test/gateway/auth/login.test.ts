/** The login link: one use, one code, one lifetime. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { LOGIN_VARIABLE, loginRoute, takeLogin } from '../../../gateway/auth/login.ts'
import { sessionCookie } from '../../../gateway/auth/session.ts'
import { serveApp } from '../../support/server.ts'
import { adminClaims, sign, signingKey } from '../../support/tokens.ts'

const CODE = 'abcdefghijklmnopqrstuvwxyz-_0123456789'
const COOKIE = sessionCookie('session', null)
const HOUR_MS = 3_600_000
const key = await signingKey('key-1')
const BEGAN = Math.floor(Date.now() / 1000) * 1000
const token = await sign(key, adminClaims(BEGAN, { exp: (BEGAN + HOUR_MS) / 1000 }))

const test = suite('login link')

/** Runs `work` with the URL of a server that began `passedMs` ago. */
async function withLogin(work: (url: string, log: readonly object[]) => Promise<void>, passedMs = 0): Promise<void> {
  const route = loginRoute({ code: CODE, token }, COOKIE, () => BEGAN + passedMs)
  const server = await serveApp<null>({
    routes: [],
    context: () => null,
    deps: { openRoutes: [route] },
  })
  try {
    await work(`${server.url}/login/`, server.log)
  } finally {
    await server.close()
  }
}

async function ask(url: string, method = 'GET', headers: Record<string, string> = {}) {
  const response = await fetch(url, { method, headers, redirect: 'manual' })
  const text = await response.text()
  const error = response.status >= 400 && text !== '' ? (JSON.parse(text) as { error: string; message: string }) : null
  return { status: response.status, headers: response.headers, error }
}

test('the first use sets the cookie and leads to the explorer; a second one is gone', () =>
  withLogin(async (url) => {
    const { status, headers } = await ask(url + CODE)
    assert.equal([status, headers.get('location')], [303, '../'])
    assert.is(headers.get('set-cookie'), `session=${token}; Path=/; Max-Age=3600; HttpOnly; SameSite=Strict`)
    assert.equal([headers.get('cache-control'), headers.get('referrer-policy')], ['no-store', 'no-referrer'])
    const again = await ask(url + CODE)
    assert.equal([again.status, again.error!.error], [410, 'gone'])
    assert.match(again.error!.message, 'has been used, and it works only once; in the browser that used it, open the')
    assert.is(again.headers.get('set-cookie'), null)
  }))

test('another code, HEAD and POST do not use it up', () =>
  withLogin(async (url) => {
    for (const code of ['x', CODE.slice(1), `${CODE}x`, CODE.toUpperCase(), '%00', '%zz']) {
      const { status, error, headers } = await ask(url + code)
      assert.equal([status, error!.error, headers.get('set-cookie')], [404, 'not_found', null], code)
    }
    assert.is((await ask(url + CODE, 'HEAD')).status, 405)
    assert.is((await ask(url + CODE, 'POST')).status, 405)
    assert.is((await ask(url + CODE)).status, 303)
  }))

test('the log never has the code', () =>
  withLogin(async (url, log) => {
    for (const path of [CODE, `${CODE}/`, `${CODE}/x`, `${CODE}?a=1`]) await ask(url + path, 'POST')
    for (const path of [`${CODE}/x`, `${CODE}//`, CODE]) await ask(url + path)
    assert.ok(log.length > 0)
    assert.not.match(JSON.stringify(log), CODE)
  }))

test('of two uses at the same time, one wins', () =>
  withLogin(async (url) => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(url + CODE)))
    assert.equal(answers.map(({ status }) => status).sort(), [303, ...Array(7).fill(410)])
  }))

test('it expires with its token', async () => {
  await withLogin(async (url) => {
    const { headers } = await ask(url + CODE)
    assert.match(headers.get('set-cookie')!, 'Max-Age=1;')
  }, HOUR_MS - 1000)
  await withLogin(async (url) => {
    const { status, error } = await ask(url + CODE)
    assert.is(status, 410)
    assert.match(error!.message, 'has expired')
  }, HOUR_MS)
})

test('it comes from the environment, which loses it', () => {
  const env: NodeJS.ProcessEnv = { [LOGIN_VARIABLE]: `${CODE}:${token}`, OTHER: 'x' }
  assert.equal(takeLogin(env), { code: CODE, token })
  assert.equal(env, { OTHER: 'x' })
  assert.is(takeLogin(env), null)
  for (const wrong of [CODE, `${CODE}:`, `short:${token}`, `${CODE}/:${token}`]) {
    assert.throws(() => takeLogin({ [LOGIN_VARIABLE]: wrong }), /VULNSHELF_LOGIN must be <code>:<token>/)
  }
  for (const wrong of ['x', 'a.b.c']) {
    assert.throws(() => loginRoute({ code: CODE, token: wrong }, COOKIE, Date.now), 'is not a JWT')
  }
})

test.run()
