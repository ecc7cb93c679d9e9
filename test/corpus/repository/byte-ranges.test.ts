/** Answers with several ranges: parts in any order are found, others are refused, and none is taken for another. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readByteRanges } from '../../../corpus/repository/byte-ranges.ts'

const SPANS = [
  { at: 3, length: 4 },
  { at: 100, length: 2 },
  { at: 5000, length: 1 },
]
const part = (range: string, text: string, boundary = 'b') =>
  `--${boundary}\r\nContent-Type: application/octet-stream\r\nContent-Range: ${range}\r\n\r\n${text}\r\n`
const PARTS = [part('bytes 3-6/9000', 'abcd'), part('bytes 100-101/9000', '\r\n'), part('bytes 5000-5000/*', '-')]
const END = '--b--\r\n'

async function read(body: string, type = 'multipart/byteranges; boundary=b', spans = SPANS) {
  let discarded = false
  const answer = {
    headers: { 'content-type': type },
    body: (async function* () {
      // In small chunks.
      for (let at = 0; at < body.length; at += 7) yield Buffer.from(body.slice(at, at + 7), 'latin1')
    })(),
    discard: async () => {
      discarded = true
    },
  }
  const found = await readByteRanges(answer, spans, () => new Date())
  return discarded ? 'discarded' : (found?.map((bytes) => bytes.toString('latin1')) ?? null)
}

test('parts in any order, with text around them, and a boundary in quotes', async () => {
  const expected = ['abcd', '\r\n', '-']
  assert.equal(await read(`${PARTS.join('')}${END}`), expected)
  assert.equal(await read(`\r\n${PARTS.toReversed().join('')}${END}more`), expected)
  assert.equal(await read(`preamble\r\n${PARTS.join('')}${END}`), expected)
  for (const boundary of ['"b"', 'b; charset=x']) {
    assert.equal(await read(`${PARTS.join('')}${END}`, `Multipart/ByteRanges;boundary=${boundary}`), expected, boundary)
  }
  assert.equal(await read(`${PARTS.join('')}${part('bytes 7-7/9000', 'x')}${END}`), expected, 'one part more')
})

test('an answer of another type is not read', async () => {
  for (const type of ['application/octet-stream', 'multipart/mixed; boundary=b', 'multipart/byteranges', '']) {
    assert.is(await read('abcd', type), 'discarded', type)
  }
})

test('fewer parts, other ranges, another boundary and lengths that differ are refused', async () => {
  const [first, second, third] = PARTS as [string, string, string]
  for (const body of [
    `${first}${second}${END}`,
    `${first}${second}${part('bytes 5001-5001/9000', '-')}${END}`,
    `${first}${second}${part('bytes 5000-5001/9000', '-x')}${END}`,
    `${part('bytes 3-6/9000', 'abc')}${second}${third}${END}`,
    `${part('bytes 3-6/9000', 'abcde')}${second}${third}${END}`,
    `${part('bytes 6-3/9000', 'abcd')}${second}${third}${END}`,
    `${part('items 3-6/9000', 'abcd')}${second}${third}${END}`,
    `${first}${part('bytes 100-101/9000', '\r\n', 'c')}${third}${END}`,
    `--b\r\n\r\nabcd\r\n${second}${third}${END}`,
    'x'.repeat(2000),
    'x'.repeat(20_000),
  ]) {
    assert.is(await read(body), null, JSON.stringify(body.slice(0, 200)))
  }
})

test('a body that breaks off is a fault of the transfer, wherever it does', async () => {
  const body = `${PARTS.join('')}${END}`
  for (let length = '--b'.length; length < body.length - '--\r\n'.length; length++) {
    const error = await read(body.slice(0, length)).then(
      (found) => assert.unreachable(`${length}: ${found}`),
      (thrown: Error & { code?: string }) => thrown,
    )
    assert.is(error?.code, 'cut', `${length}`)
  }
})

test.run()
