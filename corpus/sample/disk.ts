/** The disk effects of the generator. They are a parameter, so that a test can keep files in memory. */
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'

export interface SampleFile {
  write(bytes: Uint8Array): Promise<void>
  /** Moves the file to its final name. Before that, nothing exists under this name. */
  close(): Promise<void>
  /** Deletes the incomplete file. */
  abandon(): Promise<void>
}

/** Temporary storage for data that does not fit into memory. */
export interface ScratchFile {
  write(bytes: Uint8Array): Promise<void>
  /** Returns everything written, from the beginning. A chunk is valid until the next one is requested. */
  pieces(): AsyncIterable<Uint8Array>
  remove(): Promise<void>
}

export interface SampleDisk {
  /** Creates a folder and its parents. */
  mkdir(path: string): Promise<void>
  create(path: string): Promise<SampleFile>
  scratch(path: string): Promise<ScratchFile>
}

const PIECE_BYTES = 1 << 18

/** The real disk: writes to a temporary name, syncs, and renames. */
export const sampleDisk: SampleDisk = {
  mkdir: async (path) => void (await mkdir(path, { recursive: true })),
  create: async (path) => {
    const temporary = `${path}.tmp`
    const handle = await open(temporary, 'w')
    return {
      write: (bytes) => handle.writeFile(bytes),
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
  scratch: async (path) => {
    const temporary = `${path}.tmp`
    const handle = await open(temporary, 'w+')
    return {
      write: (bytes) => handle.writeFile(bytes),
      pieces: () => piecesOf(handle),
      remove: async () => {
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
