/**
 * Digests that identify the content of a feed item: the adapter version (1 byte), then 16 bytes of SHA-256 of the
 * content. Optionally 16 bytes of SHA-256 of the raw bytes in the file (compressed, indented) follow. If these are
 * equal, the item need not be decompressed.
 */

/** Length of the content part in bytes: adapter version and content hash. */
export const CONTENT_BYTES = 17
const WRAPPING_BYTES = 16

/** Returns the part that changes with the content. The raw form of the item does not affect it. */
export function contentDigest(digest: Uint8Array): Uint8Array {
  return digest.subarray(0, CONTENT_BYTES)
}

/** Returns the content part of `content`, then the first 16 bytes of `wrapped`, a digest by any algorithm. */
export function withRawDigest(content: Uint8Array, wrapped: Uint8Array): Uint8Array {
  const digest = new Uint8Array(CONTENT_BYTES + WRAPPING_BYTES)
  digest.set(contentDigest(content))
  digest.set(wrapped.subarray(0, WRAPPING_BYTES), CONTENT_BYTES)
  return digest
}

/** Returns whether the raw bytes and the adapter version are the same as when `digest` was computed. */
export function isSameRawDigest(digest: Uint8Array | null, adapter: number, wrapped: Uint8Array): boolean {
  return (
    digest !== null &&
    digest[0] === adapter &&
    digest.length === CONTENT_BYTES + WRAPPING_BYTES &&
    Buffer.compare(digest.subarray(CONTENT_BYTES), wrapped.subarray(0, WRAPPING_BYTES)) === 0
  )
}

export function isSameContent(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(contentDigest(a), contentDigest(b)) === 0
}

/** Digests for another thread: one slot per digest, with its length, or 0 for none, then the digest. */
export type PackedDigests = Uint8Array

const SLOT_BYTES = 48

/** Packs digests into one buffer. Transferring them as objects took longer than comparing them. */
export function packDigests(digests: readonly (Uint8Array | null)[]): PackedDigests {
  const packed = new Uint8Array(SLOT_BYTES * digests.length)
  for (const [index, digest] of digests.entries()) {
    if (digest === null) continue
    if (digest.length >= SLOT_BYTES) throw new RangeError(`a digest of ${digest.length} bytes has no room`)
    packed[SLOT_BYTES * index] = digest.length
    packed.set(digest, SLOT_BYTES * index + 1)
  }
  return packed
}

export function digestAt(packed: PackedDigests, index: number): Uint8Array | null {
  const start = SLOT_BYTES * index
  const length = packed[start]!
  return length === 0 ? null : packed.subarray(start + 1, start + 1 + length)
}
