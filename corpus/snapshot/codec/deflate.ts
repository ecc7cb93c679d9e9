/**
 * All compression of the format. Parameters are fixed and streams start fresh, so equal input and zlib give equal
 * bytes.
 */
import { constants, deflateRawSync, gzipSync } from 'node:zlib'

/** Segments below this many bytes are stored uncompressed: compression would save less than it costs. */
const STORED_BELOW = 150
/** Maximum bytes of a stored block (RFC 1951 3.2.4). */
const STORED_BLOCK_MAX = 0xffff
const STORED_HEADER = 5

/** The block that ends a spliced stream: final, stored, empty. */
export const FINAL_BLOCK = Uint8Array.of(1, 0, 0, 0xff, 0xff)

/** Returns bytes as stored, non-final DEFLATE blocks: the form of literals in an answer. */
function storedBlocks(plain: Uint8Array): Buffer {
  const blocks = Math.max(1, Math.ceil(plain.length / STORED_BLOCK_MAX))
  const out = Buffer.allocUnsafe(plain.length + blocks * STORED_HEADER)
  writeStoredBlocks(out, 0, plain)
  return out
}

export function storedLength(plainLength: number): number {
  return plainLength + Math.max(1, Math.ceil(plainLength / STORED_BLOCK_MAX)) * STORED_HEADER
}

/** Writes the header of a non-final stored block with `length` bytes (RFC 1951 3.2.4). */
export function writeStoredHeader(out: Buffer, at: number, length: number): void {
  out[at] = 0
  out.writeUInt16LE(length, at + 1)
  out.writeUInt16LE(~length & 0xffff, at + 3)
}

/** Writes `plain` as stored blocks at `at`. Returns the position after them. */
export function writeStoredBlocks(out: Buffer, at: number, plain: Uint8Array): number {
  let from = 0
  do {
    const length = Math.min(STORED_BLOCK_MAX, plain.length - from)
    writeStoredHeader(out, at, length)
    out.set(plain.subarray(from, from + length), at + STORED_HEADER)
    at += STORED_HEADER + length
    from += length
  } while (from < plain.length)
  return at
}

/**
 * Writes a text as UTF-8 in stored blocks. Needs no temporary buffer when the text fits into one block, as nearly all
 * do.
 */
export function writeStoredText(out: Buffer, at: number, text: string): { plainLength: number; end: number } {
  if (text.length * 3 > STORED_BLOCK_MAX) {
    const plain = Buffer.from(text)
    return { plainLength: plain.length, end: writeStoredBlocks(out, at, plain) }
  }
  const plainLength = out.write(text, at + STORED_HEADER)
  writeStoredHeader(out, at, plainLength)
  return { plainLength, end: at + STORED_HEADER + plainLength }
}

/** Small segments use a small window, because zlib spends most time clearing its tables. It covers them whole. */
const SMALL_MAX = 4096
const SMALL = { level: 6, windowBits: 12, memLevel: 5, finishFlush: constants.Z_FULL_FLUSH }
const LARGE = { level: 6, windowBits: 15, memLevel: 8, finishFlush: constants.Z_FULL_FLUSH }

/**
 * Compresses a segment to raw DEFLATE: byte-aligned, not final, without back-references before it. Short segments are
 * stored.
 */
export function deflateSegment(plain: Uint8Array): Buffer {
  if (plain.length < STORED_BELOW) return storedBlocks(plain)
  // zlib returns a view of a whole chunk. The default chunk of 16 KB would stay in memory for each short segment:
  // test/bench/README.md, "Choices".
  const options = plain.length <= SMALL_MAX ? { ...SMALL, chunkSize: plain.length } : LARGE
  const deflated = deflateRawSync(plain, options)
  return deflated.length < storedLength(plain.length) ? deflated : storedBlocks(plain)
}

export function gzipFile(plain: Uint8Array): Buffer {
  return gzipSync(plain, { level: 6 })
}
