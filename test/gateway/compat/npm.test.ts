/** npm's endpoints over HTTP: answers, redirects, limits. */
import { gzipSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { NpmAdvisory } from '../../../gateway/compat/npm-advisories.ts'
import { type CompatServerOptions, npmRecord, packagesOf, serveCompat, withCompat } from '../../support/compat.ts'
import { sendRaw } from '../../support/server.ts'

const PACKAGES = packagesOf([
  npmRecord('GHSA-1', 'left', '1.0.0'),
  npmRecord('GHSA-2', '@scope/right', '2.0.0'),
  npmRecord('GHSA-3', '__proto__', '2.0.0'),
])

const withServer = (options: CompatServerOptions, use: Parameters<typeof withCompat>[1]) =>
  withCompat({ packages: PACKAGES, ...options }, use)

async function message(response: Response, status: number): Promise<string> {
  assert.is(response.status, status)
  assert.is(response.headers.get('content-type'), 'application/json; charset=utf-8')
  assert.match(response.headers.get('x-request-id')!, /^\S+$/)
  const body = (await response.json()) as { message: string }
  assert.equal(Object.keys(body), ['message'])
  return body.message
}

test('answers the packages that have advisories', async () => {
  await withServer({}, async ({ bulk }) => {
    const asked = { left: ['0.9.0', '1.0.0'], '@scope/right': ['2.0.0'], unknown: ['1.0.0'], empty: [] }
    const body = (await (await bulk(asked)).json()) as Record<string, NpmAdvisory[]>
    assert.equal(Object.keys(body), ['left'])
    assert.is(body.left![0]!.url, 'https://github.com/advisories/GHSA-1')
  })
})

test('answers {} if nothing is affected', async () => {
  await withServer({}, async ({ bulk }) => {
    assert.is(await (await bulk({})).text(), '{}')
    assert.is(await (await bulk({ left: ['1.0.0'] })).text(), '{}')
  })
})

test('a package can have the name of a property of objects', async () => {
  await withServer({}, async ({ bulk }) => {
    assert.match(await (await bulk('{"__proto__":["1.0.0"]}')).text(), /^\{"__proto__":\[\{"id"/)
    assert.is(await (await bulk('{"constructor":["1.0.0"],"toString":["1.0.0"]}')).text(), '{}')
  })
})

test('a body of another shape is refused and its key named', async () => {
  await withServer({}, async ({ bulk }) => {
    for (const body of [[], 'null', '7', '"left"']) {
      assert.match(await message(await bulk(body), 400), 'must be an object')
    }
    for (const versions of ['1.0.0', null, 7, [7], [null], {}, ['1'.repeat(257)]]) {
      assert.match(await message(await bulk({ right: ['1.0.0'], left: versions }), 400), /^the value of 'left' must be/)
    }
    assert.match(await message(await bulk({ ['x'.repeat(513)]: [] }), 400), 'longer than 512 characters')
    assert.match(await message(await bulk('{"left"'), 400), 'not valid JSON')
    assert.match(await message(await bulk(''), 400), 'not valid JSON')
  })
})

test('beyond the limits is a 413', async () => {
  await withServer({}, async ({ bulk }) => {
    const names = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, ['1.0.0']]))
    const versions = (count: number) => ({ left: Array.from({ length: count }, (_, i) => `0.0.${i}`) })
    assert.is((await bulk(names(20_000))).status, 200)
    assert.match(await message(await bulk(names(20_001)), 413), 'more than 20000 members')
    assert.is((await bulk(versions(200))).status, 200)
    assert.match(await message(await bulk(versions(201)), 413), 'more than 200 members')
    assert.match(await message(await bulk({ left: [['1.0.0']] }), 413), 'more than 2 levels')
  })
})

test('spellings of a package are looked up once, and each has its own answer', async () => {
  let lookUps = 0
  const find = (ecosystem: string, name: string) => {
    lookUps++
    return PACKAGES.package(ecosystem, name)
  }
  await withServer({ packages: { ...PACKAGES, package: find } }, async ({ bulk }) => {
    const asked = { left: ['0.9.0', '0.9.0'], LEFT: ['1.0.0'], Left: ['0.1.0', '2.0.0'] }
    const body = (await (await bulk(asked)).json()) as Record<string, NpmAdvisory[]>
    assert.equal(Object.keys(body), ['left', 'Left'])
    assert.equal(body.left, body.Left)
    assert.is(lookUps, 1)
  })
})

test('comparisons and the answer of a request are bounded, whatever its body repeats', async () => {
  const spelling = (i: number) =>
    Array.from('packagename', (letter, at) => (i & (1 << at) ? letter.toUpperCase() : letter)).join('')
  const records = (count: number) =>
    packagesOf(Array.from({ length: count }, (_, i) => npmRecord(`GHSA-${i}`, 'packagename', '999.0.0')))
  const versions = (count: number) => Array.from({ length: count }, (_, i) => `${i}.0.0`)
  const asked = (spellings: number, count: number) =>
    Object.fromEntries(Array.from({ length: spellings }, (_, i) => [spelling(i), versions(count)]))
  await withServer({ packages: records(1000), limits: { rateLimit: 100 } }, async ({ bulk }) => {
    assert.is((await bulk({ packagename: Array<string>(200).fill('1.0.0') })).status, 200, 'a version is compared once')
    assert.match(await message(await bulk({ packagename: versions(200) }), 413), 'more than 400000 comparisons')
    assert.match(await message(await bulk(asked(150, 1)), 413), 'longer than 16000000 bytes')
  })
  await withServer({ packages: records(1) }, async ({ bulk }) => {
    const body = gzipSync(JSON.stringify(asked(2000, 200)))
    const headers = { 'content-encoding': 'gzip' }
    assert.match(await message(await bulk(body, { headers }), 413), 'more than 400000 comparisons')
    assert.is((await bulk(asked(500, 50))).status, 200)
  })
})

test('a request uses quota by its work, and is answered though it uses up the quota', async () => {
  const packages = packagesOf(Array.from({ length: 1000 }, (_, i) => npmRecord(`GHSA-${i}`, 'left', '0.0.1')))
  const left = (answer: Response) => Number(/r=(\d+)/.exec(answer.headers.get('ratelimit')!)![1])
  const asked = (count: number) => ({ left: Array.from({ length: count }, (_, i) => `1.0.${i}`) })
  await withServer({ packages, limits: { rateLimit: 10 } }, async ({ bulk }) => {
    assert.is(left(await bulk(asked(1))), 9)
    assert.is(left(await bulk(asked(45))), 4, '45,000 comparisons cost four units more')
    const last = await bulk(asked(100))
    assert.is(last.status, 200)
    assert.is(left(last), 0)
    assert.is((await bulk({})).status, 429)
  })
})

test('retired endpoints answer 410 with a hint', async () => {
  await withServer({}, async ({ url, token }) => {
    for (const path of ['audits', 'audits/quick']) {
      const headers = { authorization: `Bearer ${token}` }
      const answer = await fetch(`${url}/-/npm/v1/security/${path}`, { method: 'POST', body: '{"a":1}', headers })
      assert.match(await message(answer, 410), 'npm 7 or later')
    }
  })
})

/** Paths that a client or a registry could resolve to a place outside the prefix of the upstream. */
const ESCAPES = [
  ...['/../admin', '/..', '/.', '/%2e%2e/', '/.%2e/', '/%2E./admin', '/..?a', '/a/../b', '/a/%2e%2E', '/a/./b'],
  ...['/a%2f..%2F..%2fadmin', '/..%2fadmin', '/%2e%2e%2fadmin', '/%2f../admin', '/.%2f'],
  ...['/a\\..\\..\\admin', '/..\\admin', '/a%5c..%5cadmin', '/%252e%252e/admin', '/a%00', '/%2d/whoami'],
  ...['//evil.example', '/a//b', '/left/', '/a%2f', '/\xe9', '/a;b', '/..;/admin'],
]

test('package documents and tarballs are redirected to the upstream registry', async () => {
  await withServer(
    { interfaces: { npmUpstream: 'https://registry.example.com/npm/' } },
    async ({ url, port, token }) => {
      const target = async (path: string, method = 'GET') => {
        const headers = { authorization: `Bearer ${token}` }
        const answer = await fetch(url + path, { method, redirect: 'manual', headers })
        return answer.status === 307 ? answer.headers.get('location') : answer.status
      }
      const base = 'https://registry.example.com/npm'
      assert.is(await target('/left'), `${base}/left`)
      assert.is(await target('/left', 'HEAD'), `${base}/left`)
      assert.is(await target('/@scope%2fright?write=true'), `${base}/@scope%2fright?write=true`)
      assert.is(await target('/left/-/left-1.0.0.tgz'), `${base}/left/-/left-1.0.0.tgz`)
      assert.is(await target('/left/1.0.0-rc.1%2Bbuild'), `${base}/left/1.0.0-rc.1%2Bbuild`)
      assert.is(await target('/..left/...'), `${base}/..left/...`)
      for (const path of ESCAPES) {
        const raw = `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n\r\n`
        assert.match(await sendRaw(port, raw), path.includes('\xe9') ? /^HTTP\/1\.1 40[04] / : /^HTTP\/1\.1 404 /, path)
      }
      assert.is(await target('/-/whoami'), 404)
      assert.is(await target('/'), 404)
    },
  )
})

test('without an upstream registry, package documents are a 404 with the option to set', async () => {
  await withServer({ limits: { rateLimit: 2 } }, async ({ url, token, bulk }) => {
    const answer = await fetch(`${url}/left`, { headers: { authorization: `Bearer ${token}` } })
    assert.match(await message(answer, 404), '--npm-upstream')
    assert.is((await fetch(`${url}/left`)).status, 401)
    for (let i = 0; i < 2; i++) assert.is((await bulk({})).status, 200, 'package documents use no quota')
  })
})

test('an upstream that is no registry is refused', async () => {
  for (const npmUpstream of ['registry', 'file:///etc', 'https://name:secret@registry.example.com', 'https://x/?a']) {
    let refused = ''
    await serveCompat({ interfaces: { npmUpstream } }).catch(({ message }: Error) => (refused = message))
    assert.match(refused, '--npm-upstream must be')
    assert.not.match(refused, 'secret')
  }
})

test.run()
