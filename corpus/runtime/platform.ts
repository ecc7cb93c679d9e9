/** What readers use of Node's own code. The bundle for browsers replaces this file by `reader/browser/platform.ts`. */
import { hash } from 'node:crypto'
import { constants, crc32, gunzipSync, inflateRawSync } from 'node:zlib'

/** CRC-32 as in gzip (RFC 1952 8). */
export { crc32 }

export const sha256 = (bytes: Uint8Array | string): string => hash('sha256', bytes, 'hex')
export const sha256Bytes = (bytes: Uint8Array | string): Uint8Array => hash('sha256', bytes, 'buffer')

/** Limits the initial allocation, because the stated length may be false. */
const MAX_CHUNK = 8 * 1024 * 1024

/**
 * Inflates DEFLATE that ends at a byte, without a final block.
 * @throws Error if it is damaged, or longer than `length` bytes
 */
export function inflateRaw(bytes: Uint8Array, length: number): Buffer {
  return inflateRawSync(bytes, {
    // zlib must not report the end as truncation.
    finishFlush: constants.Z_SYNC_FLUSH,
    maxOutputLength: Math.max(1, length),
    // One chunk, and a byte more: zlib then needs no second call to see the end.
    chunkSize: Math.min(Math.max(length + 1, constants.Z_MIN_CHUNK), MAX_CHUNK),
  })
}

/** @throws Error if it is damaged, or longer than `most` bytes */
export const gunzip = (bytes: Uint8Array, most: number): Buffer => gunzipSync(bytes, { maxOutputLength: most })
