/**
 * Postings: an ascending list of ordinals, as differences (seven bits per byte) or as a bitmap when that is no longer.
 * The length determines the form. SPEC.md, "Query".
 */
import { SnapshotError } from '../error.ts'

export const differenceLength = (difference: number): number =>
  difference < 1 << 7 ? 1 : difference < 1 << 14 ? 2 : difference < 1 << 21 ? 3 : difference < 1 << 28 ? 4 : 5

export const bitsLength = (size: number): number => Math.ceil(size / 8)

/** Returns the length in bytes of postings with `differences` bytes of differences, in a set of `size` entries. */
export const postingsLength = (differences: number, size: number): number => Math.min(differences, bitsLength(size))

/**
 * Writes a difference at `at` as LEB128: lowest seven bits first, high bit set on all bytes but the last. Returns the
 * position after it.
 */
export function writeDifference(bytes: Uint8Array, at: number, difference: number): number {
  for (; difference >= 0x80; difference >>>= 7) bytes[at++] = (difference & 0x7f) | 0x80
  bytes[at++] = difference
  return at
}

/** Decodable postings. Bitmaps also allow tests of single ordinals. */
export interface Postings {
  count: number
  bytes: Uint8Array
  isBits: boolean
}

export const postings = (bytes: Uint8Array, count: number, size: number): Postings => ({
  count,
  bytes,
  isBits: bytes.length === bitsLength(size),
})

/** Encodes ascending `ordinals`. The set ends with the last of them. */
export function encodePostings(ordinals: Uint32Array): Postings {
  const count = ordinals.length
  const size = count === 0 ? 0 : ordinals[count - 1]! + 1
  let length = 0
  for (let i = 0; i < count; i++) length += differenceLength(differenceAt(ordinals, i))
  const isBits = length >= bitsLength(size)
  const bytes = new Uint8Array(postingsLength(length, size))
  if (isBits) {
    for (const ordinal of ordinals) bytes[ordinal >>> 3]! |= 1 << (ordinal & 7)
  } else {
    let at = 0
    for (let i = 0; i < count; i++) at = writeDifference(bytes, at, differenceAt(ordinals, i))
  }
  return { count, bytes, isBits }
}

/** The first difference counts from -1. */
const differenceAt = (ordinals: Uint32Array, i: number): number => ordinals[i]! - (i === 0 ? -1 : ordinals[i - 1]!)

/** Writes the ordinals to an array that has room for them. Returns the number of ordinals in the postings. */
export function writeOrdinals({ bytes, isBits }: Postings, ordinals: Uint32Array): number {
  return isBits ? fromBits(bytes, ordinals) : fromDifferences(bytes, ordinals)
}

/** @throws SnapshotError `malformed` when the count is wrong or an ordinal is outside the set */
export function decodePostings(postings: Postings, size: number): Uint32Array {
  const { count } = postings
  const ordinals = new Uint32Array(count)
  const end = writeOrdinals(postings, ordinals)
  if (end !== count || (count > 0 && ordinals[count - 1]! >= size)) {
    throw new SnapshotError('malformed', 'postings of query.db cannot be decoded')
  }
  return ordinals
}

/** Returns the ordinals in all of `several`, which must be bitmaps. */
export function intersectBits(several: readonly Postings[], size: number): Uint32Array {
  const bits = Uint8Array.from(several[0]!.bytes)
  for (const { bytes } of several.slice(1)) for (let at = 0; at < bits.length; at++) bits[at]! &= bytes[at]!
  const ordinals = new Uint32Array(several[0]!.count)
  const count = fromBits(bits, ordinals)
  if (count > ordinals.length || (count > 0 && ordinals[count - 1]! >= size)) {
    throw new SnapshotError('malformed', 'postings of query.db cannot be decoded')
  }
  return ordinals.subarray(0, count)
}

function fromBits(bytes: Uint8Array, ordinals: Uint32Array): number {
  let found = 0
  for (let at = 0; at < bytes.length; at++) {
    for (let rest = bytes[at]!; rest !== 0; rest &= rest - 1) {
      ordinals[found++] = (at << 3) + 31 - Math.clz32(rest & -rest)
    }
  }
  return found
}

function fromDifferences(bytes: Uint8Array, ordinals: Uint32Array): number {
  let last = -1
  let found = 0
  for (let at = 0; at < bytes.length; ) {
    let byte = bytes[at++]!
    let difference = byte & 0x7f
    for (let shift = 7; byte >= 0x80 && at < bytes.length; shift += 7) {
      byte = bytes[at++]!
      difference |= (byte & 0x7f) << shift
    }
    last += difference
    ordinals[found++] = last
  }
  return found
}

/**
 * Returns the `candidates`, ascending, that are also in the postings. Works in place: the write position never passes
 * the read position.
 */
export function intersect(candidates: Uint32Array, other: Postings, size: number): Uint32Array {
  let found = 0
  if (other.isBits) {
    for (const ordinal of candidates) {
      if (other.bytes[ordinal >>> 3]! & (1 << (ordinal & 7))) candidates[found++] = ordinal
    }
    return candidates.subarray(0, found)
  }
  return intersectAscending(candidates, decodePostings(other, size))
}

/** Returns the `candidates` that are also in `ordinals`; both ascend. Works in place. */
export function intersectAscending(candidates: Uint32Array, ordinals: Uint32Array): Uint32Array {
  let found = 0
  for (let i = 0, j = 0; i < candidates.length && j < ordinals.length; ) {
    const difference = candidates[i]! - ordinals[j]!
    if (difference === 0) candidates[found++] = candidates[i]!
    if (difference <= 0) i++
    if (difference >= 0) j++
  }
  return candidates.subarray(0, found)
}
