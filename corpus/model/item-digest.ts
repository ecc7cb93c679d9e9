/**
 * The digest by which an item of a feed is known again: the version of the adapter that read it and 16 bytes of SHA-256
 * of what it says, whatever it was wrapped in. Behind them, where there are any, stand 16 bytes of SHA-256 of the bytes
 * as they lay in the file (compressed, indented): where these are the same nothing has to be unwrapped to know it.
 */

/** How many of its first bytes say whether the item changed. */
export const CONTENT_BYTES = 17
const WRAPPING_BYTES = 16

/** The part that says whether the item changed: how it is wrapped does not count. */
export function contentDigest(digest: Uint8Array): Uint8Array {
  return digest.subarray(0, CONTENT_BYTES)
}

/** `content` is a digest without what may stand behind it; `wrapped` is a digest of any algorithm, of which 16 bytes count. */
export function withWrapping(content: Uint8Array, wrapped: Uint8Array): Uint8Array {
  const digest = new Uint8Array(CONTENT_BYTES + WRAPPING_BYTES)
  digest.set(contentDigest(content))
  digest.set(wrapped.subarray(0, WRAPPING_BYTES), CONTENT_BYTES)
  return digest
}

/** Whether an item lies in its file as it did when `digest` was made, by the same version of the adapter. */
export function isSameWrapping(digest: Uint8Array | null, adapter: number, wrapped: Uint8Array): boolean {
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
