/** Listening and stopping. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { request } from 'undici'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { GatewayError } from '../../../gateway/http/errors.ts'
import { startServer, stopSignal } from '../../../gateway/process/serve.ts'
import { listLog, sendRaw } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const hello = (_request: unknown, response: { end(text: string): void }) => response.end('hello')

async function failure(attempt: Promise<unknown>): Promise<GatewayError> {
  try {
    await attempt
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
  throw new Error('it started')
}

test('a port in use is named', async () => {
  const server = await startServer(hello, { port: 0 })
  const error = await failure(startServer(hello, { port: server.port }))
  assert.is(error.code, 'port_in_use')
  assert.is(
    error.message,
    `port ${server.port} on 127.0.0.1 is already in use; choose another with --port, --compat-port or --metrics-port`,
  )
  await server.close()
})

test('what is no port is refused', async () => {
  for (const port of [-1, 65_536, 80.5, Number.NaN]) {
    assert.is((await failure(startServer(hello, { port }))).code, 'bad_option')
  }
})

test('an address that is not ours is refused', async () => {
  assert.is((await failure(startServer(hello, { host: '192.0.2.1', port: 0 }))).code, 'address_unavailable')
})

/** Opens a connection, and closes it if it is accepted. */
async function isRefused(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port })
  try {
    await once(socket, 'connect')
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED'
  } finally {
    socket.destroy()
  }
}

test('closing lets the request in flight finish, and takes no other', async () => {
  let release = () => {}
  let arrived = () => {}
  const inside = new Promise<void>((resolve) => {
    arrived = resolve
  })
  const server = await startServer(
    async (_request, response) => {
      await new Promise<void>((resolve) => {
        release = resolve
        arrived()
      })
      response.end('late')
    },
    { port: 0 },
  )
  const answer = request(server.url)
  await inside
  const closed = server.close()
  await until(
    () => isRefused(server.port),
    () => 'it takes connections',
  )
  release()
  assert.is(await (await answer).body.text(), 'late')
  await closed
})

/** Opens a connection, sends `text`, and collects what it receives. */
async function opened(port: number, text: string) {
  const socket = connect({ host: '127.0.0.1', port })
  let received = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    received += chunk
  })
  await once(socket, 'connect')
  socket.write(text)
  return { socket, received: () => received, closed: once(socket, 'close') }
}

const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
const pathsIn = (text: string) => [...text.matchAll(/<([^>]+)>/g)].map(([, path]) => path)
const echo = (request: { url?: string | undefined }, response: { end(text: string): void }) =>
  void response.end(`<${request.url}>`)

test('closing answers what was sent before it, and what connections send while they stay open, then closes them', async () => {
  const server = await startServer(echo, { port: 0, idleMs: 1000 })
  const kept = await opened(server.port, ask('/first'))
  await until(() => kept.received().endsWith('</first>'), kept.received)
  // The server has read none of these when it begins to close.
  const unread = await Promise.all(Array.from({ length: 20 }, (_, i) => opened(server.port, ask(`/${i}`))))
  const closed = server.close()
  await until(
    () => isRefused(server.port),
    () => 'it takes connections',
  )
  kept.socket.write(ask('/second') + ask('/third'))
  await kept.closed
  assert.equal(pathsIn(kept.received()), ['/first', '/second', '/third'], 'all requests that have arrived')
  assert.match(kept.received(), /Connection: close\r\n[^<]*<\/third>$/)
  for (const [i, { closed: end, received }] of unread.entries()) {
    await end
    assert.equal(pathsIn(received()), [`/${i}`])
  }
  await closed
})

test('connections without a request are closed after their time, new ones too', async () => {
  const server = await startServer(echo, {
    port: 0,
    idleMs: 0,
    headersTimeoutMs: 3_600_000,
    requestTimeoutMs: 3_600_000,
    drainMs: 3_600_000,
  })
  const [idle, fresh] = [await opened(server.port, ask('/')), await opened(server.port, '')]
  await until(() => idle.received().endsWith('</>'), idle.received)
  await server.close()
  await Promise.all([idle.closed, fresh.closed])
})

test('closing cuts off what does not end in time', async () => {
  const server = await startServer(() => {}, { port: 0, drainMs: 50 })
  const answer = request(server.url).catch((error: Error) => error)
  await new Promise((resolve) => setTimeout(resolve, 50))
  await server.close()
  assert.instance(await answer, Error)
})

