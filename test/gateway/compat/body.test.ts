/** Request bodies: bounds, codings, types, and clients that send them slowly, wrongly or not at all. */
import { connect, type Socket } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { createBodies } from '../../../gateway/compat/body.ts'
import { BODY_BOUNDS } from '../../../gateway/process/bounds.ts'
import { BULK, type CompatServerOptions, npmRecord, packagesOf, withCompat } from '../../support/compat.ts'
import { listeningWith } from '../../support/listening.ts'
import { sendRaw } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const MIB = 1024 * 1024
const ASKED = '{"left":["0.9.0"]}'

const packages = packagesOf([npmRecord('GHSA-1', 'left', '1.0.0')])
const withServer = (options: CompatServerOptions, use: Parameters<typeof withCompat>[1]) =>
  withCompat({ packages, auth: 'none', ...options }, use)

const head = (...headers: string[]) =>
  [`POST ${BULK} HTTP/1.1`, 'Host: x', 'Content-Type: application/json', ...headers, '', ''].join('\r\n')

const statusOf = (raw: string) => Number(/^HTTP\/1\.1 (\d{3}) /.exec(raw)?.[1])

const coded = (coding: string, type = 'application/json') => ({
  headers: { 'content-encoding': coding, 'content-type': type },
})

test('gzip, deflate and identity are read, other codings are a 415', async () => {
  await withServer({}, async ({ bulk }) => {
    for (const [coding, body] of [
      ['identity', Buffer.from(ASKED)],
      ['gzip', gzipSync(ASKED)],
      ['x-gzip', gzipSync(ASKED)],
      ['GZIP', gzipSync(ASKED)],
      ['gzip', Buffer.concat([gzipSync(ASKED.slice(0, 5)), gzipSync(ASKED.slice(5))])],
      ['deflate', deflateSync(ASKED)],
    ] as const) {
      const answer = await bulk(body, coded(coding))
      assert.is(answer.status, 200, coding)
      assert.match(await answer.text(), 'GHSA-1')
    }
    for (const [coding, body] of [
      ['br', brotliCompressSync(ASKED)],
      ['zstd', zstdCompressSync(ASKED)],
      ['gzip, gzip', gzipSync(gzipSync(ASKED))],
      ['compress', Buffer.from(ASKED)],
    ] as const) {
      const answer = await bulk(body, coded(coding))
      assert.is(answer.status, 415, coding)
      assert.match(await answer.text(), 'use gzip, deflate or identity')
    }
  })
})

test('bytes that are not in their coding are a 400', async () => {
  await withServer({}, async ({ bulk }) => {
    const whole = gzipSync(ASKED)
    for (const body of [ASKED, whole.subarray(0, -3), Buffer.alloc(0), whole.with(12, whole[12]! ^ 0xff)]) {
      assert.is((await bulk(Buffer.from(body), coded('gzip'))).status, 400)
    }
    assert.is((await bulk(Buffer.from(ASKED), coded('deflate'))).status, 400)
  })
})

test('other types than JSON in UTF-8 are a 415; a missing type is accepted', async () => {
  await withServer({}, async ({ bulk, port }) => {
    for (const type of ['application/json', 'Application/JSON; charset=UTF-8', 'application/json;charset="utf-8"']) {
      assert.is((await bulk(ASKED, coded('identity', type))).status, 200, type)
    }
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=utf-16',
      'json',
    ]) {
      assert.is((await bulk(ASKED, coded('identity', type))).status, 415, type)
    }
    const bare = `POST ${BULK} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${ASKED.length}\r\n\r\n${ASKED}`
    assert.is(statusOf(await sendRaw(port, bare)), 200)
  })
})

test('a body may be as long as the bound, and not longer', async () => {
  await withServer({}, async ({ bulk, port }) => {
    assert.is((await bulk(ASKED.padEnd(MIB))).status, 200)
    const answer = await bulk(ASKED.padEnd(MIB + 1))
    assert.is(answer.status, 413)
    assert.match(await answer.text(), 'longer than 1048576 bytes; split')
    const chunk = `${(MIB + 1).toString(16)}\r\n${' '.repeat(MIB + 1)}\r\n0\r\n\r\n`
    const raw = await sendRaw(port, head('Transfer-Encoding: chunked', 'Connection: close') + chunk)
    assert.is(statusOf(raw), 413, 'chunked')
  })
})

test('a client that sends far too much gets its answer', async () => {
  await withServer({}, async ({ port }) => {
    const bytes = 8 * MIB
    const raw = await sendRaw(port, head(`Content-Length: ${bytes}`, 'Connection: close') + ' '.repeat(bytes))
    assert.is(statusOf(raw), 413)
  })
})

