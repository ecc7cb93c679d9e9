/**
 * Folded texts as bytes: key and label of each entry in UTF-8, delimited by 0xFF, which UTF-8 never contains and no
 * query matches. Further spellings follow the label. SPEC.md, "Query".
 */

import { fold } from '../codec/fold.ts'
import { SnapshotError } from '../error.ts'
import type { ReadSet } from './sets.ts'

export const BORDER = 0xff

/** Entries per block, the unit of storage, reading and caching. */
export const ENTRIES_PER_BLOCK = 2048

export interface Texts {
  bytes: Uint8Array
  count: number
  /** Start of each entry's key; the last element is the end. */
  keyAt: Uint32Array
  labelAt: Uint32Array
}

/** `expected` is the length of the result in bytes, about. */
export function foldTexts(
  { keys, labels, spellings }: Pick<ReadSet, 'keys' | 'labels' | 'spellings'>,
  expected = 1024 * 1024,
): Texts {
  const count = keys.length
  const keyAt = new Uint32Array(count + 1)
  const labelAt = new Uint32Array(count)
  let bytes = Buffer.allocUnsafe(expected)
  let at = 0
  const border = () => {
    bytes[at++] = BORDER
  }
  const write = (text: string) => {
    const folded = fold(text)
    // A UTF-16 unit takes at most three bytes of UTF-8.
    const most = folded.length * 3 + 2
    if (at + most > bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(bytes.length * 2, at + most))
      bytes.copy(larger, 0, 0, at)
      bytes = larger
    }
    at += bytes.write(folded, at)
    border()
  }
  border()
  for (let i = 0; i < count; i++) {
    keyAt[i] = at
    write(keys.at(i)!)
    labelAt[i] = at
    write(labels.at(i)! + (spellings?.at(i) ?? ''))
  }
  keyAt[count] = at
  return { bytes: bytes.subarray(0, at), count, keyAt, labelAt }
}

/** Returns the bytes of a block, including the delimiters before its first and after its last entry. */
export function blockBytes({ bytes, count, keyAt }: Texts, block: number): Uint8Array {
  const from = block * ENTRIES_PER_BLOCK
  return bytes.subarray(keyAt[from]! - 1, keyAt[Math.min(from + ENTRIES_PER_BLOCK, count)]!)
}

/** The byte range of a block, and the arrays that `decodeBlock` fills with the starts of keys and labels. */
type BlockRange = Pick<Texts, 'keyAt' | 'labelAt'> & { from: number; to: number }

/** @throws SnapshotError `malformed` when there are not `count` entries */
export function decodeBlock(bytes: Uint8Array, count: number, range = wholeRange(bytes, count)): Texts {
  const { from, to, keyAt, labelAt } = range
  let borders = 0
  for (let at = from; at < to; at++) {
    if (bytes[at] !== BORDER) continue
    if (borders & 1) labelAt[borders >>> 1] = at + 1
    else keyAt[borders >>> 1] = at + 1
    borders++
  }
  if (borders !== 2 * count + 1 || bytes[from] !== BORDER || keyAt[count] !== to) {
    throw new SnapshotError('malformed', 'texts of query.db cannot be decoded')
  }
  return { bytes, count, keyAt, labelAt }
}

const wholeRange = (bytes: Uint8Array, count: number): BlockRange => ({
  from: 0,
  to: bytes.length,
  keyAt: new Uint32Array(count + 1),
  labelAt: new Uint32Array(count),
})

/** Returns the first occurrence of a string from `from` on, before `to`, or -1. */
export type Find = (bytes: Uint8Array, from: number, to: number) => number

/** Returns a finder of `needle`. The last byte of the window determines the shift (Horspool 1980). */
export function finder(needle: Uint8Array): Find {
  const end = needle.length - 1
  const shifts = new Uint16Array(256).fill(needle.length)
  for (let i = 0; i < end; i++) shifts[needle[i]!] = end - i
  const final = needle[end]!
  return (bytes, from, to) => {
    for (let at = from + end; at < to; ) {
      const byte = bytes[at]!
      if (byte === final && isAt(bytes, needle, at - end)) return at - end
      at += shifts[byte]!
    }
    return -1
  }
}

export function isAt(bytes: Uint8Array, needle: Uint8Array, at: number): boolean {
  for (let i = 0; i < needle.length; i++) if (bytes[at + i] !== needle[i]) return false
  return true
}
