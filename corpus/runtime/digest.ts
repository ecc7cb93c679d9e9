/** SHA-256 in the two forms of the format. */
import { createHash, hash } from 'node:crypto'
import { createReadStream } from 'node:fs'

export function sha256(bytes: Uint8Array | string): string {
  return hash('sha256', bytes, 'hex')
}

/** Returns the digest and the size in bytes of a file. Reads it as a stream. */
export async function digestOfFile(path: string): Promise<{ sha256: string; size: number }> {
  const digest = createHash('sha256')
  let size = 0
  for await (const chunk of createReadStream(path)) {
    digest.update(chunk as Buffer)
    size += (chunk as Buffer).length
  }
  return { sha256: digest.digest('hex'), size }
}

export const SHORT_HASH_LENGTH = 16

/** Returns the first 16 bytes of the SHA-256 of `bytes`: the content hash of a segment. */
export function shortHash(bytes: Uint8Array | string): Uint8Array {
  return hash('sha256', bytes, 'buffer').subarray(0, SHORT_HASH_LENGTH)
}
