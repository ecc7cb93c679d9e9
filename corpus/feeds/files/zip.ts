/**
 * Reads untrusted zips of any size: sizes are limited, offsets and CRCs checked. yauzl reads the directory (it supports
 * zip64). Entries use positioned reads, because a stream object costs more than an entry.
 */
import { hash } from 'node:crypto'
import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib'
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader } from 'yauzl'
import { streamRegularFile } from '../../runtime/regular-file.ts'
import { FeedError } from '../error.ts'
import { type FileWindow, openWindow } from './file-window.ts'

/** PKWARE APPNOTE 4.4.5. */
const STORED = 0
const DEFLATED = 8
/** APPNOTE 4.3.7: signature and fixed length of a local file header. */
const LOCAL_HEADER = 0x04034b50
const LOCAL_HEADER_BYTES = 30

/** An inner zip is already compressed, or stored and then about 10 times its outer zip. */
const MAX_INNER_RATIO = 100
const MAX_INNER_BYTES = 16 * 2 ** 30

/** The directory fields of an entry, without its name. */
export interface EntryMeasures {
  offset: number
  compressedSize: number
  size: number
  crc32: number
  method: number
  encrypted: boolean
}

export interface ZipEntry extends EntryMeasures {
  name: string
}

export interface ZipPosition {
  path: string
  part?: { start: number; size: number }
}

export interface ZipDirectory {
  position: ZipPosition
  /** Files (not folders), in stored order. */
  entries: ZipEntry[]
}

/**
 * Opens the directory of a zip, or of the zip that is its only entry, as in the CVE list's releases. `spill` stores a
 * compressed inner zip.
 * @throws FeedError when it cannot be read; a truncated file has no directory
 */
export async function openZip(
  path: string,
  spill: (chunks: AsyncIterable<Uint8Array>) => Promise<string>,
): Promise<ZipDirectory> {
  const outer = await readDirectory({ path })
  const [only, ...others] = outer.entries
  if (!only || others.length > 0 || !only.name.endsWith('.zip')) return outer
  if (only.encrypted) throw new FeedError('entry_unsupported', `${only.name} in it is encrypted`)
  const start = withZip(outer.position, (window) => dataStart(window, only))
  if (only.method === STORED) return readDirectory({ path, part: { start, size: only.size } })
  if (only.method !== DEFLATED) throw unsupportedMethod(only, only.name)
  // Check before the disk is full: a zip does not compress this well.
  if (only.size > MAX_INNER_BYTES || only.size > MAX_INNER_RATIO * only.compressedSize) {
    throw new FeedError('entry_too_large', `${only.name} in it is too large: it would extract to ${only.size} bytes`)
  }
  return readDirectory({ path: await spill(inflated(path, start, only)) })
}

export function withZip<T>(position: ZipPosition, work: (window: FileWindow) => T): T {
  const window = openWindow(position.path, position.part)
  try {
    return work(window)
  } finally {
    window.close()
  }
}

/** Serves yauzl's reads from a window, without a system call for each small piece of the directory. */
class WindowReader extends RandomAccessReader {
  readonly window: FileWindow

  constructor(window: FileWindow) {
    super()
    this.window = window
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    try {
      this.window.at(position, length).copy(buffer, offset)
    } catch (error) {
      callback(error as Error)
      return
    }
    callback(null)
  }
}

async function readDirectory(position: ZipPosition): Promise<ZipDirectory> {
  const window = openWindow(position.path, position.part)
  try {
    const zip = await fromRandomAccessReaderPromise(new WindowReader(window), window.size, { lazyEntries: true })
    const entries: ZipEntry[] = []
    for await (const entry of zip.eachEntry()) {
      if (!entry.fileName.endsWith('/')) entries.push(zipEntry(entry))
    }
    return { position, entries: entries.sort((a, b) => a.offset - b.offset) }
  } catch (cause) {
    if (cause instanceof FeedError) throw cause
    // yauzl's messages are readable: `End of central directory record signature not found…`
    throw new FeedError('file_damaged', cause instanceof Error ? cause.message : String(cause), { cause })
  } finally {
    window.close()
  }
}

function zipEntry(entry: Entry): ZipEntry {
  return {
    name: entry.fileName,
    offset: entry.relativeOffsetOfLocalHeader,
    compressedSize: entry.compressedSize,
    size: entry.uncompressedSize,
    crc32: entry.crc32,
    method: entry.compressionMethod,
    encrypted: entry.isEncrypted(),
  }
}

/**
 * Returns the start of an entry's bytes. Name and extra field may differ in length between local header and directory.
 */