test('a decompressed body may be 16 MiB long, and a bomb stops there', async () => {
  await withServer({}, async ({ bulk }) => {
    assert.is((await bulk(gzipSync(ASKED.padEnd(16 * MIB)), coded('gzip'))).status, 200)
    const answer = await bulk(gzipSync(ASKED.padEnd(16 * MIB + 1)), coded('gzip'))
    assert.is(answer.status, 413)
    assert.match(await answer.text(), 'after decompression')
    // 1 GB of blanks.
    const tenth = gzipSync(Buffer.alloc(100_000_000, ' '), { level: 9 })
    const bomb = Buffer.concat(Array<Buffer>(10).fill(tenth)).subarray(0, MIB)
    const before = process.memoryUsage().rss
    assert.is((await bulk(bomb, coded('gzip'))).status, 413)
    assert.ok(process.memoryUsage().rss - before < 200e6)
  })
})

test('a connection serves several requests, also after errors', async () => {
  await withServer({}, async ({ port }) => {
    const one = (body: string, more = '') => `${head(`Content-Length: ${body.length}`, ...(more ? [more] : []))}${body}`
    const raw = await sendRaw(port, one(ASKED) + one('[') + one('{}') + one(ASKED, 'Connection: close'))
    assert.equal(
      [...raw.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
      ['200', '400', '200', '200'],
    )
  })
})

/** Collects what a connection receives. */
function open(port: number, text: string): { socket: Socket; received: () => string; closed: Promise<void> } {
  const socket = connect({ host: '127.0.0.1', port })
  let out = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => (out += chunk))
  socket.on('error', () => {})
  socket.write(text)
  return { socket, received: () => out, closed: new Promise((resolve) => socket.once('close', () => resolve())) }
}

test('a client that expects a 100 gets it before its body, unless the request is rejected', async () => {
  await withServer({}, async ({ port }) => {
    const { socket, received, closed } = open(
      port,
      head('Expect: 100-continue', 'Connection: close', `Content-Length: ${ASKED.length}`),
    )
    await until(() => received() === 'HTTP/1.1 100 Continue\r\n\r\n', received)
    socket.write(ASKED)
    await closed
    assert.match(received(), /\r\n\r\nHTTP\/1\.1 200 OK/)
    const rejected = await sendRaw(port, head('Expect: 100-continue', `Content-Length: ${2 * MIB}`))
    assert.match(rejected, /^HTTP\/1\.1 413 /)
    assert.match(rejected, /connection: close/i)
    assert.match(await sendRaw(port, head('Expect: tea', 'Content-Length: 0', 'Connection: close')), /^HTTP\/1\.1 417 /)
  })
})

test('chunked bodies are read; a malformed one is a 400', async () => {
  await withServer({}, async ({ port }) => {
    const chunked = head('Transfer-Encoding: chunked', 'Connection: close')
    const parts = [...ASKED].map((character) => `1\r\n${character}\r\n`).join('')
    const raw = await sendRaw(port, `${chunked}${parts}0\r\n\r\n`)
    assert.is(statusOf(raw), 200)
    assert.is(statusOf(await sendRaw(port, `${head('Transfer-Encoding: chunked')}${parts}x\r\n`)), 400)
    assert.is(statusOf(await sendRaw(port, `${head('Transfer-Encoding: chunked', 'Content-Length: 3')}${parts}`)), 400)
  })
})

test('a body that does not arrive in time is a 408', async () => {
  await withServer({ serve: { requestTimeoutMs: 300, headersTimeoutMs: 200 } }, async ({ port }) => {
    for (const framing of ['Content-Length: 100', 'Transfer-Encoding: chunked']) {
      const raw = await sendRaw(port, `${head(framing)}5\r\n{`)
      assert.is(statusOf(raw), 408, framing)
    }
  })
})

test('a body whose client leaves gets no answer and logs no error', async () => {
  await withServer({}, async ({ port, bulk, log }) => {
    for (let i = 0; i < 20; i++) {
      const { socket } = open(port, `${head('Content-Length: 100')}{`)
      await new Promise((resolve) => setTimeout(resolve, 5))
      if (i % 2 === 0) socket.resetAndDestroy()
      else socket.destroy()
    }
    assert.is((await bulk({})).status, 200)
    assert.equal(
      log.filter(({ level }) => level !== 'info'),
      [],
    )
  })
})

