/** What goes over the wire for one answer: codings, entity tags, conditional requests, HEAD (rule 17). */
import { gunzipSync } from 'node:zlib'
import { request } from 'undici'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { jsonAnswer } from '../../../corpus/answers/answer.ts'
import { defineRoute } from '../../../corpus/answers/route.ts'
import { type EncodedAnswer, encoded } from '../../../gateway/http/encoded-answer.ts'
import { acceptsGzip, namesContent } from '../../../gateway/http/reply.ts'
import { serveApp } from '../../support/server.ts'

let made: string[] = []
const BODY = { data: ['one', 'two'], pagination: { limit: 25, next_cursor: null } }
const plain = jsonAnswer(BODY, 'merge', 'snapshot-7')
const answer = encoded(plain)
const watched: EncodedAnswer = {
  ...answer,
  gzip: () => {
    made.push('gzip')
    return answer.gzip()
  },
  identity: () => {
    made.push('identity')
    return answer.identity()
  },
}
const server = await serveApp({
  routes: [
    defineRoute({
      name: 'list',
      path: '/list',
      summary: 'A list',
      description: 'A route of the test',
      params: { path: {}, query: {} },
      answer: z.object({}),
      *handle(_context: null) {
        return plain
      },
    }),
  ],
  context: () => null,
  deps: { answer: () => watched },
})

/** undici's `request` leaves bodies as they come, where `fetch` would unpack them. */
async function get(headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') {
  made = []
  const authorization = `Bearer ${server.token}`
  const response = await request(`${server.url}/api/v1/list`, { method, headers: { authorization, ...headers } })
  return {
    status: response.statusCode,
    headers: response.headers,
    body: Buffer.from(await response.body.arrayBuffer()),
  }
}

const wire = suite('answers')

wire('gzip where it is accepted, with exactly the headers of rules 16 and 17', async () => {
  const { status, headers, body } = await get({ 'accept-encoding': 'gzip, br' })
  assert.is(status, 200)
  assert.equal(JSON.parse(gunzipSync(body).toString()), BODY)
  const { date, connection, 'keep-alive': keepAlive, ratelimit, 'x-request-id': id, ...ours } = headers
  assert.match(String(id), /^[0-9a-f]{12}-[0-9a-z]+$/)
  assert.match(String(ratelimit), /^"default";r=\d+;t=\d+$/)
  assert.equal(ours, {
    'content-type': 'application/json; charset=utf-8',
    'content-encoding': 'gzip',
    'content-length': String(body.length),
    'x-content-type-options': 'nosniff',
    vary: 'Accept-Encoding',
    etag: `"${answer.tag}-gz"`,
    'cache-control': 'private, no-cache',
    'snapshot-id': 'snapshot-7',
    'served-from': 'merge',
    'ratelimit-policy': '"default";q=600;w=60',
  })
  assert.equal(made, ['gzip'])
})

wire('identity where gzip is not accepted', async () => {
  for (const encoding of [{}, { 'accept-encoding': 'br' }, { 'accept-encoding': 'gzip;q=0, identity;q=0' }]) {
    const { headers, body } = await get(encoding)
    assert.is(headers['content-encoding'], undefined)
    assert.is(headers.etag, `"${answer.tag}"`)
    assert.is(headers['content-length'], String(body.length))
    assert.is(headers.vary, 'Accept-Encoding')
    assert.equal(JSON.parse(body.toString()), BODY)
    assert.equal(made, ['identity'])
  }
})

wire('HEAD has the headers of GET and no body', async () => {
  for (const encoding of ['gzip', 'identity']) {
    const full = await get({ 'accept-encoding': encoding })
    const head = await get({ 'accept-encoding': encoding }, 'HEAD')
    assert.is(head.body.length, 0)
    for (const name of ['content-type', 'content-length', 'content-encoding', 'etag', 'vary', 'served-from']) {
      assert.is(head.headers[name], full.headers[name], name)
    }
  }
})

wire('If-None-Match with either tag is 304, without making the body', async () => {
  const { tag } = answer
  for (const value of [`"${tag}"`, `"${tag}-gz"`, `W/"${tag}"`, `"x", "${tag}"`, '*', ' * ']) {
    for (const method of ['GET', 'HEAD'] as const) {
      const { status, headers, body } = await get({ 'accept-encoding': 'gzip', 'if-none-match': value }, method)
      assert.is(status, 304, value)
      assert.is(body.length, 0)
      assert.is(headers.etag, `"${tag}-gz"`)
      assert.is(headers['content-type'], undefined)
      assert.is(headers['snapshot-id'], 'snapshot-7')
      assert.is(headers['cache-control'], 'private, no-cache')
      assert.equal(made, [])
    }
  }
})

wire('If-None-Match with another tag is 200', async () => {
  for (const value of ['"other"', `"${answer.tag}-br"`, answer.tag, `"x${answer.tag}"`, '']) {
    assert.is((await get({ 'if-none-match': value })).status, 200, value)
  }
})

wire('a matching tag without a token is 401', async () => {
  assert.is((await get({ 'if-none-match': '*', authorization: 'Bearer rubbish' })).status, 401)
})

wire('a Range header changes nothing', async () => {
  const { status, headers } = await get({ range: 'bytes=0-3' })
  assert.equal([status, headers['accept-ranges'], headers['content-range']], [200, undefined, undefined])
})

wire('errors are plain JSON with the same caching headers', async () => {
  const response = await request(`${server.url}/api/v1/list?x=1`, {
    headers: { authorization: `Bearer ${server.token}`, 'accept-encoding': 'gzip' },
  })
  const text = await response.body.text()
  assert.is(response.statusCode, 400)
  assert.is(response.headers['content-length'], String(Buffer.byteLength(text)))
  assert.is(response.headers['cache-control'], 'private, no-cache')
  assert.is(response.headers['x-content-type-options'], 'nosniff')
  assert.is(response.headers.etag, undefined)
  assert.is(JSON.parse(text).parameter, 'x')
})

wire('HEAD of an error has no body', async () => {
  const { statusCode, body } = await request(`${server.url}/api/v1/nothing`, { method: 'HEAD' })
  assert.equal([statusCode, await body.text()], [401, ''])
})

wire.after(() => server.close())
wire.run()

const negotiation = suite('negotiation')

negotiation('weights decide', () => {
  const ACCEPTS: [string | undefined, boolean][] = [
    [undefined, false],
    ['', false],
    ['gzip', true],
    ['GZIP', true],
    ['x-gzip', true],
    ['deflate, gzip, br, zstd', true],
    ['gzip;q=0', false],
    ['gzip; q=0.000', false],
    ['gzip;q=0.001', true],
    ['gzip ; q=0.5', true],
    ['*', true],
    ['*;q=0', false],
    ['gzip;q=0, *', false],
    ['br, *;q=0.1', true],
    ['identity', false],
    ['identity;q=0', false],
    ['identity, gzip;q=0.5', false],
    ['identity;q=0.5, gzip', true],
    ['identity, gzip', true],
    ['gzip;q=rubbish', false],
    ['gzip;q=1.5', false],
    ['gzipped', false],
  ]
  for (const [value, expected] of ACCEPTS) assert.is(acceptsGzip(value), expected, String(value))
})

negotiation('commas within a tag do not part it', () => {
  assert.is(namesContent('"a,b", "c"', 'a,b'), true)
  assert.is(namesContent('"a,b"', 'b'), false)
})

negotiation.run()
