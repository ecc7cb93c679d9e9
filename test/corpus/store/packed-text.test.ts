/** Texts of any characters and length survive, and a damaged one is no text. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { packText, plainLength, unpackText } from '../../../corpus/store/packed-text.ts'

const packed = (text: string): Uint8Array => {
  const bytes = packText(text)
  if (typeof bytes === 'string') throw new TypeError('it is too short to be compressed')
  return bytes
}
const TEXT = 'some text '.repeat(100)

test('a text is unpacked as it was, with its length in bytes', () => {
  for (const text of [
    '',
    'a',
    'é'.repeat(299),
    'é'.repeat(300),
    '{"title":"Straße, 漏洞, 🔒"}',
    '\u0000\n',
    'x'.repeat(5_000_000),
  ]) {
    assert.is(unpackText(packText(text)), text)
    assert.is(plainLength(packText(text)), Buffer.byteLength(text))
  }
  assert.ok(packed('ab'.repeat(10_000)).length < 100)
})

test('a view into other bytes is read at its own place', () => {
  const bytes = packed(TEXT)
  const around = new Uint8Array(bytes.length + 7)
  around.set(bytes, 5)
  const view = around.subarray(5, 5 + bytes.length)
  assert.equal([unpackText(view), plainLength(view)], [TEXT, TEXT.length])
})

test('a frame that is damaged, cut short or longer than stated throws', () => {
  const bytes = packed(TEXT)
  const changed = (at: number, value: number) => Uint8Array.from(bytes).fill(value, at, at + 1)
  assert.throws(() => unpackText(changed(0, 3)))
  assert.throws(() => unpackText(changed(4, 0)))
  assert.throws(() => unpackText(bytes.subarray(0, bytes.length - 3)))
})

test.run()
