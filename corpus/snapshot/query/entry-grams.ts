/** The grams of one entry, grouped by rank, best first. */
import { isWordStart } from './rank.ts'
import { BORDER, type Texts } from './texts.ts'

export const MAX_GRAM = 3
/** The first number of the grams of each length. */
const BASE_2 = 0x100
const BASE_3 = 0x10100
export const GRAM_NUMBERS = 0x1010100

export function gramAt(bytes: Uint8Array, at: number, length: number): number {
  const one = bytes[at]!
  if (length === 1) return one
  const two = (one << 8) | bytes[at + 1]!
  return length === 2 ? BASE_2 + two : BASE_3 + ((two << 8) | bytes[at + 2]!)
}

/** Gram numbers of one entry. A gram may occur several times; its first occurrence decides the rank. */
export interface EntryGrams {
  numbers: Uint32Array
  /** Up to here: grams at the beginning of key and label. */
  prefixEnd: number
  /** From there up to here: grams at word starts. */
  wordsEnd: number
  end: number
  /** The gram equal to the whole key, or -1. */
  exact: number
}

/** Returns a reader of entry grams. Each read overwrites the previous result. */
export function entryGrams({ bytes, keyAt, labelAt }: Texts): { read(ordinal: number): EntryGrams } {
  const entry: EntryGrams = { numbers: new Uint32Array(1024), prefixEnd: 0, wordsEnd: 0, end: 0, exact: -1 }

  /** Writes the grams at `at`. Returns the next free position. */
  function write(numbers: Uint32Array, to: number, at: number): number {
    const one = bytes[at]!
    if (one === BORDER) return to
    numbers[to++] = one
    const second = bytes[at + 1]!
    if (second === BORDER) return to
    const two = (one << 8) | second
    numbers[to++] = BASE_2 + two
    const third = bytes[at + 2]!
    if (third === BORDER) return to
    numbers[to++] = BASE_3 + ((two << 8) | third)
    return to
  }

  return {
    read(ordinal) {
      const key = keyAt[ordinal]!
      const label = labelAt[ordinal]!
      const end = keyAt[ordinal + 1]! - 1
      // Each position may be written twice: as a word start and among all. Two positions are also written as a prefix.
      const most = (end - key + 1) * 2 * MAX_GRAM + 2 * MAX_GRAM
      if (most > entry.numbers.length) entry.numbers = new Uint32Array(most * 2)
      const { numbers } = entry
      const length = label - 1 - key
      entry.exact = length >= 1 && length <= MAX_GRAM ? gramAt(bytes, key, length) : -1
      let to = write(numbers, write(numbers, 0, key), label)
      entry.prefixEnd = to
      for (let at = key + 1; at < end; at++) if (isWordStart(bytes, at)) to = write(numbers, to, at)
      entry.wordsEnd = to
      for (let at = key; at < end; at++) to = write(numbers, to, at)
      entry.end = to
      return entry
    },
  }
}
