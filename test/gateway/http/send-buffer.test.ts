/** Answers are written into the same memory, unless one still waits for its client. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { sendAnswer } from '../../../gateway/http/reply.ts'
import { readHeaders } from '../../../gateway/http/request-headers.ts'
import { until } from '../../support/until.ts'

const LENGTH = 60_000
const SILENT_MS = 10_000
/** Answers of one connection that fill the buffers of both sockets: at most 6 MB each by default. */
const MANY = 400

/** The memory of each body, and whether it was taken whole. */
let sent: { memory: ArrayBufferLike; taken: boolean }[] = []

const server = createServer((request, response) => {
  const letter = request.url!.charCodeAt(1)
  const body = (allocate: (length: number) => Buffer = Buffer.allocUnsafe) => {
    const bytes = allocate(LENGTH).fill(letter)
    sent.push({ memory: bytes.buffer, taken: true })
    return bytes
  }
  const answer = { servedFrom: 'shard', snapshotId: '', tag: '', gzip: body, identity: body } as const
  sendAnswer(response, readHeaders(request.rawHeaders), false, answer, false, [])
  sent.at(-1)!.taken = response.writableLength === 0
})

test.before(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})

test.after(() => {
  server.closeAllConnections()
  server.close()
})

test.before.each(() => {
  sent = []
})

const port = () => (server.address() as AddressInfo).port
const headers = 'Host: test\r\nAccept-Encoding: gzip\r\n\r\n'

async function received(letter: string): Promise<Buffer> {
  const socket = connect(port(), '127.0.0.1')
  socket.write(`GET /${letter} HTTP/1.0\r\n${headers}`)
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const lettersIn = (bytes: Buffer) => bytes.subarray(bytes.indexOf('\r\n\r\n') + 4)

test('one answer after the other is written into the same memory', async () => {
  for (const letter of ['a', 'b', 'c']) assert.equal(lettersIn(await received(letter)), Buffer.alloc(LENGTH, letter))
  assert.equal(
    sent.map(({ taken }) => taken),
    [true, true, true],
  )
  assert.is(new Set(sent.map(({ memory }) => memory)).size, 1)
})

test('an answer that waits for its client is not overwritten', async () => {
  const slow = connect(port(), '127.0.0.1')
  slow.pause()
  slow.setTimeout(SILENT_MS, () => slow.destroy(new Error('the rest of the answers did not arrive')))
  const isWaiting = () => sent.at(-1)?.taken === false
  for (let i = 0; i < MANY && !isWaiting(); i++) {
    slow.write(`GET /Q HTTP/1.1\r\n${headers}`)
    const before = sent.length
    await until(
      () => sent.length > before,
      () => `request ${i} is not answered`,
    )
  }
  assert.ok(isWaiting(), `${sent.length} answers were taken whole`)
  const waiting = sent.length
  for (const letter of ['Y', 'Z']) assert.equal(lettersIn(await received(letter)), Buffer.alloc(LENGTH, letter))
  assert.ok(sent.slice(waiting).every(({ memory }) => memory !== sent[waiting - 1]!.memory))
  // No header contains these letters.
  const counts = { Q: 0, Y: 0, Z: 0 }
  for await (const chunk of slow) {
    for (const byte of chunk as Buffer) {
      const letter = String.fromCharCode(byte)
      if (letter in counts) counts[letter as keyof typeof counts]++
    }
    if (counts.Q >= waiting * LENGTH) break
  }
  assert.equal(counts, { Q: waiting * LENGTH, Y: 0, Z: 0 })
})

test.run()
