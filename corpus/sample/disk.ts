/** The disk effects of the generator, and buffered writing. They are a parameter, so that a test can keep files in memory. */
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'

export interface SampleFile {
  write(bytes: Uint8Array): Promise<void>
  /** Returns everything written, from the beginning. A chunk is valid until the next one is requested. */
  pieces(): AsyncIterable<Uint8Array>
  /** Moves the file to its final name. Before that, nothing exists under this name. */
  close(): Promise<void>
  /** Deletes the file, which is incomplete or was temporary storage. */
  abandon(): Promise<void>
}

export interface SampleDisk {
  /** Creates a folder and its parents. */
  mkdir(path: string): Promise<void>
  create(path: string): Promise<SampleFile>
}

const PIECE_BYTES = 1 << 18

/** The real disk: writes to a temporary name, syncs, and renames. */
export const sampleDisk: SampleDisk = {
  mkdir: async (path) => void (await mkdir(path, { recursive: true })),
  create: async (path) => {
    const temporary = `${path}.tmp`
    const handle = await open(temporary, 'w+')
    return {
      write: (bytes) => handle.writeFile(bytes),
      pieces: () => piecesOf(handle),
      close: async () => {
        await handle.sync()
        await handle.close()
        await rename(temporary, path)
      },
      abandon: async () => {
        await handle.close()
        await rm(temporary, { force: true })
      },
    }
  },
}

async function* piecesOf(handle: FileHandle): AsyncGenerator<Uint8Array> {
  const piece = Buffer.allocUnsafe(PIECE_BYTES)
  for (let at = 0; ; ) {
    const { bytesRead } = await handle.read(piece, 0, piece.length, at)
    if (bytesRead === 0) return
    yield piece.subarray(0, bytesRead)
    at += bytesRead
  }
}

const BUFFER_BYTES = 1 << 20

/** Buffers small writes into chunks of 1 MiB. */
export function bufferedWriter(file: Pick<SampleFile, 'write'>) {
  let piece = Buffer.allocUnsafe(BUFFER_BYTES)
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
