/**
 * Grams: every string of one to three bytes that occurs in a text, numbered by length and then by its bytes; and of the
 * frequent ones the best entries, because counting is all that can be done with the others in time. SPEC.md, "Query".
 */
import { bitsLength, differenceLength, postingsLength, writeDifference } from './postings.ts'
import { BUCKETS, bucketOf, isWordStart, MOST_BEST, RANK, type Rank } from './rank.ts'
import { BORDER, type Texts } from './texts.ts'

export const MAX_GRAM = 3
/** The first number of the grams of each length, and behind the last one their sum. */
const BASES = [0, 0, 0x100, 0x10100] as const
const GRAM_NUMBERS = 0x1010100

/** A gram in more entries than this has its best ones stored; of fewer they are found in well under a millisecond. */
export const BEST_FROM = 1024

/** The number of the gram of `length` bytes at `at`. */
export function gramAt(bytes: Uint8Array, at: number, length: number): number {
  let number = 0
  for (let i = 0; i < length; i++) number = (number << 8) | bytes[at + i]!
  return BASES[length]! + number
}

/** A gram of a set: its postings, and the best of them where it is a frequent one. */
export interface Gram {
  gram: number
  count: number
  postings: Uint8Array
  best: Uint32Array | null
}

/** An entry of a best list in 32 bits: the rank in the two highest, the ordinal below. */
const packBest = (ordinal: number, rank: Rank): number => ((rank << 30) | ordinal) >>> 0
export const unpackBest = (packed: number) => ({ ordinal: packed & 0x3fffffff, rank: (packed >>> 30) as Rank })

/** Calls `each` for every gram of every entry, once, with the best rank that it has there; ordinals ascend. */
function eachGram(texts: Texts, seen: Int32Array, each: (gram: number, ordinal: number, rank: Rank) => void): void {
  const { bytes, count, keyAt, labelAt } = texts
  for (let ordinal = 0; ordinal < count; ordinal++) {
    const key = keyAt[ordinal]!
    const label = labelAt[ordinal]!
    const end = keyAt[ordinal + 1]!
    const gramsAt = (at: number, rank: Rank) => {
      for (let length = 1; length <= MAX_GRAM && bytes[at + length - 1] !== BORDER; length++) {
        const gram = gramAt(bytes, at, length)
        if (seen[gram] === ordinal + 1) continue
        seen[gram] = ordinal + 1
        const exact = at === key && bytes[at + length] === BORDER
        each(gram, ordinal, exact ? RANK.exact : rank)
      }
    }
    gramsAt(key, RANK.prefix)
    gramsAt(label, RANK.prefix)
    for (let at = key; at < end; at++) if (isWordStart(bytes, at)) gramsAt(at, RANK.wordStart)
    for (let at = key; at < end; at++) gramsAt(at, RANK.elsewhere)
  }
}

/**
 * Collects the grams of sets one after the other. The tables have a place for every gram there could be; only those that
 * occur are ever touched.
 */
export function gramCollector(): (texts: Texts, first: Uint8Array | undefined) => Generator<Gram> {
  const seen = new Int32Array(GRAM_NUMBERS)
  const counts = new Uint32Array(GRAM_NUMBERS)
  /** Bytes that the differences take; then where they are written. */
  const at = new Uint32Array(GRAM_NUMBERS)
  const last = new Int32Array(GRAM_NUMBERS)
  const best = new Uint32Array(GRAM_NUMBERS)

  return function* collect(texts, first) {
    const grams: number[] = []
    eachGram(texts, seen, (gram, ordinal) => {
      if (counts[gram]!++ === 0) {
        grams.push(gram)
        last[gram] = -1
      }
      at[gram]! += differenceLength(ordinal - last[gram]!)
      last[gram] = ordinal
    })
    grams.sort((a, b) => a - b)

    const starts = new Float64Array(grams.length + 1)
    let bests = 0
    for (const [i, gram] of grams.entries()) {
      const length = postingsLength(at[gram]!, texts.count)
      starts[i + 1] = starts[i]! + length
      at[gram] = starts[i]!
      last[gram] = length === bitsLength(texts.count) ? BITS : -1
      if (counts[gram]! > BEST_FROM) best[gram] = ++bests
    }
    const out = new Uint8Array(starts[grams.length]!)
    const kept = new Uint32Array(bests * BUCKETS * MOST_BEST)
    const keptCounts = new Uint8Array(bests * BUCKETS)

    for (const gram of grams) seen[gram] = 0
    eachGram(texts, seen, (gram, ordinal, rank) => {
      const before = last[gram]!
      if (before === BITS) {
        out[at[gram]! + (ordinal >>> 3)]! |= 1 << (ordinal & 7)
      } else {
        at[gram] = writeDifference(out, at[gram]!, ordinal - before)
        last[gram] = ordinal
      }
      if (best[gram] === 0) return
      const bucket = (best[gram]! - 1) * BUCKETS + bucketOf(rank, first?.[ordinal] === 1)
      if (keptCounts[bucket] === MOST_BEST) return
      kept[bucket * MOST_BEST + keptCounts[bucket]!++] = packBest(ordinal, rank)
    })

    for (const [i, gram] of grams.entries()) {
      const number = best[gram]!
      yield {
        gram,
        count: counts[gram]!,
        postings: out.subarray(starts[i], starts[i + 1]),
        best: number === 0 ? null : bestList(kept, keptCounts, number - 1),
      }
      seen[gram] = counts[gram] = at[gram] = best[gram] = 0
    }
  }
}

/** Stands for the last ordinal of postings that are bits, which need none. */
const BITS = -2

/** The best of a gram, from its buckets. */
function bestList(kept: Uint32Array, keptCounts: Uint8Array, number: number): Uint32Array {
  const list: number[] = []
  for (let bucket = number * BUCKETS; bucket < (number + 1) * BUCKETS; bucket++) {
    const from = bucket * MOST_BEST
    list.push(...kept.subarray(from, from + keptCounts[bucket]!))
  }
  return Uint32Array.from(list.slice(0, MOST_BEST))
}
