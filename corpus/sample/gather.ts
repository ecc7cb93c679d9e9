import type { SampleFile } from './disk.ts'

const PIECE_BYTES = 1 << 20

/** Gathers small writes into pieces of a megabyte. */
export function gather(file: Pick<SampleFile, 'write'>) {
  let piece = Buffer.allocUnsafe(PIECE_BYTES)
  let filled = 0
  let total = 0
  const flush = async () => {
    if (filled > 0) await file.write(piece.subarray(0, filled))
    filled = 0
  }
  return {
    flush,
    length: () => total,
    /** What was not yet written, until the next write. */
    held: () => piece.subarray(0, filled),
    write: async (bytes: Uint8Array) => {
      total += bytes.length
      if (filled + bytes.length > piece.length) await flush()
      if (bytes.length > piece.length) piece = Buffer.allocUnsafe(bytes.length)
      piece.set(bytes, filled)
      filled += bytes.length
    },
  }
}
