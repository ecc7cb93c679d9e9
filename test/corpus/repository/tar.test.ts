/** The headers of a bundle are those that other programs read and write. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { BLOCK_BYTES, decodeHeader, encodeHeader, MAX_ENTRY_BYTES, paddingOf } from '../../../corpus/repository/tar.ts'

const NAME = `objects/ab/${'ab'.repeat(32)}`

test('a header says again what it was given', () => {
  for (const size of [0, 1, 511, 512, 2 ** 32, MAX_ENTRY_BYTES]) {
    const header = encodeHeader({ name: NAME, size })
    assert.is(header.length, BLOCK_BYTES)
    assert.equal(decodeHeader(header), { kind: 'file', name: NAME, size })
  }
})

test('files fill whole blocks', () => {
  assert.equal([0, 1, 511, 512, 513].map(paddingOf), [0, 511, 1, 0, 511])
  assert.is((2 ** 31 + 1 + paddingOf(2 ** 31 + 1)) % BLOCK_BYTES, 0)
})

test('zeros are the end; a header with a bit changed, and bytes that are none, are no header', () => {
  assert.equal(decodeHeader(Buffer.alloc(BLOCK_BYTES)), { kind: 'end' })
  assert.is(decodeHeader(Buffer.alloc(BLOCK_BYTES, 'x')), null)
  const header = encodeHeader({ name: NAME, size: 4711 })
  for (const at of [0, 30, 124, 130, 148, 156, 300]) {
    const changed = Buffer.from(header)
    changed[at]! ^= 1
    assert.is(decodeHeader(changed), null, `byte ${at}`)
  }
})

test('folders and links are something else', () => {
  for (const type of ['1', '2', '5', 'x', 'L']) {
    const header = encodeHeader({ name: NAME, size: 0 })
    header.write(type, 156)
    // The checksum with the new type in it: the type is a byte of it.
    header.write(
      (Number.parseInt(header.toString('latin1', 148, 155), 8) + type.charCodeAt(0) - 48).toString(8).padStart(7, '0'),
      148,
    )
    assert.is(decodeHeader(header)?.kind, 'other', type)
  }
})

test.run()
