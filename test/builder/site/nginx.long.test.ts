/** A site behind nginx, with the example's configuration: the page, its assets, and a reader that reads by ranges. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { request } from 'undici'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { writeSite } from '../../../builder/site/site.ts'
import { noProgress } from '../../../corpus/command/progress.ts'
import { PAGE_POLICY } from '../../../corpus/explorer/explorer.ts'
import { openReader } from '../../../corpus/reader/reader.ts'
import { manifestName, objectName, readCurrent } from '../../../corpus/snapshot/files/layout.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { needs } from '../../support/needs.ts'
import { startNginx } from '../../support/nginx.ts'
import { openWorld } from '../../support/publisher.ts'
import { sharedSample } from '../../support/samples.ts'

needs('nginx')

const EXAMPLE = readFileSync(join(import.meta.dirname, '../../examples/nginx-site.conf'), 'utf8')
const IMMUTABLE = 'public, max-age=31536000, immutable'
const folder = temporaryFolder('site-nginx')
const root = join(folder.path, 'site')
const { dist } = await sharedSample('small')
const world = openWorld()
await writeSite({ dist, out: root }, world.effects, noProgress)
const nginx = await startNginx(join(folder.path, 'nginx'), (port) => {
  const changed = EXAMPLE.replace('listen 80;', `listen 127.0.0.1:${port};`).replace(
    'root /srv/vulnshelf;',
    `root ${root};`,
  )
  assert.ok(changed.includes(root) && changed.includes(`:${port};`))
  return `access_log ${join(folder.path, 'access.log')};\n${changed}`
})
const url = `http://127.0.0.1:${nginx.port}/`
const test = suite('a site behind nginx')
test.after(async () => {
  await nginx.stop()
  await world.close()
  folder.remove()
})

async function ask(path: string, headers: Record<string, string> = {}) {
  const response = await request(url + path, { headers })
  const body = Buffer.from(await response.body.arrayBuffer())
  return { status: response.statusCode, headers: response.headers, body }
}

test('the header has the policy of the page, and forbids frames; the page is compressed before it is asked for', async () => {
  const { status, headers, body } = await ask('')
  assert.equal([status, headers['content-type']], [200, 'text/html; charset=utf-8'])
  assert.is(headers['cache-control'], 'no-cache')
  assert.is(headers['content-security-policy'], `${PAGE_POLICY}; frame-ancestors 'none'`)
  assert.is(headers['x-content-type-options'], 'nosniff')
  const zipped = await ask('', { 'accept-encoding': 'gzip' })
  assert.equal([zipped.headers['content-encoding'], zipped.headers.vary], ['gzip', 'Accept-Encoding'])
  assert.equal(gunzipSync(zipped.body), body)
  const known = await ask('', { 'if-none-match': String(headers.etag) })
  assert.is(known.status, 304)
  for (const [, path] of body.toString().matchAll(/(?:src|href)="([^"]+)"/g)) {
    const file = await ask(path!, { 'accept-encoding': 'gzip' })
    assert.equal([file.status, file.headers['content-encoding']], [200, 'gzip'], path)
    assert.is(file.headers['cache-control'], path!.startsWith('assets/') ? IMMUTABLE : 'no-cache')
    const plain = readFileSync(join(root, path!))
    assert.equal(gunzipSync(file.body), plain)
    assert.equal((await ask(path!)).body, plain)
  }
  const types = {
    'icon.svg': 'image/svg+xml',
    'favicon.ico': 'image/x-icon',
    'robots.txt': 'text/plain; charset=utf-8',
    'openapi.json': 'application/json',
  }
  for (const [path, type] of Object.entries(types)) assert.is((await ask(path)).headers['content-type'], type)
})

test('the snapshot is compressed as a whole, as it was stored by ranges, and a reader reads it', async () => {
  const { pointer, manifest } = readCurrent(root)
  const { sha256, size } = manifest.files.toSorted((a, b) => b.size - a.size)[0]!
  for (const [path, type, caching, encoding] of [
    ['latest.json', 'application/json', 'no-cache', undefined],
    [manifestName(pointer.manifest.sha256), 'application/json', IMMUTABLE, 'gzip'],
    [objectName(sha256), 'application/octet-stream', IMMUTABLE, 'gzip'],
  ] as const) {
    const { status, headers } = await ask(path, { 'accept-encoding': 'gzip' })
    const told = ['content-type', 'cache-control', 'content-encoding'].map((name) => headers[name])
    assert.equal([status, ...told], [200, type, caching, encoding], path)
  }
  for (const encoding of ['identity', 'gzip']) {
    const { status, headers } = await ask(objectName(sha256), { range: 'bytes=10-', 'accept-encoding': encoding })
    const part = [status, headers['content-range'], headers['content-encoding']]
    assert.equal(part, [206, `bytes 10-${size - 1}/${size}`, undefined], encoding)
  }
  const reader = await openReader(url)
  const { data } = await reader.list({ limit: 3 })
  assert.is(data.length, 3)
  assert.is((await reader.get(data[0]!.cve_id))!.cve_id, data[0]!.cve_id)
  await reader.close()
})

test('files of a writer are not there', async () => {
  for (const path of ['lock', 'publishing/x', 'tmp/x', 'index.html.gz', 'objects/../lock', 'static.html']) {
    assert.is((await ask(path)).status, 404, path)
  }
})

test.run()
