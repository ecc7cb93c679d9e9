/**
 * Texts in corpus.db. Long ones are compressed: the length of their UTF-8 in four bytes, lowest first, then a zstd frame
 * (RFC 8878).
 */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'

export type PackedText = string | Uint8Array

const HEAD_BYTES = 4
/** In characters. Most texts are shorter, and starting zstd takes 30 µs. */
const PLAIN_BELOW = 600
/** The fastest level: higher ones save 2 %. */
const PARAMS = { [constants.ZSTD_c_compressionLevel]: 1 }

export function packText(text: string): PackedText {
  if (text.length < PLAIN_BELOW) return text
  const plain = Buffer.from(text)
  const frame = zstdCompressSync(plain, { params: PARAMS, chunkSize: plain.length })
  // A copy: a view would send the whole chunk of zstd to another thread.
  const packed = new Uint8Array(HEAD_BYTES + frame.length)
  new DataView(packed.buffer).setUint32(0, plain.length, true)
  packed.set(frame, HEAD_BYTES)
  return packed
}

export function unpackText(packed: PackedText): string {
  if (typeof packed === 'string') return packed
  const length = plainLength(packed)
  const options = { maxOutputLength: length, chunkSize: length }
  return zstdDecompressSync(packed.subarray(HEAD_BYTES), options).toString()
}

/** Returns the length of the text in bytes. */
export function plainLength(packed: PackedText): number {
  if (typeof packed === 'string') return Buffer.byteLength(packed)
  return new DataView(packed.buffer, packed.byteOffset, HEAD_BYTES).getUint32(0, true)
}
