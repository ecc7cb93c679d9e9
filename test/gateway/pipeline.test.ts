/** Requests that come one behind the other on a connection, without waiting for answers. */
import { connect } from 'node:net'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startServer } from '../../gateway/serve.ts'
import { sendRaw } from '../support/server.ts'

const ask = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`

test('each is answered, in order, and one at a time', async () => {
  const COUNT = 2000
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
    { port: 0, stallMs: 50 },
  )
  const socket = connect({ host: '127.0.0.1', port: server.port }, () => socket.write(ask('/').repeat(500)))
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

test.run()
