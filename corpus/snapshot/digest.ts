/** SHA-256, in the two forms that the format uses. */
import { hash } from 'node:crypto'

/** Lower-case hexadecimal SHA-256 of `bytes`. */
export function sha256(bytes: Uint8Array | string): string {
  return hash('sha256', bytes, 'hex')
}

/** Length in bytes of the content hash of a segment. */
export const SHORT_HASH_LENGTH = 16

/** The first 16 bytes of the SHA-256 of `bytes`: the content hash of a segment. */
export function shortHash(bytes: Uint8Array | string): Uint8Array {
  return hash('sha256', bytes, 'buffer').subarray(0, SHORT_HASH_LENGTH)
}