function dataStart(window: FileWindow, entry: EntryMeasures): number {
  const header = window.at(entry.offset, LOCAL_HEADER_BYTES)
  if (header.readUInt32LE(0) !== LOCAL_HEADER) {
    throw new FeedError('entry_damaged', `no local header at byte ${entry.offset}`)
  }
  return entry.offset + LOCAL_HEADER_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28)
}

/** A stored entry, valid until the next read of the window. */
export interface StoredEntry {
  /**
   * Returns the SHA-256 of the compressed bytes and their directory fields. An equal digest means equal, valid plain
   * bytes, without inflation. CRC-32 would not suffice: it collides once in four billion, and can be forged.
   */
  digest(): Uint8Array
  /**
   * Returns the plain bytes, checked.
   * @throws FeedError with an `entry_` code
   */
  bytes(): Buffer
}

const MEASURES_BYTES = 16
/** Joins measures and compressed bytes for one hash call. Larger entries get their own buffer. */
const scratch = Buffer.allocUnsafe(64 << 10)

/** @throws FeedError with an `entry_` code, or `file_damaged` */
export function storedEntry(window: FileWindow, entry: EntryMeasures, maxBytes: number): StoredEntry {
  if (entry.size > maxBytes || entry.compressedSize > maxBytes) {
    throw new FeedError('entry_too_large', `${entry.size} bytes; the limit is ${maxBytes}`)
  }
  if (entry.encrypted) throw new FeedError('entry_unsupported', 'it is encrypted')
  const compressed = window.at(dataStart(window, entry), entry.compressedSize)
  return {
    digest() {
      const length = MEASURES_BYTES + compressed.length
      const measured = length <= scratch.length ? scratch.subarray(0, length) : Buffer.allocUnsafe(length)
      measured.writeUInt32LE(entry.method, 0)
      measured.writeUInt32LE(entry.crc32, 4)
      measured.writeDoubleLE(entry.size, 8)
      compressed.copy(measured, MEASURES_BYTES)
      return hash('sha256', measured, 'buffer')
    },
    bytes() {
      const bytes = entry.method === STORED ? Buffer.from(compressed) : inflate(compressed, entry)
      if (bytes.length !== entry.size) {
        throw new FeedError('entry_damaged', `${bytes.length} bytes, but the directory states ${entry.size}`)
      }
      if (crc32(bytes) !== entry.crc32) throw new FeedError('entry_damaged', 'its CRC-32 does not match')
      return bytes
    },
  }
}

/**
 * Returns the plain bytes of an entry, checked.
 * @throws FeedError as `storedEntry`
 */
export function readEntry(window: FileWindow, entry: EntryMeasures, maxBytes: number): Buffer {
  return storedEntry(window, entry, maxBytes).bytes()
}

function inflate(compressed: Buffer, entry: EntryMeasures): Buffer {
  if (entry.method !== DEFLATED) throw unsupportedMethod(entry, 'it')
  try {
    // One chunk of the stated size. An entry larger than stated gets an error instead of more memory.
    const size = Math.max(entry.size, 64)
    return inflateRawSync(compressed, { chunkSize: size, maxOutputLength: size })
  } catch (cause) {
    throw new FeedError('entry_damaged', `it cannot be inflated: ${(cause as Error).message}`, { cause })
  }
}

function unsupportedMethod({ method }: EntryMeasures, name: string): FeedError {
  return new FeedError('entry_unsupported', `${name} has compression method ${method}`)
}

/** Yields the plain bytes of an entry too large for memory. Checks size and CRC at the end. */
async function* inflated(path: string, start: number, entry: ZipEntry): AsyncIterable<Uint8Array> {
  if (entry.compressedSize === 0) throw new FeedError('file_damaged', `${entry.name} in it is empty`)
  const source = streamRegularFile(path, { start, end: start + entry.compressedSize - 1 })
  const inflater = createInflateRaw()
  source.on('error', (error) => inflater.destroy(error))
  let crc = 0
  let size = 0
  try {
    for await (const chunk of source.pipe(inflater) as AsyncIterable<Buffer>) {
      crc = crc32(chunk, crc)
      size += chunk.length
      // Exceeding the stated size means a zip bomb or a false size. Stop before the disk is full.
      if (size > entry.size) break
      yield chunk
    }
  } catch (cause) {
    throw new FeedError('file_damaged', `${entry.name} in it cannot be inflated: ${(cause as Error).message}`, {
      cause,
    })
  } finally {
    source.destroy()
  }
  if (size !== entry.size || crc !== entry.crc32) {
    throw new FeedError('file_damaged', `${entry.name} in it does not match its size and CRC-32`)
  }
}
