/** Writes the files of the sample. The disk is a parameter of the generator, so that a test can keep files in memory. */
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { constants, crc32, deflateRawSync } from 'node:zlib'

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

const PIECE_BYTES = 1 << 16

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

/** Joins small writes into chunks. */
export function bufferedWriter(file: Pick<SampleFile, 'write'>) {
  let piece = Buffer.allocUnsafe(PIECE_BYTES)
  let [filled, total] = [0, 0]
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

const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])
/** An empty final block (RFC 1951 3.2.3), which ends the stream after the flushes. */
const FINAL_BLOCK = Buffer.from([3, 0])

export interface TextFile {
  write(text: string): Promise<void>
  /** Closes the file and returns its length in bytes. */
  end(): Promise<number>
}

/** Writes a text file as a stream, plain or as one gzip member (RFC 1952) without a time in its header. */
export async function textFile(file: SampleFile, gzip: boolean): Promise<TextFile> {
  const stored = bufferedWriter(file)
  let crc = 0
  const deflated = async (piece: Uint8Array) => {
    crc = crc32(piece, crc)
    await stored.write(deflateRawSync(piece, { finishFlush: constants.Z_SYNC_FLUSH }))
  }
  const plain = gzip ? bufferedWriter({ write: deflated }) : stored
  if (gzip) await stored.write(GZIP_HEADER)
  return {
    write: (text) => plain.write(Buffer.from(text)),
    end: async () => {
      await plain.flush()
      if (gzip) {
        const trailer = Buffer.alloc(8)
        trailer.writeUInt32LE(crc, 0)
        trailer.writeUInt32LE(plain.length() % 2 ** 32, 4)
        await stored.write(FINAL_BLOCK)
        await stored.write(trailer)
        await stored.flush()
      }
      await file.close()
      return stored.length()
    },
  }
}
