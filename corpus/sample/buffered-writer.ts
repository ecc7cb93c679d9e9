import type { SampleFile } from './disk.ts'

const PIECE_BYTES = 1 << 20

/** Buffers small writes into chunks of 1 MiB. */
export function bufferedWriter(file: Pick<SampleFile, 'write'>) {
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
    /** Returns the unwritten bytes. They are valid until the next write. */
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
