/** The grams of one entry, those of the better ranks first. */
import { isWordStart } from './rank.ts'
import { BORDER, type Texts } from './texts.ts'

export const MAX_GRAM = 3
/** The first number of the grams of each length. */
const BASE_2 = 0x100
const BASE_3 = 0x10100
export const GRAM_NUMBERS = 0x1010100

/** The number of the gram of one to three bytes at `at`. */
export function gramAt(bytes: Uint8Array, at: number, length: number): number {
  const one = bytes[at]!
  if (length === 1) return one
  const two = (one << 8) | bytes[at + 1]!
  return length === 2 ? BASE_2 + two : BASE_3 + ((two << 8) | bytes[at + 2]!)
}

/** Numbers of grams; the same gram may stand there several times, and counts where it stands first. */
export interface EntryGrams {
  numbers: Uint32Array
  /** Up to here those at the beginning of key and label. */
  prefixEnd: number
  /** From there up to here those where a word starts. */
  wordsEnd: number
  /** From there up to here all there are. */
  end: number
  /** The gram that is the whole key, or -1. */
  exact: number
}

/** Reads the grams of entries, one at a time: the next one overwrites the last. */
export function entryGrams({ bytes, keyAt, labelAt }: Texts): { read(ordinal: number): EntryGrams } {
  const entry: EntryGrams = { numbers: new Uint32Array(1024), prefixEnd: 0, wordsEnd: 0, end: 0, exact: -1 }

  /** Writes the grams at `at` and gives where the next ones go. */
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
      // Every place may be written twice, as a word start and among all, and two of them a third time.
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
