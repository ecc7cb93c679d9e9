/**
 * Writes a zip file as a stream (APPNOTE 6.3.10), with zip64 if the counts require it. yazl is not used: it keeps the
 * compressed bytes of every entry in memory and searches all entries for each one, too slow for 350,000.
 */
import { crc32, deflateRawSync } from 'node:zlib'
import { bufferedWriter, type SampleDisk, type SampleFile } from './disk.ts'

const MAX_UINT16 = 0xffff
const MAX_UINT32 = 0xffffffff
/** UTF-8 names (APPNOTE 4.4.4, bit 11). */
const FLAGS = 0x0800
const DEFLATE = 8
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

/** Writes a zip file. All entries have the time `modified`. */
export async function zipWriter(disk: Pick<SampleDisk, 'create'>, path: string, modified: Date): Promise<ZipWriter> {
  const file = await disk.create(path)
  const stamp = dosTime(modified)
  const body = bufferedWriter(file)
  // The directory comes last, about 90 bytes per entry. At most 1 MiB of it stays in memory.
  let aside = null as SampleFile | null
  const layAside = async (bytes: Uint8Array) => {
    aside ??= await disk.create(`${path}.directory`)
    await aside.write(bytes)
  }
  const central = bufferedWriter({ write: layAside })
  let count = 0

  return {
    add: async (name, entry) => {
      const path = Buffer.from(name)
      const offset = body.length()
      const far = offset >= MAX_UINT32
      const local = Buffer.alloc(30)
      local.writeUInt32LE(0x04034b50, 0)
      local.writeUInt16LE(VERSION, 4)
      common(local, 6, entry, path.length, stamp)
      await body.write(local)
      await body.write(path)
      await body.write(entry.deflated)

      const record = Buffer.alloc(46)
      record.writeUInt32LE(0x02014b50, 0)
      record.writeUInt16LE(MADE_BY_UNIX | VERSION, 4)
      record.writeUInt16LE(far ? VERSION_ZIP64 : VERSION, 6)
      common(record, 8, entry, path.length, stamp)
      record.writeUInt16LE(far ? 12 : 0, 30)
      record.writeUInt32LE(FILE_MODE, 38)
      record.writeUInt32LE(far ? MAX_UINT32 : offset, 42)
      await central.write(record)
      await central.write(path)
      if (far) {
        const extra = Buffer.alloc(12)
        extra.writeUInt16LE(1, 0)
        extra.writeUInt16LE(8, 2)
        extra.writeBigUInt64LE(BigInt(offset), 4)
        await central.write(extra)
      }
      count++
    },
    end: async () => {
      const start = body.length()
      if (aside) {
        await central.flush()
        for await (const piece of aside.pieces()) await body.write(piece)
        await aside.abandon()
      } else {
        await body.write(central.held())
      }
      await body.write(directoryEnd(count, body.length() - start, start))
      await body.flush()
      await file.close()
      return body.length()
    },
  }
}

/** Writes the common fields of local header and directory record, from `flags` to `file name length`. */
function common(header: Buffer, at: number, entry: Packed, nameLength: number, stamp: { time: number; date: number }) {
  header.writeUInt16LE(FLAGS, at)
  header.writeUInt16LE(DEFLATE, at + 2)
  header.writeUInt16LE(stamp.time, at + 4)
  header.writeUInt16LE(stamp.date, at + 6)
  header.writeUInt32LE(entry.crc, at + 8)
  header.writeUInt32LE(entry.deflated.length, at + 12)
  header.writeUInt32LE(entry.size, at + 16)
  header.writeUInt16LE(nameLength, at + 20)
}

/** Returns the end of central directory, after zip64 records if a value does not fit (APPNOTE 4.3.14 to 4.3.16). */
function directoryEnd(count: number, size: number, start: number): Buffer {
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Math.min(count, MAX_UINT16), 8)
  end.writeUInt16LE(Math.min(count, MAX_UINT16), 10)
  end.writeUInt32LE(Math.min(size, MAX_UINT32), 12)
  end.writeUInt32LE(Math.min(start, MAX_UINT32), 16)
  if (count < MAX_UINT16 && size < MAX_UINT32 && start < MAX_UINT32) return end

  const wide = Buffer.alloc(56 + 20)
  wide.writeUInt32LE(0x06064b50, 0)
  wide.writeBigUInt64LE(44n, 4)
  wide.writeUInt16LE(MADE_BY_UNIX | VERSION_ZIP64, 12)
  wide.writeUInt16LE(VERSION_ZIP64, 14)
  wide.writeBigUInt64LE(BigInt(count), 24)
  wide.writeBigUInt64LE(BigInt(count), 32)
  wide.writeBigUInt64LE(BigInt(size), 40)
  wide.writeBigUInt64LE(BigInt(start), 48)
  wide.writeUInt32LE(0x07064b50, 56)
  wide.writeBigUInt64LE(BigInt(start + size), 64)
  wide.writeUInt32LE(1, 72)
  return Buffer.concat([wide, end])
}

/** Returns MS-DOS date and time in UTC, in steps of two seconds (APPNOTE 4.4.6). */
function dosTime(at: Date): { time: number; date: number } {
  return {
    time: (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1),
    date: ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate(),
  }
}
