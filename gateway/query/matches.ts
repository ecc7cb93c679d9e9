/**
 * Packed matches of a text query: one or two bytes each in memory and between threads, instead of four. V8 runs a
 * blocking collection for every 30 MB that arrive from another thread.
 */

/** Ascending ordinals, as differences of seven bits per byte, or as one bit per ordinal when that is no longer. */
export interface Matches {
  count: number
  bytes: Uint8Array
  isBits: boolean
}

export function packMatches(matching: Uint32Array): Matches {
  const count = matching.length
  const bits = count === 0 ? 0 : (matching[count - 1]! >>> 3) + 1
  const differences = new Uint8Array(bits)
  let at = 0
  let last = -1
  for (const ordinal of matching) {
    let difference = ordinal - last
    last = ordinal
    for (; difference >= 0x80; difference >>>= 7) differences[at++] = (difference & 0x7f) | 0x80
    differences[at++] = difference
    if (at >= bits) break
  }
  if (at < bits) return { count, bytes: differences.slice(0, at), isBits: false }
  differences.fill(0)
  for (const ordinal of matching) differences[ordinal >>> 3]! |= 1 << (ordinal & 7)
  return { count, bytes: differences, isBits: true }
}

let ordinals = new Uint32Array(0)

/** The next call overwrites the result. Use it at once. */
export function unpackMatches({ count, bytes, isBits }: Matches): Uint32Array {
  if (ordinals.length < count) ordinals = new Uint32Array(count)
  if (isBits) readBits(bytes)
  else readDifferences(bytes)
  return ordinals.subarray(0, count)
}

function readBits(bytes: Uint8Array): void {
  let found = 0
  for (let at = 0; at < bytes.length; at++) {
    for (let rest = bytes[at]!; rest !== 0; rest &= rest - 1) {
      ordinals[found++] = (at << 3) + 31 - Math.clz32(rest & -rest)
    }
  }
}

function readDifferences(bytes: Uint8Array): void {
  let last = -1
  let found = 0
  for (let at = 0; at < bytes.length; ) {
    let byte = bytes[at++]!
    let difference = byte & 0x7f
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = bytes[at++]!
      difference |= (byte & 0x7f) << shift
    }
    last += difference
    ordinals[found++] = last
  }
}
