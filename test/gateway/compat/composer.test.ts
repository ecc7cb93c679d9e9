/** The endpoints of a Composer repository over HTTP: answers, URLs, limits. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { ComposerAdvisory } from '../../../gateway/compat/composer-advisories.ts'
import {
  COMPOSER_API,
  type CompatServer,
  type CompatServerOptions,
  npmRecord,
  packagesOf,
  packagistRecord,
  withCompat,
} from '../../support/compat.ts'
import { sendRaw } from '../../support/server.ts'

const PACKAGES = packagesOf([
  packagistRecord('GHSA-1', 'acme/lib', [{ introduced: '0' }, { fixed: '1.2.0' }]),
  packagistRecord('GHSA-2', 'Acme/Other', [{ introduced: '2.0.0' }]),
  packagistRecord('GHSA-3', '__proto__', [{ introduced: '0' }]),
  packagistRecord('GHSA-4', 'acme/undecided', [{ introduced: 'first' }]),
  npmRecord('GHSA-5', 'left', '1.0.0'),
])

type Ask = (body: string | Uint8Array<ArrayBuffer> | null, init?: RequestInit & { query?: string }) => Promise<Response>
type Use = (ask: Ask, server: CompatServer) => Promise<void>

async function withServer(options: CompatServerOptions, use: Use): Promise<void> {
  const interfaces = { compat: ['composer'], ...options.interfaces }
  await withCompat({ packages: PACKAGES, ...options, interfaces }, (server) => {
    const ask: Ask = (body, { query = '', headers, ...init } = {}) => {
      const type = body === null ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
      const method = body === null ? 'GET' : 'POST'
      const all = { ...server.bearer, ...type, ...headers }
      return fetch(server.url + COMPOSER_API + query, { method, body, ...init, headers: all })
    }
    return use(ask, server)
  })
}

async function message(response: Response, status: number): Promise<string> {
  assert.is(response.status, status)
  assert.is(response.headers.get('content-type'), 'application/json')
  const body = (await response.json()) as { status: string; message: string; warning?: string }
  assert.is(body.status, 'error')
  if (status !== 404) assert.is(body.warning, body.message, 'Composer prints the warning')
  return body.message
}

async function advisories(response: Response): Promise<Record<string, ComposerAdvisory[]>> {
  assert.is(response.status, 200)
  return ((await response.json()) as { advisories: Record<string, ComposerAdvisory[]> }).advisories
}

test('answers the advisories of the packages, for a form and for a query', async () => {
  await withServer({}, async (ask) => {
    const form = 'packages%5B0%5D=acme%2Flib&packages%5B1%5D=acme%2Funknown&packages%5B2%5D=left'
    const text = await (await ask(form)).text()
    const found = await advisories(new Response(text))
    assert.equal(Object.keys(found), ['acme/lib'])
    assert.equal(
      found['acme/lib']!.map(({ advisoryId, affectedVersions }) => [advisoryId, affectedVersions]),
      [['GHSA-1', '<1.2.0-stable']],
    )
    assert.is(await (await ask(null, { query: `?${form}` })).text(), text)
    assert.is(await (await ask(null, { query: '?packages[]=acme/lib' })).text(), text)
    const head = await ask(null, { method: 'HEAD', query: '?packages[]=acme/lib' })
    assert.equal([head.status, await head.text()], [200, ''])
  })
})

test('names are those of Composer, in lower case, and each is answered once', async () => {
  await withServer({}, async (ask) => {
    const found = await advisories(await ask('packages[]=ACME/Other&packages[]=acme/other&packages[a]=__proto__'))
    assert.equal(Object.keys(found), ['acme/other', '__proto__'])
    assert.is(found['acme/other']![0]!.packageName, 'Acme/Other')
  })
})

test('answers an empty object if nothing is known, or nothing can be stated', async () => {
  await withServer({}, async (ask) => {
    const empty = '{"advisories":{}}'
    assert.is(await (await ask('packages[]=acme/unknown')).text(), empty)
    assert.is(await (await ask('packages[]=acme/undecided')).text(), empty)
    assert.is(await (await ask('packages[]=')).text(), empty)
  })
})

test('updatedSince selects what has changed, and requires packages', async () => {
  await withServer({}, async (ask) => {
    const modified = Date.parse('2024-03-04T05:06:07Z') / 1000
    const count = async (seconds: number) =>
      Object.keys(await advisories(await ask(`packages[]=acme/lib&updatedSince=${seconds}`))).length
    assert.is(await count(modified), 1)
    assert.is(await count(modified + 1), 0)
    assert.is(await count(0), 1)
    const query = `?updatedSince=${modified}&packages[]=acme/lib`
    assert.is(Object.keys(await advisories(await ask(null, { query }))).length, 1)
    assert.match(await message(await ask(`updatedSince=${modified}`), 400), 'must name packages')
    assert.match(await message(await ask(null, { query: '?updatedSince=0' }), 400), 'must name packages')
    for (const text of ['yesterday', '-1', '1.5', '', '1e9']) {
      assert.match(await message(await ask(`packages[]=acme/lib&updatedSince=${text}`), 400), 'must be a Unix time')
    }
  })
})

test('a body of another shape is refused', async () => {
  await withServer({}, async (ask) => {
    for (const form of ['', 'packages=acme/lib', 'package[]=acme/lib', '{"packages":["acme/lib"]}']) {
      assert.match(await message(await ask(form), 400), 'packages[]=vendor/name')
    }
    assert.match(await message(await ask('packages[]=%zz'), 400), 'percent-encoded')
    assert.match(await message(await ask(`packages[]=${'x'.repeat(513)}`), 400), 'longer than 512')
    const json = { 'content-type': 'application/json' }
    assert.match(await message(await ask('{}', { headers: json }), 415), 'x-www-form-urlencoded')
  })
})

test('beyond the limits is a 413', async () => {
  await withServer({}, async (ask) => {
    const names = (count: number) => Array.from({ length: count }, (_, i) => `packages[${i}]=a/p${i}`).join('&')
    assert.is((await ask(names(20_000))).status, 200)
    assert.match(await message(await ask(names(20_001)), 413), 'more than 20000 packages')
    assert.match(await message(await ask(names(30_000)), 413), 'more than 20010 fields')
  })
})

test('packages.json leads to the advisories at the URL that the client used', async () => {
  const trustedProxies = ['127.0.0.1']
  const apiOf = async ({ url, token }: CompatServer, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${url}/packages.json`, { headers: { authorization: `Bearer ${token}`, ...headers } })
    assert.is(answer.status, 200)
    const { 'security-advisories': own, ...rest } = (await answer.json()) as Record<string, Record<string, unknown>>
    assert.equal(rest, { packages: [], 'metadata-url': '/p2/%package%.json' })
    assert.is(own!.metadata, false)
    return own!['api-url']
  }
  const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'audit.example.com' }
  await withServer({}, async (_, server) => {
    assert.is(await apiOf(server), server.url + COMPOSER_API)
    assert.is(await apiOf(server, forwarded), server.url + COMPOSER_API, 'of a client that is no proxy')
    const raw = `GET /packages.json HTTP/1.1\r\nHost: audit.local:99\r\nConnection: close\r\nAuthorization: Bearer ${server.token}\r\n\r\n`
    assert.match(await sendRaw(server.port, raw), `"api-url":"http://audit.local:99${COMPOSER_API}"`)
  })
  await withServer({ limits: { trustedProxies } }, async (_, server) => {
    assert.is(await apiOf(server, forwarded), `https://audit.example.com${COMPOSER_API}`)
    assert.is(await apiOf(server), server.url + COMPOSER_API)
  })
})

test('documents of packages are a 404 that uses no quota and shows no warning', async () => {
  await withServer({ limits: { rateLimit: 2 } }, async (ask, { url, token }) => {
    for (let i = 0; i < 2; i++) {
      const answer = await fetch(`${url}/p2/acme/lib.json`, { headers: { authorization: `Bearer ${token}` } })
      assert.is(answer.status, 404)
      assert.equal(Object.keys((await answer.json()) as object), ['status', 'message'])
    }
    for (let i = 0; i < 2; i++) assert.is((await ask('packages[]=acme/lib')).status, 200)
    assert.match(await message(await ask('packages[]=acme/lib'), 429), 'retry in')
  })
})

test('npm and Composer share the port', async () => {
  const interfaces = { compat: ['npm', 'composer'], npmUpstream: 'https://registry.example.com' }
  await withServer({ interfaces }, async (ask, { bulk, url, token }) => {
    assert.equal(Object.keys(await advisories(await ask('packages[]=acme/lib'))), ['acme/lib'])
    assert.match(await (await bulk({ left: ['0.9.0'] })).text(), 'GHSA-5')
    const statusOf = async (path: string) =>
      (await fetch(url + path, { redirect: 'manual', headers: { authorization: `Bearer ${token}` } })).status
    assert.equal(
      [await statusOf('/packages.json'), await statusOf('/p2/acme/lib.json'), await statusOf('/left')],
      [200, 404, 307],
    )
  })
})

test.run()
