/** SHA-256 in the two forms of the format. */
import { createHash } from 'node:crypto'
import { sha256, sha256Bytes } from './platform.ts'
import { streamRegularFile } from './regular-file.ts'

export { sha256 }

/** Returns the digest and the size in bytes of a file. Reads it as a stream. */
export async function digestOfFile(path: string): Promise<{ sha256: string; size: number }> {
  const digest = createHash('sha256')
  let size = 0
  for await (const chunk of streamRegularFile(path)) {
    digest.update(chunk as Buffer)
    size += (chunk as Buffer).length
  }
  return { sha256: digest.digest('hex'), size }
}

export const SHORT_HASH_LENGTH = 16

/** Returns the first 16 bytes of the SHA-256 of `bytes`: the content hash of a segment. */
export function shortHash(bytes: Uint8Array | string): Uint8Array {
  return sha256Bytes(bytes).subarray(0, SHORT_HASH_LENGTH)
}
