/** Writes the files of the sample. The disk is a parameter of the generator, so that a test can keep files in memory. */
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'

export interface SampleFile {
  write(bytes: Uint8Array): Promise<void>
  /** Moves the file to its final name. Before that, nothing exists under this name. */
  close(): Promise<void>
  /** Deletes the file unless it is closed. */
  abandon(): Promise<void>
}

export interface SampleDisk {
  /** Creates a folder and its parents. */
  mkdir(path: string): Promise<void>
  create(path: string): Promise<SampleFile>
}

/** The real disk: writes to a temporary name, syncs, and renames. */
export const sampleDisk: SampleDisk = {
  mkdir: async (path) => void (await mkdir(path, { recursive: true })),
  create: async (path) => {
    const temporary = `${path}.tmp`
    const handle = await open(temporary, 'w+')
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
}

const PIECE_BYTES = 1 << 16

/**
 * Joins small writes into pieces of 64 KB. A piece is valid until the next write. The bytes are copied, because a small
 * result of zlib keeps the chunk of 16 KB that it is a part of.
 */
export function bufferedWriter(write: (piece: Uint8Array) => Promise<void>) {
  let piece = Buffer.allocUnsafe(PIECE_BYTES)
  let [filled, total] = [0, 0]
  const flush = async () => {
    await write(piece.subarray(0, filled))
    filled = 0
  }
  return {
    flush,
    length: () => total,
    write: async (bytes: Uint8Array) => {
      total += bytes.length
      if (filled + bytes.length > piece.length) await flush()
      if (bytes.length > piece.length) piece = Buffer.allocUnsafe(bytes.length)
      piece.set(bytes, filled)
      filled += bytes.length
    },
  }
}

export interface TextFile {
  write(text: string): Promise<void>
  /** Closes the file and returns its length in bytes. */
  end(): Promise<number>
}

/** Writes a text file as a stream, plain or as gzip members (RFC 1952 2.2), so that memory is bounded. */
export function textFile(file: SampleFile, gzip: boolean): TextFile {
  const stored = bufferedWriter((piece) => file.write(piece))
  const texts = gzip ? bufferedWriter((piece) => stored.write(gzipSync(piece))) : stored
  return {
    write: (text) => texts.write(Buffer.from(text)),
    end: async () => {
      await texts.flush()
      if (gzip) await stored.flush()
      await file.close()
      return stored.length()
    },
  }
}
