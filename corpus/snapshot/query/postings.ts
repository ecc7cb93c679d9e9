/**
 * Postings: which ordinals, ascending, something occurs in. Differences of seven bits to a byte, or a bit for each ordinal
 * where that is no longer: so the length tells which. SPEC.md, "Query".
 */
import { SnapshotError } from '../error.ts'

/** The bytes that a difference takes. */
export const differenceLength = (difference: number): number =>
  difference < 1 << 7 ? 1 : difference < 1 << 14 ? 2 : difference < 1 << 21 ? 3 : difference < 1 << 28 ? 4 : 5

/** The bytes that a bit for each of `size` ordinals takes. */
export const bitsLength = (size: number): number => Math.ceil(size / 8)

/** The length of postings whose differences take `differences` bytes, in a set of `size` entries. */
export const postingsLength = (differences: number, size: number): number => Math.min(differences, bitsLength(size))

/** Writes a difference at `at`, the lowest seven bits first; the high bit is set on all bytes but the last. */
export function writeDifference(bytes: Uint8Array, at: number, difference: number): number {
  for (; difference >= 0x80; difference >>>= 7) bytes[at++] = (difference & 0x7f) | 0x80
  bytes[at++] = difference
  return at
}

/** Postings as they are read: enumerated, or asked for one ordinal each where they are bits. */
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

/** Postings of ascending `ordinals`, of a set that ends with the last of them. */
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

/** The first one is counted from -1. */
const differenceAt = (ordinals: Uint32Array, i: number): number => ordinals[i]! - (i === 0 ? -1 : ordinals[i - 1]!)

/** Writes the ordinals into memory that has room for them, and gives how many were there to be written. */
export function writeOrdinals({ bytes, isBits }: Postings, ordinals: Uint32Array): number {
  return isBits ? fromBits(bytes, ordinals) : fromDifferences(bytes, ordinals)
}

/** @throws SnapshotError `malformed` when there are not as many as there should be, or one lies outside the set */
export function decodePostings(postings: Postings, size: number): Uint32Array {
  const { count } = postings
  const ordinals = new Uint32Array(count)
  const end = writeOrdinals(postings, ordinals)
  if (end !== count || (count > 0 && ordinals[count - 1]! >= size)) {
    throw new SnapshotError('malformed', 'postings of query.db do not decode')
  }
  return ordinals
}

/** The ordinals that are in all of `several`, which are bits. */
export function intersectBits(several: readonly Postings[], size: number): Uint32Array {
  const bits = Uint8Array.from(several[0]!.bytes)
  for (const { bytes } of several.slice(1)) for (let at = 0; at < bits.length; at++) bits[at]! &= bytes[at]!
  const ordinals = new Uint32Array(several[0]!.count)
  const count = fromBits(bits, ordinals)
  if (count > ordinals.length || (count > 0 && ordinals[count - 1]! >= size)) {
    throw new SnapshotError('malformed', 'postings of query.db do not decode')
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

/** Those of `candidates`, ascending, that are in postings as well. They are put together in place: what is kept never overtakes what is read. */
export function intersect(candidates: Uint32Array, other: Postings, size: number): Uint32Array {
  let found = 0
  if (other.isBits) {
    for (const ordinal of candidates) {
      if (other.bytes[ordinal >>> 3]! & (1 << (ordinal & 7))) candidates[found++] = ordinal
    }
    return candidates.subarray(0, found)
  }
  const ordinals = decodePostings(other, size)
  for (let i = 0, j = 0; i < candidates.length && j < ordinals.length; ) {
    const difference = candidates[i]! - ordinals[j]!
    if (difference === 0) candidates[found++] = candidates[i]!
    if (difference <= 0) i++
    if (difference >= 0) j++
  }
  return candidates.subarray(0, found)
}
