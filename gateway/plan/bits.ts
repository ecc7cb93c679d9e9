/** Sets of ordinals as bits, 32 to a word: a few kilobytes for a hundred thousand CVEs. */

export type Bits = Uint32Array

export function emptyBits(count: number): Bits {
  return new Uint32Array((count + 31) >>> 5)
}

/** The ordinals from 0 to `count` that pass `test`. */
export function bitsWhere(count: number, test: (ordinal: number) => boolean): Bits {
  const bits = emptyBits(count)
  for (let ordinal = 0; ordinal < count; ordinal++) if (test(ordinal)) bits[ordinal >>> 5]! |= 1 << (ordinal & 31)
  return bits
}

export function bitsOf(count: number, ordinals: Uint32Array): Bits {
  const bits = emptyBits(count)
  for (const ordinal of ordinals) bits[ordinal >>> 5]! |= 1 << (ordinal & 31)
  return bits
}

/** The ordinals from `from` up to, not including, `to`. */
export function bitsBetween(count: number, from: number, to: number): Bits {
  const bits = emptyBits(count)
  for (let ordinal = from; ordinal < to; ordinal++) {
    if ((ordinal & 31) === 0 && to - ordinal >= 32) {
      bits[ordinal >>> 5] = 0xffffffff
      ordinal += 31
    } else {
      bits[ordinal >>> 5]! |= 1 << (ordinal & 31)
    }
  }
  return bits
}

export const hasBit = (bits: Bits, ordinal: number): boolean => (bits[ordinal >>> 5]! & (1 << (ordinal & 31))) !== 0

/** Keeps in `bits` only what `other` has too. */
export function intersectBits(bits: Bits, other: Bits): void {
  for (let word = 0; word < bits.length; word++) bits[word]! &= other[word]!
}

/** Adds to `bits` what `other` has. */
export function uniteBits(bits: Bits, other: Bits): void {
  for (let word = 0; word < bits.length; word++) bits[word]! |= other[word]!
}

/** The ordinals below `count` that `bits` does not have. */
export function invertBits(bits: Bits, count: number): Bits {
  const inverted = bits.map((word) => ~word)
  if (count & 31) inverted[inverted.length - 1]! &= 2 ** (count & 31) - 1
  return inverted
}

export function countBits(bits: Bits): number {
  let count = 0
  for (let word = 0; word < bits.length; word++) {
    let rest = bits[word]!
    rest -= (rest >>> 1) & 0x55555555
    rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333)
    count += Math.imul((rest + (rest >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
  }
  return count
}

/** The ordinals in `bits`, ascending; `count` is how many there are. */
export function ordinalsOf(bits: Bits, count: number): Uint32Array {
  const ordinals = new Uint32Array(count)
  let at = 0
  for (let word = 0; word < bits.length; word++) {
    for (let rest = bits[word]!; rest !== 0; rest &= rest - 1) {
      ordinals[at++] = (word << 5) + 31 - Math.clz32(rest & -rest)
    }
  }
  return ordinals
}
