/** An answer that waits for its client does not change, whatever others request. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ingestAndBuild, temporaryFolder } from '../../support/dist.ts'
import { testGateway } from '../../support/gateway.ts'
import { ownSample } from '../../support/samples.ts'

/** Fewer than may wait on a connection, one more included. */
const BATCH = 60
const folder = temporaryFolder('waiting-answers')
const sample = await ownSample('small', folder.path)
const gateway = await testGateway(folder.path, sample.dist)

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
  const ask = (more = '') => `GET /api/v1/cves?limit=100 HTTP/1.1\r\n${head}${more}\r\n`
  gateway.log.length = 0
  let sent = 0
  // Until answers do not fit into the buffers of the system any more.
  while (gateway.log.length === sent && sent < 5000) {
    socket.write(ask().repeat(BATCH))
    sent += BATCH
    await stalled()
  }
  assert.ok(gateway.log.length < sent, 'all answers fitted into the buffers of the system')
  socket.write(ask('Connection: close\r\n'))
  const others = ['/cves?limit=50&sort=-updated', '/cves?kev=true', '/cves?limit=100&sort=-cvss']
  for (let i = 0; i < 60; i++) await gateway.body(others[i % others.length]!)
  const parts: Buffer[] = []
  socket.on('data', (part: Buffer) => void parts.push(part))
  socket.resume()
  await once(socket, 'close')
  const bodies = bodiesOf(Buffer.concat(parts))
  assert.is(bodies.length, sent + 1)
  for (const body of bodies) assert.is(gunzipSync(body).toString(), expected)
})

test('a remembered page is the page, in both codings, and to who has it; of a new snapshot it is the new one', async () => {
  const path = '/cves?kev=true&sort=-epss'
  const plain = { 'accept-encoding': 'identity' }
  const told = ({ headers }: Response) => ['snapshot-id', 'served-from', 'etag'].map((name) => headers.get(name))
  const first = await gateway.get(path)
  const expected = await first.text()
  for (let i = 0; i < 3; i++) {
    const again = await gateway.get(path)
    assert.equal(told(again), told(first))
    assert.is(await again.text(), expected)
    assert.is(await (await gateway.get(path, plain)).text(), expected)
    assert.is((await gateway.get(path, { 'if-none-match': told(first)[2]! })).status, 304)
  }
  await ingestAndBuild({ ...sample, asOf: sample.nights[1]! })
  await gateway.refresh()
  const after = await gateway.get(path)
  assert.is(told(after)[0], gateway.registry.current.id)
  assert.is.not(told(after)[0], told(first)[0])
  assert.is.not(await after.text(), expected)
})

test.after(async () => {
  await gateway.close()
  folder.remove()
})

test.run()
