/** Writes a text file as a stream, plain or as one gzip member (RFC 1952) without a time in its header. */
import { constants, crc32, deflateRawSync } from 'node:zlib'
import { bufferedWriter, type SampleFile } from './disk.ts'

const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])
/** An empty final block (RFC 1951 3.2.3), which ends the stream after the flushes. */
const FINAL_BLOCK = Buffer.from([3, 0])

export interface TextFile {
  write(text: string): Promise<void>
  /** Closes the file and returns its length in bytes. */
  end(): Promise<number>
}

export async function textFile(file: SampleFile, gzip: boolean): Promise<TextFile> {
  const stored = bufferedWriter(file)
  if (!gzip) {
    return {
      write: (text) => stored.write(Buffer.from(text)),
      end: async () => {
        await stored.flush()
        await file.close()
        return stored.length()
      },
    }
  }
  await stored.write(GZIP_HEADER)
  let crc = 0
  const plain = bufferedWriter({
    write: async (piece) => {
      crc = crc32(piece, crc)
      await stored.write(deflateRawSync(piece, { finishFlush: constants.Z_SYNC_FLUSH }))
    },
  })
  return {
    write: (text) => plain.write(Buffer.from(text)),
    end: async () => {
      await plain.flush()
      const trailer = Buffer.alloc(8)
      trailer.writeUInt32LE(crc, 0)
      trailer.writeUInt32LE(plain.length() % 2 ** 32, 4)
      await stored.write(FINAL_BLOCK)
      await stored.write(trailer)
      await stored.flush()
      await file.close()
      return stored.length()
    },
  }
}

/** Formats JSON as PHP does, for two feeds: indented by four, with slashes and non-ASCII characters escaped. */
export function escapedJson(value: unknown): string {
  return JSON.stringify(value, null, 4)
    .replaceAll('/', '\\/')
    .replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