test('closing answers a request whose body is still arriving', async () => {
  await withServer({}, async ({ port, close }) => {
    const { socket, received, closed } = open(port, `${head(`Content-Length: ${ASKED.length}`)}${ASKED.slice(0, 5)}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
    const stopped = close()
    socket.write(ASKED.slice(5))
    await closed
    assert.match(received(), /^HTTP\/1\.1 200 /)
    await stopped
  })
})

test('only a few bodies are in work at a time, and too many waiting bytes are a 503', async () => {
  const bodies = createBodies({ wireBytes: 100, bytes: 1000, waitingBytes: 150, shareBytes: 150, atOnce: 1 })
  let [inWork, most] = [0, 0]
  const gate = Promise.withResolvers<void>()
  const server = await listeningWith(async (_, response) => {
    try {
      await bodies.use(response, { type: 'text/plain', parse: String }, 'one', async () => {
        most = Math.max(most, ++inWork)
        await gate.promise
        inWork--
      })
      response.end('done')
    } catch (error) {
      response.statusCode = (error as { status: number }).status
      response.end()
    }
  })
  try {
    const post = async () =>
      (await fetch(server.origin, { method: 'POST', body: 'x'.repeat(40), headers: { 'content-type': 'text/plain' } }))
        .status
    const answers = [post(), post(), post()]
    await until(
      () => inWork === 1,
      () => 'no body is in work',
    )
    // Two wait for their turn: 120 bytes. One more exceeds 150.
    let refused = 0
    for (let i = 0; refused === 0 && i < 100; i++) {
      const status = await Promise.race([post(), new Promise<number>((resolve) => setTimeout(resolve, 200, 0))])
      if (status === 503) refused = status
    }
    assert.is(refused, 503)
    gate.resolve()
    assert.equal(await Promise.all(answers), [200, 200, 200])
    assert.is(most, 1)
    assert.is(await post(), 200, 'bytes are released')
  } finally {
    await server.close()
  }
})

test('unfinished bodies of one client are a 503 for it alone, and others are answered', async () => {
  const limits = { trustedProxies: ['127.0.0.1'] }
  await withServer({ limits }, async ({ port, bulk }) => {
    const part = ' '.repeat(MIB - 1)
    const from = (address: string) =>
      open(port, `${head(`Content-Length: ${MIB}`, `X-Forwarded-For: ${address}`)}${part}`)
    const flood = Array.from({ length: 66 }, () => from('192.0.2.1'))
    const refused = () => flood.filter(({ received }) => statusOf(received()) === 503).length
    await until(
      () => refused() === 66 - BODY_BOUNDS.shareBytes / MIB,
      () => `${refused()} are refused`,
    )
    assert.match(flood.map(({ received }) => received()).join(''), 'of this client')
    assert.is((await bulk(ASKED, { headers: { 'x-forwarded-for': '192.0.2.2' } })).status, 200)
    assert.is((await bulk(ASKED, { headers: { 'x-forwarded-for': '192.0.2.1' } })).status, 503)
    for (const { socket } of flood) socket.destroy()
    await until(
      async () => (await bulk(ASKED, { headers: { 'x-forwarded-for': '192.0.2.1' } })).status === 200,
      () => 'the bytes are not released',
    )
  })
})

test('clients take turns, whoever has more requests waiting', async () => {
  const bodies = createBodies({ ...BODY_BOUNDS, atOnce: 1 })
  const order: string[] = []
  const waiting: (() => void)[] = []
  let arrived = 0
  const server = await listeningWith(async (request, response) => {
    const [, sharer] = request.url!.split('/')
    request.once('end', () => arrived++)
    await bodies.use(response, { type: 'text/plain', parse: String }, sharer!, async () => {
      order.push(sharer!)
      await new Promise<void>((resolve) => waiting.push(resolve))
    })
    response.end()
  })
  try {
    const answers: Promise<Response>[] = []
    for (const sharer of ['many', 'many', 'many', 'many', 'one', 'other']) {
      const headers = { 'content-type': 'text/plain' }
      answers.push(fetch(`${server.origin}/${sharer}`, { method: 'POST', body: 'x', headers }))
      await until(
        () => arrived === answers.length,
        () => `${arrived} bodies`,
      )
    }
    for (let done = 1; done <= answers.length; done++) {
      await until(
        () => waiting.length > 0,
        () => `${done} are not in work`,
      )
      waiting.shift()!()
    }
    await Promise.all(answers)
    assert.equal(order, ['many', 'many', 'one', 'other', 'many', 'many'])
  } finally {
    await server.close()
  }
})

test.run()