test('a client that says nothing is cut off', async () => {
  const server = await startServer(hello, { port: 0, headersTimeoutMs: 100, requestTimeoutMs: 200 })
  const received = await sendRaw(server.port, '')
  assert.is(received === '' || received.startsWith('HTTP/1.1 408 '), true)
  await server.close()
})

test('a client that does not hang up after it was refused is cut off', async () => {
  const server = await startServer(hello, { port: 0, drainMs: 3_600_000, headersTimeoutMs: 100, requestTimeoutMs: 200 })
  const socket = connect({ host: '127.0.0.1', port: server.port, allowHalfOpen: true }, () =>
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n'),
  )
  socket.resume()
  await once(socket, 'end')
  // Resolves when the server has no connection any more, though ours is still open at this end.
  await server.close()
  assert.is(socket.destroyed, false)
  socket.destroy()
})

test('a client that does not read its answer is cut off', async () => {
  let cutOff = () => {}
  const cut = new Promise<void>((resolve) => {
    cutOff = resolve
  })
  const server = await startServer(
    (_request, response) => {
      response.once('close', cutOff)
      response.end(Buffer.alloc(50_000_000))
    },
    { port: 0, answerMs: 50 },
  )
  const socket = connect({ host: '127.0.0.1', port: server.port }, () =>
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'),
  )
  socket.pause()
  await cut
  socket.destroy()
  await server.close()
})

test('a client that reads its answer for too long is cut off, though it reads all the time', async () => {
  const PIECE = Buffer.alloc(1_000_000)
  const ANSWER_BYTES = 400 * PIECE.length
  let isCut = false
  const server = await startServer(
    (_request, response) => {
      response.once('close', () => {
        isCut = !response.writableFinished
      })
      Readable.from(Array<Buffer>(ANSWER_BYTES / PIECE.length).fill(PIECE)).pipe(response)
    },
    { port: 0, answerMs: 300 },
  )
  const socket = connect({ host: '127.0.0.1', port: server.port }, () =>
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'),
  )
  // Some 60 MB a second at most.
  socket.on('data', () => {
    socket.pause()
    setTimeout(() => socket.resume(), 1)
  })
  socket.on('error', () => {})
  await until(
    () => isCut || socket.bytesRead >= ANSWER_BYTES,
    () => `${socket.bytesRead} bytes read`,
  )
  assert.ok(isCut)
  socket.destroy()
  await server.close()
})

test('a connection beyond the limit is closed and logged; an ended one frees its place', async () => {
  let refused = 0
  const server = await startServer(hello, { port: 0, maxConnections: 2, onRefused: () => refused++ })
  const open = [0, 1].map(() => connect({ host: '127.0.0.1', port: server.port }))
  for (const socket of open) await once(socket, 'connect')
  const third = connect({ host: '127.0.0.1', port: server.port })
  third.on('error', () => {}).resume()
  await until(
    () => refused === 1 && third.closed,
    () => `${refused} refused`,
  )
  open[0]!.destroy()
  await until(
    async () => (await request(server.url).catch(() => null))?.statusCode === 200,
    () => 'no room was made',
  )
  for (const socket of open) socket.destroy()
  await server.close()
})

test('a signal to stop is heard and told once, though npm passes on what a terminal sends; a later one is not ours', async () => {
  const { log, lines } = listLog()
  const listeners = () => process.listenerCount('SIGTERM') + process.listenerCount('SIGINT')
  const before = listeners()
  const stop = stopSignal(log)
  assert.not.ok(stop.aborted)
  process.kill(process.pid, 'SIGINT')
  await until(
    () => stop.aborted,
    () => 'the signal was not heard',
  )
  process.emit('SIGINT', 'SIGINT')
  // Without a listener this would end the test.
  process.kill(process.pid, 'SIGTERM')
  await until(
    () => listeners() === before,
    () => 'it listens for ever',
  )
  assert.equal(lines, [{ level: 'info', message: 'stopping', signal: 'SIGINT' }])
})

test('closing twice is closing once', async () => {
  const server = await startServer(hello, { port: 0 })
  assert.is(server.close(), server.close())
  await server.close()
})

test.run()
