/** What the generator does to the disk. It comes in as an argument (STYLE 5), so that a test can hold files in memory. */
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'

export interface SampleFile {
  write(bytes: Uint8Array): Promise<void>
  /** Puts the file in its place; before that nothing is seen under its name. */
  close(): Promise<void>
  /** Gives the file up, so that nothing of it is left. */
  abandon(): Promise<void>
}

/** Where something is laid aside that would not go into memory, until it is read back. */
export interface ScratchFile {
  write(bytes: Uint8Array): Promise<void>
  /** All that was written, from the beginning; the pieces are good until the next one is asked for. */
  pieces(): AsyncIterable<Uint8Array>
  /** Gives the file up. */
  remove(): Promise<void>
}

export interface SampleDisk {
  /** Makes a folder and those above it. */
  mkdir(path: string): Promise<void>
  create(path: string): Promise<SampleFile>
  scratch(path: string): Promise<ScratchFile>
}

const PIECE_BYTES = 1 << 18

/** The real disk: temporary name, sync, rename (STYLE 8). */
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
