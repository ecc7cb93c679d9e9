/** What the bundle for browsers has in the place of Node's own code does the same. */
import { deflateRawSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Buffer as BrowserBuffer } from '../../../corpus/reader/browser/buffer.ts'
import * as browser from '../../../corpus/reader/browser/platform.ts'
import * as node from '../../../corpus/runtime/platform.ts'
import { deflateSegment } from '../../../corpus/snapshot/codec/deflate.ts'
import { codePoint } from '../model/properties/property.ts'

const bytes = fc.uint8Array({ maxLength: 2000 })
const text = fc.string({ unit: codePoint, maxLength: 300 })
const same = (ours: Uint8Array, theirs: Uint8Array) => assert.equal([...ours], [...theirs])
const resultOf = <T>(work: () => T): T | null => {
  try {
    return work()
  } catch {
    return null
  }
}
const fails = (work: () => unknown) => resultOf(work) === null

test('digests and checksums', () => {
  const check = (data: Uint8Array | string) => {
    assert.is(browser.sha256(data), node.sha256(data))
    same(browser.sha256Bytes(data), node.sha256Bytes(data))
    assert.is(browser.crc32(data), node.crc32(data))
    assert.is(browser.crc32(data, 0x12345678), node.crc32(data, 0x12345678))
  }
  fc.assert(fc.property(fc.oneof(bytes, text), check))
})

test('segments and gzip files inflate to what was compressed, and to nothing longer', () => {
  const check = (plain: Uint8Array) => {
    const segment = deflateSegment(plain)
    same(browser.inflateRaw(segment, plain.length), plain)
    same(browser.gunzip(gzipSync(plain), plain.length), plain)
    if (plain.length === 0) return
    assert.ok(fails(() => browser.inflateRaw(segment, plain.length - 1)))
    assert.ok(fails(() => browser.gunzip(gzipSync(plain), plain.length - 1)))
  }
  fc.assert(fc.property(bytes, check))
  const zeros = new Uint8Array(1_000_000)
  same(browser.inflateRaw(deflateSegment(zeros), zeros.length), zeros)
  assert.ok(fails(() => browser.inflateRaw(deflateRawSync(zeros), 1000)))
  assert.ok(fails(() => browser.gunzip(gzipSync(zeros), 1000)))
})

test('damaged streams throw, or give no more than was stated', () => {
  const plain = Buffer.from('a text of some length '.repeat(20))
  const segment = deflateSegment(plain)
  for (let at = 0; at < segment.length; at++) {
    const damaged = Buffer.from(segment)
    damaged[at]! ^= 0x10
    const ours = resultOf(() => browser.inflateRaw(damaged, plain.length))
    // Callers compare it with the length and the CRC of the segment.
    assert.ok(ours === null || ours.length <= plain.length, `byte ${at}`)
  }
  assert.ok(fails(() => browser.gunzip(Buffer.from('no gzip'), 100)))
})

test('buffers', () => {
  const check = (data: Uint8Array, other: Uint8Array, written: string) => {
    const [ours, theirs] = [BrowserBuffer.from(data), Buffer.from(data)]
    for (const encoding of ['utf8', 'latin1', 'hex', 'base64', 'base64url'] as const) {
      assert.is(ours.toString(encoding), theirs.toString(encoding))
      assert.is(ours.toString(encoding, 1, 7), theirs.toString(encoding, 1, 7))
    }
    same(BrowserBuffer.from(written), Buffer.from(written))
    same(BrowserBuffer.from(theirs.toString('base64url'), 'base64url'), theirs)
    assert.is(BrowserBuffer.byteLength(written), Buffer.byteLength(written))
    same(BrowserBuffer.concat([data, other]), Buffer.concat([data, other]))
    same(BrowserBuffer.concat([data], 3000), Buffer.concat([data], 3000))
    assert.is(ours.compare(other), theirs.compare(other))
    if (other.length > 0) assert.is(ours.compare(other, 1, other.length), theirs.compare(other, 1, other.length))
    same(ours.subarray(2, 9), theirs.subarray(2, 9))
    same(BrowserBuffer.from(data.buffer, data.byteOffset, data.length), theirs)
    if (data.length < 8) return
    assert.is((ours.subarray(1) as BrowserBuffer).readUInt16LE(2), theirs.readUInt16LE(3))
    assert.is((ours.subarray(1) as BrowserBuffer).readUInt32LE(3), theirs.readUInt32LE(4))
    const to = [BrowserBuffer.alloc(data.length), Buffer.alloc(data.length)] as const
    for (const buffer of to) {
      buffer.writeUInt16LE(data[0]!, 0)
      buffer.writeUInt32LE(data[1]! * 0x1000001, 4)
    }
    same(...to)
    assert.is(ours.copy(to[0], 1, 3), theirs.copy(to[1], 1, 3))
    same(...to)
  }
  fc.assert(fc.property(bytes, bytes, text, check))
})

test.run()
