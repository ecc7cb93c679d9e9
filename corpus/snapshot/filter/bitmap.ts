/** Sets of numbers as bitmaps, 32 numbers per word: 44 KB for 350,000 CVEs. */

export type Bitmap = Uint32Array

/** Returns an empty set for the numbers below `size`. */
export const emptyBitmap = (size: number): Bitmap => new Uint32Array((size + 31) >>> 5)

export function addBit(bits: Bitmap, number: number): void {
  bits[number >>> 5]! |= 1 << (number & 31)
}

export const hasBit = (bits: Bitmap, number: number): boolean => (bits[number >>> 5]! & (1 << (number & 31))) !== 0

/** Returns one word of the intersection of `sets`; all ones without sets. Fastest with the smallest set first. */
export function wordOf(sets: readonly Bitmap[], at: number): number {
  let word = -1
  for (let i = 0; i < sets.length && word !== 0; i++) word &= sets[i]![at]!
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
