/** Number sets as bitmaps, 32 numbers per word: 44 KB for 350,000 CVEs. */

export type Bits = Uint32Array

const emptyBits = (count: number): Bits => new Uint32Array((count + 31) >>> 5)

/** Returns the numbers from 0 up to `count` that pass `test`. */
export function bitsWhere(count: number, test: (number: number) => boolean): Bits {
  const bits = emptyBits(count)
  for (let number = 0; number < count; number++) if (test(number)) bits[number >>> 5]! |= 1 << (number & 31)
  return bits
}

export function bitsOf(count: number, numbers: Uint32Array): Bits {
  const bits = emptyBits(count)
  for (const number of numbers) bits[number >>> 5]! |= 1 << (number & 31)
  return bits
}

export const hasBit = (bits: Bits, number: number): boolean => (bits[number >>> 5]! & (1 << (number & 31))) !== 0

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

/** A clause of an intersection: the union of `any`, inverted when `not` is -1. */
export interface Clause {
  any: readonly Bits[]
  not: 0 | -1
}

/** Returns a bitmap that contains all matches of `clauses`, when the first clause is one plain bitmap. */
export function amongOf(clauses: readonly Clause[]): Bits | null {
  const first = clauses[0]
  return first && first.not === 0 && first.any.length === 1 ? first.any[0]! : null
}

/**
 * Returns one word of the intersection of `clauses`; all ones without clauses. Fastest when the sparsest clauses come
 * first.
 */
export function wordOf(clauses: readonly Clause[], at: number): number {
  let word = -1
  for (let i = 0; i < clauses.length; i++) {
    const { any, not } = clauses[i]!
    let union = 0
    for (let j = 0; j < any.length; j++) union |= any[j]![at]!
    word &= union ^ not
    if (word === 0) break
  }
  return word
}

/** Returns a word with only the bits from `low` up to, not including, `high`. Both may be outside of the word. */
export function cutWord(word: number, at: number, low: number, high: number): number {
  const first = at << 5
  if (low >= first + 32 || high <= first) return 0
  if (low > first) word &= -1 << (low - first)
  if (high < first + 32) word &= 2 ** (high - first) - 1
  return word
}
