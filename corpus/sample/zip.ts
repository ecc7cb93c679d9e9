/**
 * Writes a zip file as a stream (APPNOTE 6.3.10), with zip64 if the counts require it. yazl is not used: it keeps the
 * compressed bytes of every entry in memory and searches all entries for each one, too slow for 350,000.
 */
import { crc32, deflateRawSync } from 'node:zlib'
import { bufferedWriter, type SampleFile } from './disk.ts'

const MAX_UINT16 = 0xffff
const MAX_UINT32 = 0xffffffff
const VERSION = 20
const VERSION_ZIP64 = 45
/** Created on Unix, a regular file that its owner may write (APPNOTE 4.4.2, 4.4.15). */
const MADE_BY_UNIX = 3 << 8
const FILE_MODE = (0o100644 << 16) >>> 0

/** The content of an entry, compressed once for several zip files. */
export interface Packed {
  crc: number
  size: number
  deflated: Uint8Array
}

/** Compresses an entry's content. Level 6 matches the size of upstream's zip files. */
export function pack(content: Uint8Array): Packed {
  return { crc: crc32(content), size: content.length, deflated: deflateRawSync(content, { level: 6 }) }
}

export interface ZipWriter {
  add(name: string, entry: Packed): Promise<void>
  /** Writes the directory, closes the file and returns its length in bytes. */
  end(): Promise<number>
}

/** Writes a zip file. All entries have the time `modified`. Its directory stays in memory: 90 bytes per entry. */
export function zipWriter(file: SampleFile, modified: Date): ZipWriter {
  const stamp = dosTime(modified)
  const body = bufferedWriter((piece) => file.write(piece))
  const directory: Buffer[] = []
  const central = bufferedWriter(async (piece) => void directory.push(Buffer.from(piece)))
  let count = 0

  return {
    add: async (name, { crc, size, deflated }) => {
      const path = Buffer.from(name)
      const offset = body.length()
      const far = offset >= MAX_UINT32
      // UTF-8 names (bit 11), deflate, time, CRC, sizes, and the length of the name.
      const common = fields('2244442', 0x0800, 8, stamp, crc, deflated.length, size, path.length)
      await body.write(Buffer.concat([fields('42', 0x04034b50, VERSION), common, fields('2', 0), path]))
      await body.write(deflated)
      const head = fields('422', 0x02014b50, MADE_BY_UNIX | VERSION, far ? VERSION_ZIP64 : VERSION)
      const place = fields('2644', far ? 12 : 0, 0, FILE_MODE, far ? MAX_UINT32 : offset)
      await central.write(Buffer.concat([head, common, place, path]))
      if (far) await central.write(fields('228', 1, 8, offset))
      count++
    },
    end: async () => {
      const start = body.length()
      await central.flush()
      for (const piece of directory) await body.write(piece)
      await body.write(directoryEnd(count, body.length() - start, start))
      await body.flush()
      await file.close()
      return body.length()
    },
  }
}

/** Returns numbers in little endian. `sizes` has a digit for each: the bytes that it takes. */
function fields(sizes: string, ...values: number[]): Buffer {
  const lengths = [...sizes].map(Number)
  const buffer = Buffer.alloc(lengths.reduce((sum, bytes) => sum + bytes, 0))
  let at = 0
  for (const [i, bytes] of lengths.entries()) {
    if (bytes === 8) buffer.writeBigUInt64LE(BigInt(values[i]!), at)
    else buffer.writeUIntLE(values[i]!, at, bytes)
    at += bytes
  }
  return buffer
}

/** Returns the end of central directory, after zip64 records if a value does not fit (APPNOTE 4.3.14 to 4.3.16). */
function directoryEnd(count: number, size: number, start: number): Buffer {
  const [entries, bytes, at] = [Math.min(count, MAX_UINT16), Math.min(size, MAX_UINT32), Math.min(start, MAX_UINT32)]
  const end = fields('4422442', 0x06054b50, 0, entries, entries, bytes, at, 0)
  if (count < MAX_UINT16 && size < MAX_UINT32 && start < MAX_UINT32) return end
  const made = MADE_BY_UNIX | VERSION_ZIP64
  const wide = fields('482288888', 0x06064b50, 44, made, VERSION_ZIP64, 0, count, count, size, start)
  return Buffer.concat([wide, fields('4484', 0x07064b50, 0, start + size, 1), end])
}

/** Returns MS-DOS time and date in UTC, in steps of two seconds (APPNOTE 4.4.6), as one number. */
function dosTime(at: Date): number {
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1)
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate()
  return date * 0x10000 + time
}
