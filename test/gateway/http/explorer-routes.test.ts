/** The explorer over HTTP: headers, codings, conditional requests, and what is not there. */
import { gunzipSync } from 'node:zlib'
import { request } from 'undici'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Explorer } from '../../../corpus/explorer/explorer.ts'
import { explorerRoutes } from '../../../gateway/http/explorer-routes.ts'
import { parseRaw, sendRaw, serveApp } from '../../support/server.ts'

const PAGE = '<!doctype html><title>page</title>'
const explorer: Explorer = {
  files: new Map(
    Object.entries({
      'assets/main-ABC.js': 'export const one = 1',
      'assets/main-ABC.css': 'p { color: red }',
      'icon.svg': '<svg/>',
      'favicon.ico': 'icon',
      'robots.txt': 'User-agent: *\n',
      'LICENSES.txt': 'MIT',
    }).map(([path, text]) => [path, Buffer.from(text)]),
  ),
  page: (mode) => Buffer.from(`${PAGE}${mode}`),
}
let opened = 0
let fault: Error | null = null
const open = async () => {
  opened++
  if (fault) throw fault
  return explorer
}
const server = await serveApp<null>({
  routes: [],
  context: () => null,
  deps: { openRoutes: explorerRoutes(open) },
})

/** undici's `request` leaves bodies as they are on the wire. */
async function ask(path: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' | 'POST' = 'GET') {
  const response = await request(`${server.url}${path}`, { method, headers })
  return {
    status: response.statusCode,
    headers: response.headers,
    body: Buffer.from(await response.body.arrayBuffer()),
  }
}

const test = suite('explorer routes')

test('a fault of the bundle is a 500 without details, in the log, and the next request tries again', async () => {
  assert.is(opened, 0, 'a start opens nothing')
  fault = new Error('main.tsx: secret detail')
  const { status, body } = await ask('/')
  assert.is(status, 500)
  assert.equal(JSON.parse(body.toString()), { error: 'internal', message: 'internal error' })
  assert.is((server.log.at(-1)!.err as Error).message, 'main.tsx: secret detail')
  fault = null
  assert.is((await ask('/')).status, 200)
  assert.is((await ask('/icon.svg')).status, 200)
  assert.is(opened, 2)
})

test('the page needs no token, is checked at each load, and allows nothing of other hosts', async () => {
  const { status, headers, body } = await ask('/')
  assert.is(status, 200)
  assert.is(body.toString(), `${PAGE}gateway`)
  assert.is(headers['content-type'], 'text/html; charset=utf-8')
  assert.is(headers['cache-control'], 'no-cache')
  const policy = String(headers['content-security-policy']).split('; ')
  for (const directive of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"]) {
    assert.ok(policy.includes(directive), directive)
  }
  assert.not.match(policy.join(), /unsafe|https?:|\*/)
  assert.is(headers['x-content-type-options'], 'nosniff')
  assert.is(headers['referrer-policy'], 'no-referrer')
  assert.is(headers['cross-origin-opener-policy'], 'same-origin')
})

test('assets never change, other files are checked at each load', async () => {
  const types: Record<string, string> = {
    '/assets/main-ABC.js': 'text/javascript; charset=utf-8',
    '/assets/main-ABC.css': 'text/css; charset=utf-8',
    '/icon.svg': 'image/svg+xml',
    '/favicon.ico': 'image/x-icon',
    '/robots.txt': 'text/plain; charset=utf-8',
    '/LICENSES.txt': 'text/plain; charset=utf-8',
  }
  for (const [path, type] of Object.entries(types)) {
    const { status, headers, body } = await ask(path)
    assert.equal([status, headers['content-type']], [200, type], path)
    assert.equal(body, explorer.files.get(path.slice(1)))
    const caching = path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'
    assert.is(headers['cache-control'], caching, path)
    assert.is(headers['x-content-type-options'], 'nosniff')
  }
})

test('text is gzip if the client accepts it; each coding has its tag; either tag gives 304', async () => {
  for (const path of ['/', '/assets/main-ABC.js']) {
    const plain = await ask(path)
    const zipped = await ask(path, { 'accept-encoding': 'gzip' })
    assert.equal([plain.headers['content-encoding'], zipped.headers['content-encoding']], [undefined, 'gzip'])
    assert.equal(gunzipSync(zipped.body), plain.body)
    assert.is(plain.headers.vary, 'Accept-Encoding')
    const tag = String(plain.headers.etag)
    assert.is(zipped.headers.etag, tag.replace(/"$/, '-gz"'))
    for (const known of [tag, String(zipped.headers.etag), `W/${tag}`, `"x", ${tag}`, '*']) {
      const { status, headers, body } = await ask(path, { 'if-none-match': known })
      assert.equal([status, headers.etag, body.length], [304, tag, 0], known)
      assert.is(headers['content-length'], undefined)
    }
    assert.is((await ask(path, { 'if-none-match': '"x"' })).status, 200)
  }
  assert.is((await ask('/favicon.ico', { 'accept-encoding': 'gzip' })).headers['content-encoding'], undefined)
})

test('HEAD has the headers alone; other methods are refused without a token', async () => {
  for (const path of ['/', '/assets/main-ABC.js', '/robots.txt', '/docs']) {
    const get = await ask(path)
    const { status, headers, body } = await ask(path, {}, 'HEAD')
    assert.equal([status, headers.etag, body.length], [get.status, get.headers.etag, 0], path)
    assert.is(headers['content-length'], get.headers['content-length'])
    const post = await ask(path, {}, 'POST')
    assert.equal([post.status, post.headers.allow], [405, 'GET, HEAD'], path)
  }
})

test('an unknown file is a 404, and no path leaves the explorer', async () => {
  const authorization = `Bearer ${server.token}`
  for (const path of [
    '/assets/main-XYZ.js',
    '/assets/__proto__',
    '/assets/..%2ficon.svg',
    '/assets/%2e%2e%2f%2e%2e%2fpackage.json',
    '/assets/..',
    '/assets/%00',
    '/assets/%zz',
    '/assets/../../package.json',
    '/assets/',
    '/index.html',
    '/static.html',
  ]) {
    const raw = await sendRaw(
      server.port,
      `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nConnection: close\r\n\r\n`,
    )
    assert.is(parseRaw(raw).status, 404, path)
  }
})

test('/docs leads to the reference, below a folder of a proxy too', async () => {
  for (const [path, location] of [
    ['/docs?x=1', './#/api'],
    ['/docs/', '../#/api'],
  ] as const) {
    const { status, headers } = await ask(path)
    assert.equal([status, headers.location], [302, location], path)
  }
})

test.after(() => server.close())
test.run()
