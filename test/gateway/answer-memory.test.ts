/** Answers share memory, which is taken back when they are gone: one that still waits for its client must keep its own. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { sampleDist, temporaryFolder } from '../support/dist.ts'
import { testGateway } from '../support/gateway.ts'

const REQUESTS = 500
const folder = temporaryFolder('answer-memory')
const { dist } = await sampleDist(folder.path, 300)
const gateway = await testGateway(folder.path, dist)

/** Resolves when the gateway has answered nothing for a while: it waits for who does not read. */
async function stalled(): Promise<void> {
  for (let before = -1; gateway.log.length !== before; ) {
    before = gateway.log.length
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** The bodies of responses in a row. */
function bodiesOf(bytes: Buffer): Buffer[] {
  const bodies: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const head = bytes.indexOf('\r\n\r\n', at) + 4
    const length = Number(/content-length: (\d+)/i.exec(bytes.toString('latin1', at, head))![1])
    bodies.push(bytes.subarray(head, head + length))
    at = head + length
  }
  return bodies
}

test('what others ask meanwhile does not get into an answer that waits to be read', async () => {
  const expected = await gateway.body('/cves?limit=100')
  const head = `Host: x\r\nAuthorization: Bearer ${gateway.token}\r\nAccept-Encoding: gzip\r\n`
  const socket = connect(gateway.port, '127.0.0.1')
  socket.pause()
  socket.write(`GET /api/v1/cves?limit=100 HTTP/1.1\r\n${head}\r\n`.repeat(REQUESTS - 1))
  socket.write(`GET /api/v1/cves?limit=100 HTTP/1.1\r\n${head}Connection: close\r\n\r\n`)
  await stalled()
  assert.ok(gateway.log.length < REQUESTS, 'all answers fitted into the buffers of the system')
  const others = ['/cves?limit=50&sort=-updated', '/cves?kev=true', '/cves?limit=100&sort=-cvss']
  for (let i = 0; i < 60; i++) await gateway.body(others[i % others.length]!)
  const parts: Buffer[] = []
  socket.on('data', (part: Buffer) => void parts.push(part))
  socket.resume()
  await once(socket, 'close')
  const bodies = bodiesOf(Buffer.concat(parts))
  assert.is(bodies.length, REQUESTS)
  for (const body of bodies) assert.is(gunzipSync(body).toString(), expected)
})

test.after(async () => {
  await gateway.close()
  folder.remove()
})

test.run()
