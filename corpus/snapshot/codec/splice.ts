/**
 * Assembles answers from literals and stored segments. Gzip answers need no inflation or compression; identity answers
 * inflate only their segments. SPEC.md, "Splicing".
 */
import { hash } from 'node:crypto'
import { crc32, crc32Combine } from '../../runtime/crc32.ts'
import { SHORT_HASH_LENGTH } from '../../runtime/digest.ts'
import { MAX_MEMBER_PLAIN } from '../bounds.ts'
import { SnapshotError } from '../error.ts'
import type { Segment } from '../record/member.ts'
import { FINAL_BLOCK, storedLength, writeStoredText } from './deflate.ts'
import { inflateSegment } from './inflate.ts'

/** A segment with its compressed bytes, already checked against `storedCrc`. */
export interface SplicedSegment {
  segment: Pick<Segment, 'plainLength' | 'plainCrc' | 'hash'>
  stored: Uint8Array
}

/** Several pieces that are written directly into the answer. */
export interface FusedPieces {
  segment: Pick<Segment, 'plainLength' | 'plainCrc'>
  /** Compressed. */
  length: number
  /**
   * Writes the compressed bytes at `at`.
   * @throws SnapshotError `digest` when they are damaged
   */
  write(out: Buffer, at: number): void
  seed: Uint8Array
}

export type Piece = string | SplicedSegment | FusedPieces

/** Magic, DEFLATE, no flags, no time, no extra flags, unknown OS (RFC 1952 2.3). */
const GZIP_HEAD = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255)
const GZIP_TRAILER = 8

/** DEFLATE without a final block, and the values for its gzip trailer. */
interface Spliced {
  plainLength: number
  plainCrc: number
  end: number
}

function deflatedLength(piece: Piece): number {
  if (typeof piece === 'string') return storedLength(Buffer.byteLength(piece))
  return 'write' in piece ? piece.length : piece.stored.length
}

function sum<P>(pieces: readonly P[], lengthOf: (piece: P) => number): number {
  let total = 0
  for (const piece of pieces) total += lengthOf(piece)
  return total
}

function writePieces(out: Buffer, start: number, pieces: readonly Piece[]): Spliced {
  let end = start
  let plainCrc = 0
  let plainLength = 0
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      const written = writeStoredText(out, end, piece)
      plainCrc = crc32(piece, plainCrc)
      plainLength += written.plainLength
      end = written.end
    } else {
      if ('write' in piece) piece.write(out, end)
      else out.set(piece.stored, end)
      end += deflatedLength(piece)
      plainCrc = crc32Combine(plainCrc, piece.segment.plainCrc, piece.segment.plainLength)
      plainLength += piece.segment.plainLength
    }
  }
  return { plainLength, plainCrc, end }
}

/** Returns the pieces as one gzip member. Adjacent literals should already be one string. */
export function spliceGzip(pieces: readonly Piece[]): Buffer {
  const length = GZIP_HEAD.length + sum(pieces, deflatedLength) + FINAL_BLOCK.length + GZIP_TRAILER
  const out = Buffer.allocUnsafe(length)
  out.set(GZIP_HEAD, 0)
  const { plainLength, plainCrc, end } = writePieces(out, GZIP_HEAD.length, pieces)
  out.set(FINAL_BLOCK, end)
  out.writeUInt32LE(plainCrc, length - GZIP_TRAILER)
  out.writeUInt32LE(plainLength >>> 0, length - GZIP_TRAILER + 4)
  return out
}

/**
 * Returns the pieces as plain bytes.
 * @throws SnapshotError when a segment does not inflate to the length and CRC in its table
 */
export function splicePlain(pieces: readonly Piece[]): Buffer {
  const length = sum(pieces, (piece) => (typeof piece === 'string' ? 0 : piece.segment.plainLength))
  if (length > MAX_MEMBER_PLAIN) {
    throw new SnapshotError('malformed', `the segments need ${length} bytes; the limit is ${MAX_MEMBER_PLAIN}`)
  }
  return Buffer.concat(
    pieces.map((piece) => {
      if (typeof piece === 'string') return Buffer.from(piece)
      const plain = inflateSegment(storedOf(piece), piece.segment.plainLength)
      if (crc32(plain) !== piece.segment.plainCrc) {
        throw new SnapshotError('digest', 'a segment does not match its CRC-32')
      }
      return plain
    }),
  )
}

function storedOf(piece: SplicedSegment | FusedPieces): Uint8Array {
  if (!('write' in piece)) return piece.stored
  const stored = Buffer.allocUnsafe(piece.length)
  piece.write(stored, 0)
  return stored
}

/** Returns a content digest of the pieces, computed from literals and segment hashes: 22 URL-safe characters. */
export const spliceTag = (pieces: readonly Piece[]): string =>
  hash('sha256', spliceSeed(pieces), 'base64url').slice(0, 22)

/** Literals, pieces with a seed, and segments of which only the hash counts. */
type Seeded = string | Pick<FusedPieces, 'seed'> | { segment: Pick<Segment, 'hash'> }

/** Returns a short, unambiguous encoding of the pieces. */
export function spliceSeed(pieces: readonly Seeded[]): Buffer {
  const seed = Buffer.allocUnsafe(sum(pieces, seedLength))
  writeSeed(seed, 0, pieces)
  return seed
}

/** Precedes each segment hash in a seed; a literal has its length there instead. */
const SEGMENT_MARK = 0xffffffff
const MARK_LENGTH = 4

function seedLength(piece: Seeded): number {
  if (typeof piece === 'string') return MARK_LENGTH + Buffer.byteLength(piece)
  return 'seed' in piece ? piece.seed.length : MARK_LENGTH + SHORT_HASH_LENGTH
}

function writeSeed(out: Buffer, start: number, pieces: readonly Seeded[]): void {
  let at = start
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      const length = out.write(piece, at + MARK_LENGTH)
      out.writeUInt32LE(length, at)
      at += MARK_LENGTH + length
    } else if ('seed' in piece) {
      out.set(piece.seed, at)
      at += piece.seed.length
    } else {
      out.writeUInt32LE(SEGMENT_MARK, at)
      out.set(piece.segment.hash, at + MARK_LENGTH)
      at += MARK_LENGTH + SHORT_HASH_LENGTH
    }
  }
}
