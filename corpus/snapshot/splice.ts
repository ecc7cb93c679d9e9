/**
 * An answer put together from pieces: literals, and segments as they lie on disk. As gzip nothing of it is inflated or
 * deflated; as identity only the segments it uses are inflated. SPEC.md, "Splicing".
 */
import { hash } from 'node:crypto'
import { crc32, crc32Combine } from './crc32.ts'
import { FINAL_BLOCK, inflateSegment, storedLength, writeStoredBlocks } from './deflate.ts'
import { SHORT_HASH_LENGTH } from './digest.ts'
import { SnapshotError } from './error.ts'
import type { Segment } from './member.ts'

/** A segment with its compressed bytes, already checked against `storedCrc`. */
export interface SplicedSegment {
  segment: Pick<Segment, 'plainLength' | 'plainCrc' | 'hash'>
  stored: Uint8Array
}

export type Piece = string | SplicedSegment

/** Magic, DEFLATE, no flags, no time, no extra flags, unknown OS (RFC 1952 2.3). */
const GZIP_HEAD = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255)
const GZIP_TRAILER = 8

/** Pieces as DEFLATE without a final block, and what a gzip trailer says of them. */
interface Spliced {
  plainLength: number
  plainCrc: number
  /** Behind the last byte. */
  end: number
}

/** Bytes of each piece: those of a literal are plain. */
const bodiesOf = (pieces: readonly Piece[]): Uint8Array[] =>
  pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece.stored))

function deflatedLength(pieces: readonly Piece[], bodies: readonly Uint8Array[]): number {
  let length = 0
  for (let i = 0; i < pieces.length; i++) {
    length += typeof pieces[i] === 'string' ? storedLength(bodies[i]!.length) : bodies[i]!.length
  }
  return length
}

function writePieces(out: Buffer, start: number, pieces: readonly Piece[], bodies: readonly Uint8Array[]): Spliced {
  let end = start
  let plainCrc = 0
  let plainLength = 0
  for (let i = 0; i < pieces.length; i++) {
    const piece = pieces[i]!
    const body = bodies[i]!
    if (typeof piece === 'string') {
      end = writeStoredBlocks(out, end, body)
      plainCrc = crc32(body, plainCrc)
      plainLength += body.length
    } else {
      out.set(body, end)
      end += body.length
      plainCrc = crc32Combine(plainCrc, piece.segment.plainCrc, piece.segment.plainLength)
      plainLength += piece.segment.plainLength
    }
  }
  return { plainLength, plainCrc, end }
}

/** The pieces as one gzip member. Neighbouring literals should already be one string. */
export function spliceGzip(pieces: readonly Piece[]): Buffer {
  const bodies = bodiesOf(pieces)
  const length = GZIP_HEAD.length + deflatedLength(pieces, bodies) + FINAL_BLOCK.length + GZIP_TRAILER
  const out = Buffer.allocUnsafe(length)
  out.set(GZIP_HEAD, 0)
  const { plainLength, plainCrc, end } = writePieces(out, GZIP_HEAD.length, pieces, bodies)
  out.set(FINAL_BLOCK, end)
  out.writeUInt32LE(plainCrc, length - GZIP_TRAILER)
  out.writeUInt32LE(plainLength % 2 ** 32, length - GZIP_TRAILER + 4)
  return out
}

/** The pieces as one segment, in memory of its own: any row of segments and stored blocks is one. SPEC.md, "Segment". */
export function fuse(pieces: readonly Piece[]): SplicedSegment {
  const bodies = bodiesOf(pieces)
  const stored = Buffer.allocUnsafeSlow(deflatedLength(pieces, bodies))
  const { plainLength, plainCrc } = writePieces(stored, 0, pieces, bodies)
  return { segment: { plainLength, plainCrc, hash: digestOf(pieces).subarray(0, SHORT_HASH_LENGTH) }, stored }
}

/**
 * The pieces as plain bytes.
 * @throws SnapshotError when a segment does not inflate to what its table promises
 */
export function splicePlain(pieces: readonly Piece[]): Buffer {
  return Buffer.concat(
    pieces.map((piece) => {
      if (typeof piece === 'string') return Buffer.from(piece)
      const plain = inflateSegment(piece.stored, piece.segment.plainLength)
      if (crc32(plain) !== piece.segment.plainCrc) {
        throw new SnapshotError('digest', 'a segment inflates to other bytes')
      }
      return plain
    }),
  )
}

/** A digest of the content of the pieces, from the literals and the hashes of the segments: 22 URL-safe characters. */
export function spliceTag(pieces: readonly Piece[]): string {
  return hash('sha256', seedOf(pieces), 'base64url').slice(0, 22)
}

const digestOf = (pieces: readonly Piece[]): Buffer => hash('sha256', seedOf(pieces), 'buffer')

/** A length before each piece keeps rows of pieces apart that are alike when run together; no literal has 2³² − 1 bytes. */
const SEGMENT_MARK = 0xffffffff
const MARK_LENGTH = 4
const MAX_UTF8 = 3

/** What the pieces say, as short as it can be told. */
function seedOf(pieces: readonly Piece[]): Buffer {
  let most = 0
  for (const piece of pieces) {
    most += MARK_LENGTH + (typeof piece === 'string' ? piece.length * MAX_UTF8 : SHORT_HASH_LENGTH)
  }
  const seed = Buffer.allocUnsafe(most)
  let at = 0
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      const length = seed.write(piece, at + MARK_LENGTH)
      seed.writeUInt32LE(length, at)
      at += MARK_LENGTH + length
    } else {
      seed.writeUInt32LE(SEGMENT_MARK, at)
      seed.set(piece.segment.hash, at + MARK_LENGTH)
      at += MARK_LENGTH + SHORT_HASH_LENGTH
    }
  }
  return seed.subarray(0, at)
}
