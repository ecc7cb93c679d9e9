/** Requests that come one behind the other on a connection, without waiting for answers. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { WAITING_BYTES, WAITING_REQUESTS } from '../../../gateway/process/bounds.ts'
import { startServer } from '../../../gateway/process/serve.ts'
import { sendRaw } from '../../support/server.ts'

/** What takes longer never happens. */
const BOUND_MS = 10_000

const ask = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`

test('each is answered, in order, and one at a time', async () => {
  const COUNT = WAITING_REQUESTS
  let under = 0
  let most = 0
  const server = await startServer(
    async (request, response) => {
      most = Math.max(most, ++under)
      await new Promise((resolve) => setImmediate(resolve))
      response.end(`<${request.url}>`, () => under--)
    },
    { port: 0 },
  )
  const paths = Array.from({ length: COUNT }, (_, i) => `/${i}`)
  const received = await sendRaw(
    server.port,
    `${paths.map((path) => ask(path)).join('')}${ask('/end', 'Connection: close\r\n')}`,
  )
  const answered = [...received.matchAll(/<([^>]+)>/g)].map(([, path]) => path)
  assert.equal(answered, [...paths, '/end'])
  assert.is(most, 1)
  await server.close()
})

test('a connection closes after a request of HTTP/1.0 with Transfer-Encoding, whether its body is read or not', async () => {
  for (const readsBodies of [true, false]) {
    const server = await startServer(
      (request, response) => {
        request.resume()
        // Without a length, Node closes every connection of HTTP/1.0.
        response.writeHead(200, { 'Content-Length': request.url!.length }).end(request.url)
      },
      { port: 0, readsBodies, keepAliveMs: 500 },
    )
    for (const method of ['GET', 'POST']) {
      const head = `${method} /first HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n`
      const received = await sendRaw(server.port, `${head}0\r\n\r\n${ask('/second', 'Connection: close\r\n')}`)
      assert.match(received, /\/first$/)
      assert.match(received, /^Connection: close\r$/m)
    }
    await server.close()
  }
})

test('answers do not pile up for a client that reads none of them', async () => {
  const ANSWER = Buffer.alloc(10_000_000)
  let handed = 0
  let cutOff = () => {}
  const cut = new Promise<void>((resolve) => {
    cutOff = resolve
  })
  const server = await startServer(
    (request, response) => {
      handed++
      request.socket.once('close', cutOff)
      response.end(ANSWER)
    },
    { port: 0, answerMs: 50 },
  )
  const socket = connect({ host: '127.0.0.1', port: server.port }, () => socket.write(ask('/').repeat(50)))
  socket.pause()
  await cut
  assert.is(handed, 1)
  socket.destroy()
  await server.close()
})

test('what waits behind an answer that is cut off is not looked at', async () => {
  const asked: string[] = []
  const server = await startServer(
    (request, response) => {
      asked.push(request.url!)
      response.writeHead(200, { 'Content-Length': 10 })
      response.write('half')
      setImmediate(() => response.destroy())
    },
    { port: 0 },
  )
  assert.match(await sendRaw(server.port, ask('/first') + ask('/second')), /half$/)
  assert.equal(asked, ['/first'])
  await server.close()
})

/** Requests that Node creates, whether the listener gets them or not. */
async function created(run: () => Promise<void>): Promise<number> {
  let count = 0
  const onStart = () => count++
  subscribe('http.server.request.start', onStart)
  try {
    await run()
  } finally {
    unsubscribe('http.server.request.start', onStart)
  }
  return count
}

/** Sends requests and reads nothing. Returns the paths that the listener got until the server closed the connection. */
async function flood(text: string): Promise<string[]> {
  const handed: string[] = []
  let isClosed = false
  const server = await startServer(
    (request) => {
      handed.push(request.url!)
      request.socket.once('close', () => {
        isClosed = true
      })
    },
    { port: 0, drainMs: 100 },
  )
  const socket = connect({ host: '127.0.0.1', port: server.port }, () => socket.write(text))
  socket.on('error', () => {})
  socket.pause()
  await once(socket, 'connect')
  const end = performance.now() + BOUND_MS
  while (!isClosed && performance.now() < end) await sleep(10)
  socket.destroy()
  await server.close()
  assert.ok(isClosed, 'the connection stays open')
  return handed
}

test('a connection on which too many requests wait is closed, and the rest of them is not even created', async () => {
  const count = await created(async () => {
    assert.equal(await flood('GET / HTTP/1.1\r\n\r\n'.repeat(3500)), ['/'])
  })
  assert.is(count, 1 + WAITING_REQUESTS + 1)
})

test('a connection on which requests with long or many headers wait is closed', async () => {
  for (const [headers, least] of [
    [`X: ${'x'.repeat(14_000)}\r\n`, 14_000],
    ['X:\r\n'.repeat(250), 2 * 250 * 20],
  ] as const) {
    const count = await created(async () => {
      assert.equal(await flood(ask('/', headers).repeat(WAITING_REQUESTS)), ['/'])
    })
    const most = 2 + WAITING_BYTES / least
    assert.ok(count > 2 && count <= most, `${count} requests, not ${most}`)
  }
})

test('behind an answer that closes the connection no request is answered or created', async () => {
  const handed: string[] = []
  const server = await startServer(
    (request, response) => {
      handed.push(request.url!)
      setImmediate(() => response.end('a'))
    },
    { port: 0 },
  )
  const head = 'POST /first HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc'
  const count = await created(async () => {
    const received = await sendRaw(server.port, head + ask('/next').repeat(1000))
    assert.match(received, /\r\nConnection: close\r\n(?:.+\r\n)*\r\na$/)
  })
  assert.equal([count, handed], [2, ['/first']])
  await server.close()
})

/** A server whose answer to `/slow` comes when everything that was sent with it has been read. */
const slowServer = (handed: string[] = []) =>
  startServer(
    (request, response) => {
      handed.push(request.url!)
      if (request.url === '/slow') setTimeout(() => response.end('slow'), 20)
      else response.end('fast')
    },
    { port: 0 },
  )

const statuses = (received: string) => [...received.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status))

test('an error comes after the answers to the requests before it', async () => {
  const server = await slowServer()
  for (const [text, error] of [
    ['rubbish\r\n\r\n', 400],
    ['CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n', 405],
    [ask('/', `X: ${'x'.repeat(17_000)}\r\n`), 431],
  ] as const) {
    assert.equal(statuses(await sendRaw(server.port, ask('/fast') + ask('/slow') + text)), [200, 200, error])
  }
  await server.close()
})

const CHUNKED = 'Transfer-Encoding: chunked\r\n'

test('a malformed chunked body has one answer, 400, also behind other requests and in its own segment', async () => {
  const handed: string[] = []
  const server = await slowServer(handed)
  assert.equal(statuses(await sendRaw(server.port, `${ask('/body', CHUNKED)}zz\r\n`)), [400])
  assert.equal(statuses(await sendRaw(server.port, `${ask('/slow') + ask('/body', CHUNKED)}zz\r\n`)), [200, 400])
  const received = await new Promise<string>((resolve, reject) => {
    let text = ''
    const socket = connect({ host: '127.0.0.1', port: server.port }, () => {
      socket.write(`${ask('/body', CHUNKED)}3\r\nabc\r\n`)
      setTimeout(() => socket.write('zz\r\n'), 50)
    })
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', reject).on('close', () => resolve(text))
  })
  assert.equal(statuses(received), [400])
  assert.equal(handed, ['/slow'])
  await server.close()
})

test('a well-formed chunked body is read to its end, and the connection closes behind the answer', async () => {
  const handed: string[] = []
  const server = await slowServer(handed)
  const body = `${'8000\r\n'}${'b'.repeat(0x8000)}\r\n`.repeat(4)
  const received = await sendRaw(server.port, `${ask('/slow') + ask('/body', CHUNKED)}${body}0\r\n\r\n${ask('/next')}`)
  assert.equal(
    [statuses(received), handed],
    [
      [200, 200],
      ['/slow', '/body'],
    ],
  )
  await server.close()
})

test('a request for an upgrade is answered and closes the connection: nothing behind it is read as a request', async () => {
  const handed: string[] = []
  const server = await slowServer(handed)
  for (const headers of ['Upgrade: h2c\r\n', 'Connection: Upgrade\r\nUpgrade: websocket\r\n']) {
    handed.length = 0
    const received = await new Promise<string>((resolve, reject) => {
      let text = ''
      const socket = connect({ host: '127.0.0.1', port: server.port }, () => {
        socket.write(`${ask('/slow', headers)}GET /half HTTP/1.1\r\nX: `)
        setTimeout(() => socket.write(ask('/smuggled')), 10)
      })
      socket.setEncoding('latin1').on('data', (chunk) => {
        text += chunk
      })
      socket.on('error', reject).on('close', () => resolve(text))
    })
    assert.equal([statuses(received), handed], [[200], ['/slow']], headers)
    assert.match(received, '\r\nConnection: close\r\n')
  }
  await server.close()
})

test.run()
