/** What readers use of Node's own code, for browsers. Digests are checked in synchronous code, which WebCrypto is not. */
import { sha256 as digestOf } from '@noble/hashes/sha2.js'
import { gunzipSync, inflateSync } from 'fflate'
import type * as node from '../../runtime/platform.ts'

const digest = (bytes: Uint8Array | string) =>
  Buffer.from(digestOf(typeof bytes === 'string' ? Buffer.from(bytes) : bytes))

export const sha256Bytes: typeof node.sha256Bytes = digest
export const sha256: typeof node.sha256 = (bytes) => digest(bytes).toString('hex')

/** The block that ends a stream: final, stored, empty. */
const FINAL_BLOCK = [1, 0, 0, 0xff, 0xff]

export const inflateRaw: typeof node.inflateRaw = (bytes, length) => {
  const ended = new Uint8Array(bytes.length + FINAL_BLOCK.length)
  ended.set(bytes)
  ended.set(FINAL_BLOCK, bytes.length)
  return bounded(length, length, (out) => inflateSync(ended, { out }))
}

export const gunzip: typeof node.gunzip = (bytes, most) => {
  const stated = bytes.length < 4 ? 0 : new DataView(bytes.buffer, bytes.byteOffset).getUint32(bytes.length - 4, true)
  return bounded(stated, most, (out) => gunzipSync(bytes, { out }))
}

/** One more byte shows whether the output is longer than stated: fflate drops what does not fit. */
function bounded(length: number, most: number, inflate: (out: Uint8Array) => Uint8Array): Buffer {
  if (length > most) throw new RangeError(`it inflates to ${length} bytes; the limit is ${most}`)
  const plain = inflate(new Uint8Array(length + 1))
  if (plain.length > length) throw new RangeError(`it inflates to more than ${length} bytes`)
  return Buffer.from(plain.buffer, plain.byteOffset, plain.length)
}

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc
})

export const crc32: typeof node.crc32 = (data, previous = 0) => {
  let crc = ~previous
  for (const byte of typeof data === 'string' ? Buffer.from(data) : (data as Uint8Array))
    crc = (crc >>> 8) ^ TABLE[(crc ^ byte) & 0xff]!
  return ~crc >>> 0
}
