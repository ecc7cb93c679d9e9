/**
 * An answer put together from pieces: literals, and segments as they lie on disk. As gzip nothing of it is inflated or
 * deflated; as identity only the segments it uses are inflated. SPEC.md, "Splicing".
 */
import { hash } from 'node:crypto'
import { crc32, crc32Combine } from './crc32.ts'
import { FINAL_BLOCK, inflateSegment, storedLength, writeStoredBlocks } from './deflate.ts'
import { SnapshotError } from './error.ts'
import type { Segment } from './member.ts'

/** A segment with its compressed bytes, already checked against `storedCrc`. */
export interface SplicedSegment {
  segment: Segment
  stored: Uint8Array
}

export type Piece = string | SplicedSegment

/** Magic, DEFLATE, no flags, no time, no extra flags, unknown OS (RFC 1952 2.3). */
const GZIP_HEAD = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255)

/** The pieces as one gzip member. Neighbouring literals should already be one string. */
export function spliceGzip(pieces: readonly Piece[]): Buffer {
  const bodies = pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece.stored))
  let length = GZIP_HEAD.length + FINAL_BLOCK.length + 8
  for (let i = 0; i < pieces.length; i++) {
    length += typeof pieces[i] === 'string' ? storedLength(bodies[i]!.length) : bodies[i]!.length
  }
  const out = Buffer.allocUnsafe(length)
  out.set(GZIP_HEAD, 0)
  let at = GZIP_HEAD.length
  let crc = 0
  let plainLength = 0
  for (let i = 0; i < pieces.length; i++) {
    const piece = pieces[i]!
    const body = bodies[i]!
    if (typeof piece === 'string') {
      at = writeStoredBlocks(out, at, body)
      crc = crc32Combine(crc, crc32(body), body.length)
      plainLength += body.length
    } else {
      out.set(body, at)
      at += body.length
      crc = crc32Combine(crc, piece.segment.plainCrc, piece.segment.plainLength)
      plainLength += piece.segment.plainLength
    }
  }
  out.set(FINAL_BLOCK, at)
  at += FINAL_BLOCK.length
  out.writeUInt32LE(crc, at)
  out.writeUInt32LE(plainLength % 2 ** 32, at + 4)
  return out
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
  const seeds = pieces.map((piece) =>
    typeof piece === 'string' ? `${piece.length}:${piece}` : Buffer.from(piece.segment.hash).toString('latin1'),
  )
  return hash('sha256', seeds.join('\0'), 'base64url').slice(0, 22)
}
