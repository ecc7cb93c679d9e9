/** `/openapi.json` over HTTP: an ordinary endpoint, with a token, an ETag and a described answer. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { apiDocument } from '../../../gateway/routes/table.ts'
import { sampleDist, temporaryFolder } from '../../support/dist.ts'
import { testGateway } from '../../support/gateway.ts'

const ORIGIN = 'https://app.test'
const folder = temporaryFolder('openapi')
const { dist } = await sampleDist(folder.path, 200)
const gateway = await testGateway(folder.path, dist, { origins: [ORIGIN] })
const url = `${gateway.url}/api/v1/openapi.json`
const authorization = `Bearer ${gateway.token}`

test('the document is answered as it was made', async () => {
  const response = await gateway.get('/openapi.json')
  assert.equal(await response.json(), JSON.parse(JSON.stringify(apiDocument())))
  assert.is(response.headers.get('content-type'), 'application/json; charset=utf-8')
  assert.is(response.headers.get('snapshot-id'), gateway.registry.current.id)
  assert.is(response.headers.get('served-from'), 'shard')
  assert.is(response.headers.get('cache-control'), 'private, no-cache')
})

test('both codings hold the same, under an entity tag each', async () => {
  const [zipped, plain] = await Promise.all(
    ['gzip', 'identity'].map((coding) => gateway.get('/openapi.json', { 'accept-encoding': coding })),
  )
  assert.is(zipped!.headers.get('content-encoding'), 'gzip')
  assert.is(plain!.headers.get('content-encoding'), null)
  assert.is(await zipped!.text(), await plain!.text())
  assert.is(zipped!.headers.get('etag'), plain!.headers.get('etag')!.replace(/"$/, '-gz"'))
})

test('304 for who has it, and nothing in HEAD', async () => {
  const etag = (await gateway.get('/openapi.json')).headers.get('etag')!
  const same = await gateway.get('/openapi.json', { 'if-none-match': etag })
  assert.equal([same.status, await same.text(), same.headers.get('etag')], [304, '', etag])
  const head = await fetch(url, { method: 'HEAD', headers: { authorization } })
  assert.equal([head.status, await head.text(), head.headers.get('etag')], [200, '', etag])
})

test('a token is asked for, another method is refused, and so is any parameter', async () => {
  assert.is((await fetch(url)).status, 401)
  assert.is((await fetch(url, { method: 'POST', headers: { authorization } })).status, 405)
  const refused = await gateway.get('/openapi.json?pretty=1')
  assert.equal([refused.status, ((await refused.json()) as { parameter: string }).parameter], [400, 'pretty'])
})

test('a configured origin may read it, another may not', async () => {
  const mine = await gateway.get('/openapi.json', { origin: ORIGIN })
  assert.is(mine.headers.get('access-control-allow-origin'), ORIGIN)
  const other = await gateway.get('/openapi.json', { origin: 'https://evil.test' })
  assert.is(other.headers.get('access-control-allow-origin'), null)
})

test('rules 16 and 17: answers have every header that the document names for a 200', async () => {
  for (const path of ['/cves?limit=1', '/snapshot', '/openapi.json']) {
    const response = await gateway.get(path)
    const { headers } = apiDocument().paths[path.split('?')[0]!]!.get.responses[200] as { headers: object }
    for (const name of Object.keys(headers)) assert.ok(response.headers.has(name), `${path}: ${name}`)
  }
})

test('the explorer shows it, and is served without a token', async () => {
  const response = await fetch(`${gateway.url}/docs`)
  assert.equal([response.status, response.headers.get('content-type')], [200, 'text/html; charset=utf-8'])
  assert.is(response.url, `${gateway.url}/`)
  const [, script] = /<script type="module" src="([^"]+)">/.exec(await response.text())!
  const { status, headers } = await fetch(`${gateway.url}/${script}`)
  assert.equal([status, headers.get('content-type')], [200, 'text/javascript; charset=utf-8'])
})

test('a gateway without the explorer has none of its paths', async () => {
  const other = await testGateway(folder.path, dist, { explorer: false })
  try {
    for (const path of ['/', '/docs', '/icon.svg', '/assets/main.js']) {
      assert.is((await fetch(other.url + path)).status, 401, path)
      const headers = { authorization: `Bearer ${other.token}` }
      assert.is((await fetch(other.url + path, { headers })).status, 404, path)
    }
    assert.is((await fetch(`${other.url}/healthz`)).status, 200)
  } finally {
    await other.close()
  }
})

test.after(async () => {
  await gateway.close()
  folder.remove()
})

test.run()
