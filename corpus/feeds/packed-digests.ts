/** Packs digests into one buffer. Transferring them as objects took longer than the lookup. */

/** One slot per digest: its length, or 0 for none, then the digest. */
export type PackedDigests = Uint8Array

const SLOT_BYTES = 48

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
