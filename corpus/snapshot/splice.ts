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

/** Pieces as one segment. */
export interface FusedPieces {
  segment: Pick<Segment, 'plainLength' | 'plainCrc'>
  stored: Uint8Array
  /** What the pieces say, for tags. */
  seed: Uint8Array
}

export type Piece = string | SplicedSegment | FusedPieces

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

/**
 * The pieces as one, in memory of its own: any row of segments and stored blocks is a segment (SPEC.md, "Segment"). An
 * answer has the same bytes and the same tag whether its pieces were fused or not.
 */
export function fuse(pieces: readonly Piece[]): FusedPieces {
  const bodies = bodiesOf(pieces)
  const length = deflatedLength(pieces, bodies)
  const seedLength = seedLengthOf(pieces, bodies)
  const memory = Buffer.allocUnsafeSlow(length + seedLength)
  const { plainLength, plainCrc } = writePieces(memory, 0, pieces, bodies)
  writeSeed(memory, length, pieces, bodies)
  return { segment: { plainLength, plainCrc }, stored: memory.subarray(0, length), seed: memory.subarray(length) }
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
  const bodies = bodiesOf(pieces)
  const seed = Buffer.allocUnsafe(seedLengthOf(pieces, bodies))
  writeSeed(seed, 0, pieces, bodies)
  return hash('sha256', seed, 'base64url').slice(0, 22)
}

/** Stands before each piece of a seed: the length of a literal, or this before the hash of a segment. */
const SEGMENT_MARK = 0xffffffff
const MARK_LENGTH = 4

function seedLengthOf(pieces: readonly Piece[], bodies: readonly Uint8Array[]): number {
  let length = 0
  for (let i = 0; i < pieces.length; i++) {
    const piece = pieces[i]!
    if (typeof piece === 'string') length += MARK_LENGTH + bodies[i]!.length
    else length += 'seed' in piece ? piece.seed.length : MARK_LENGTH + SHORT_HASH_LENGTH
  }
  return length
}

/** What the pieces say, as short as it can be told and so that no other pieces say it. */
function writeSeed(out: Buffer, at: number, pieces: readonly Piece[], bodies: readonly Uint8Array[]): void {
  for (let i = 0; i < pieces.length; i++) {
    const piece = pieces[i]!
    if (typeof piece !== 'string' && 'seed' in piece) {
      out.set(piece.seed, at)
      at += piece.seed.length
      continue
    }
    const said = typeof piece === 'string' ? bodies[i]! : piece.segment.hash
    out.writeUInt32LE(typeof piece === 'string' ? said.length : SEGMENT_MARK, at)
    out.set(said, at + MARK_LENGTH)
    at += MARK_LENGTH + said.length
  }
}
