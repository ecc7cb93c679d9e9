/** The load generator's response reader: complete responses, in pieces of any size, several in a row. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { responseReader } from './responses.ts'

const response = (status: number, body: string) =>
  `HTTP/1.1 ${status} Some Reason\r\nContent-Type: text/plain\r\ncontent-length: ${body.length}\r\n\r\n${body}`
const sent = Buffer.from(
  response(200, 'abc') + response(404, '') + response(200, '\r\n\r\n') + response(503, 'x'.repeat(5000)),
)
const expected = [
  [200, 3],
  [404, 0],
  [200, 4],
  [503, 5000],
]

test('responses are read however they arrive', () => {
  for (const size of [1, 2, 3, 7, 64, 100, 4096, sent.length]) {
    const read: [number, number][] = []
    const feed = responseReader((status, bytes) => read.push([status, bytes]))
    // One buffer for all pieces, like a socket.
    const buffer = Buffer.alloc(size)
    for (let at = 0; at < sent.length; at += size) {
      const length = sent.copy(buffer, 0, at, at + size)
      feed(buffer.subarray(0, length))
    }
    assert.equal(read, expected, `pieces of ${size}`)
  }
})

test('a response is done when its last byte is there, not before', () => {
  const read: number[] = []
  const feed = responseReader((_status, bytes) => read.push(bytes))
  const one = Buffer.from(response(200, 'abc'))
  feed(one.subarray(0, -1))
  assert.equal(read, [])
  feed(one.subarray(-1))
  assert.equal(read, [3])
})

test('a response without a length is refused', () => {
  const feed = responseReader(() => {})
  assert.throws(() => feed(Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')), /no Content-Length/)
})

test('a 304 has no body, whatever comes behind it', () => {
  const read: [number, number][] = []
  const feed = responseReader((status, bytes) => read.push([status, bytes]))
  feed(Buffer.from(`HTTP/1.1 304 Not Modified\r\nETag: "x"\r\n\r\n${response(200, 'abc')}`))
  assert.equal(read, [
    [304, 0],
    [200, 3],
  ])
})

test.run()
