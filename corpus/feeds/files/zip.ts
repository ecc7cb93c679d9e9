/**
 * Reading zips of any size, entry by entry: the directory through yauzl (which knows zip64), the bytes by positioned
 * reads, because a stream object per entry costs more than the entry. Archives are hostile: sizes are capped, offsets
 * checked, every CRC compared.
 */
import { hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib'
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader } from 'yauzl'
import { FeedError } from '../error.ts'
import { type FileWindow, openWindow } from './file-window.ts'

/** PKWARE APPNOTE 4.4.5. */
const STORED = 0
const DEFLATED = 8
/** APPNOTE 4.3.7: signature and fixed length of a local file header. */
const LOCAL_HEADER = 0x04034b50
const LOCAL_HEADER_BYTES = 30

/** A zip in a zip is compressed already, or stored and then some 10 times its outer one. */
const MAX_INNER_RATIO = 100
const MAX_INNER_BYTES = 16 * 2 ** 30

/** What the directory says of an entry beside its name. */
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

/** Where an archive lies: a file, or the part of one. */
export interface ZipPlace {
  path: string
  part?: { start: number; size: number }
}

export interface ZipDirectory {
  place: ZipPlace
  /** Files (not folders), in the order in which they lie in the archive. */
  entries: ZipEntry[]
}

/**
 * The directory of a zip, or of the zip that is its only entry, as the CVE list's releases have it. `spill` takes the
 * inner one where it is compressed. Throws `FeedError` where it cannot be read: a truncated file has no directory.
 */
export async function openZip(
  path: string,
  spill: (chunks: AsyncIterable<Uint8Array>) => Promise<string>,
): Promise<ZipDirectory> {
  const outer = await readDirectory({ path })
  const [only, ...others] = outer.entries
  if (!only || others.length > 0 || !only.name.endsWith('.zip')) return outer
  if (only.encrypted) throw new FeedError('entry_unsupported', `${only.name} in it is encrypted`)
  const start = withZip(outer.place, (window) => dataStart(window, only))
  if (only.method === STORED) return readDirectory({ path, part: { start, size: only.size } })
  if (only.method !== DEFLATED) throw unsupportedMethod(only, only.name)
  // Before the disk is full of it: whatever inflates so well is no zip.
  if (only.size > MAX_INNER_BYTES || only.size > MAX_INNER_RATIO * only.compressedSize) {
    throw new FeedError('entry_too_large', `${only.name} in it would have ${only.size} bytes: that is no zip`)
  }
  return readDirectory({ path: await spill(inflated(path, start, only)) })
}

/** Opens an archive for reading its entries while `work` runs. */
export function withZip<T>(place: ZipPlace, work: (window: FileWindow) => T): T {
  const window = openWindow(place.path, place.part)
  try {
    return work(window)
  } finally {
    window.close()
  }
}

/** yauzl's reads of a window: at once, without a call to the system for each of the directory's small pieces. */
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

async function readDirectory(place: ZipPlace): Promise<ZipDirectory> {
  const window = openWindow(place.path, place.part)
  try {
    const zip = await fromRandomAccessReaderPromise(new WindowReader(window), window.size, { lazyEntries: true })
    const entries: ZipEntry[] = []
    for await (const entry of zip.eachEntry()) {
      if (!entry.fileName.endsWith('/')) entries.push(zipEntry(entry))
    }
    return { place, entries: entries.sort((a, b) => a.offset - b.offset) }
  } catch (cause) {
    if (cause instanceof FeedError) throw cause
    // yauzl says in words what is wrong: `End of central directory record signature not found…`
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

/** Where an entry's bytes begin: the local header's name and extra field may differ in length from the directory's. */
function dataStart(window: FileWindow, entry: EntryMeasures): number {
  const header = window.at(entry.offset, LOCAL_HEADER_BYTES)
  if (header.readUInt32LE(0) !== LOCAL_HEADER) {
    throw new FeedError('entry_damaged', `no local header at byte ${entry.offset}`)
  }
  return entry.offset + LOCAL_HEADER_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28)
}

/** An entry as it lies in the archive; valid until the window is read again. */
export interface StoredEntry {
  /**
   * SHA-256 of the compressed bytes and of what the directory says of them. Where it is that of an entry whose bytes were
   * read without complaint, `bytes` would be the same, also without complaint: nothing has to be inflated to know it. A
   * matching CRC-32 alone would be no proof: one night in four billion by chance, at will for who wants to hide a change.
   */
  digest(): Uint8Array
  /** The plain bytes, checked. Throws `FeedError` with an `entry_` code. */
  bytes(): Buffer
}

const MEASURES_BYTES = 16
/** Measures and compressed bytes in a row, for one call to the digest; a larger entry gets a buffer of its own. */
const scratch = Buffer.allocUnsafe(64 << 10)

/** Throws `FeedError` with an `entry_` code, or `file_damaged`. */
export function storedEntry(window: FileWindow, entry: EntryMeasures, maxBytes: number): StoredEntry {
  if (entry.size > maxBytes || entry.compressedSize > maxBytes) {
    throw new FeedError('entry_too_large', `${entry.size} bytes, the limit is ${maxBytes}`)
  }
  if (entry.encrypted) throw new FeedError('entry_unsupported', 'encrypted')
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
        throw new FeedError('entry_damaged', `${bytes.length} bytes where the directory says ${entry.size}`)
      }
      if (crc32(bytes) !== entry.crc32) throw new FeedError('entry_damaged', 'its CRC-32 does not match')
      return bytes
    },
  }
}

/** The plain bytes of an entry, checked. Throws as `storedEntry` does. */
export function readEntry(window: FileWindow, entry: EntryMeasures, maxBytes: number): Buffer {
  return storedEntry(window, entry, maxBytes).bytes()
}

function inflate(compressed: Buffer, entry: EntryMeasures): Buffer {
  if (entry.method !== DEFLATED) throw unsupportedMethod(entry, 'it')
  try {
    // One chunk of the stated size holds it all; whoever states less than there is gets an error, not the memory.
    const size = Math.max(entry.size, 64)
    return inflateRawSync(compressed, { chunkSize: size, maxOutputLength: size })
  } catch (cause) {
    throw new FeedError('entry_damaged', `it cannot be inflated: ${(cause as Error).message}`, { cause })
  }
}

function unsupportedMethod({ method }: EntryMeasures, name: string): FeedError {
  return new FeedError('entry_unsupported', `${name} has compression method ${method}`)
}

/** The plain bytes of an entry too large for memory; size and CRC are checked at the end. */
async function* inflated(path: string, start: number, entry: ZipEntry): AsyncIterable<Uint8Array> {
  if (entry.compressedSize === 0) throw new FeedError('file_damaged', `${entry.name} in it is empty`)
  const source = createReadStream(path, { start, end: start + entry.compressedSize - 1 })
  const inflater = createInflateRaw()
  source.on('error', (error) => inflater.destroy(error))
  let crc = 0
  let size = 0
  try {
    for await (const chunk of source.pipe(inflater) as AsyncIterable<Buffer>) {
      crc = crc32(chunk, crc)
      size += chunk.length
      // What inflates beyond its stated size is a bomb or a lie: stop before the disk is full.
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
