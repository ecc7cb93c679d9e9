/**
 * Grams: all strings of one to three bytes in texts, numbered by length, then bytes. Frequent grams store their best
 * entries, to avoid full scans. SPEC.md, "Query".
 */
import { entryGrams, GRAM_NUMBERS } from './entry-grams.ts'
import { bitsLength, differenceLength, postingsLength, writeDifference } from './postings.ts'
import { BUCKETS, bucketOf, MAX_BEST, RANK, type Rank } from './rank.ts'
import type { ReadSet } from './sets.ts'
import type { Texts } from './texts.ts'

/** Grams in more entries store their best ones. For fewer, a scan takes well under a millisecond. */
export const BEST_FROM = 1024

export interface Gram {
  gram: number
  count: number
  postings: Uint8Array
  best: Uint32Array | null
}

/** Packs an entry of a best list into 32 bits: the rank in the two highest bits, the ordinal below. */
const packBest = (ordinal: number, rank: Rank): number => ((rank << 30) | ordinal) >>> 0
export const unpackBest = (packed: number) => ({ ordinal: packed & 0x3fffffff, rank: (packed >>> 30) as Rank })

/** Returns a function that yields the grams of a set in number order. Call it for one set at a time. */
export function gramCollector(): (texts: Texts, set: Pick<ReadSet, 'first' | 'cves'>) => Generator<Gram> {
  /** The slot of each gram of the current set, counted from 1. Entries of absent grams stay untouched. */
  const slots = new Uint32Array(GRAM_NUMBERS)

  return function* collect(texts, { first, cves }) {
    const grams = numberSlots(texts, slots)
    const { counts, starts, isBits } = measure(texts, grams.length, slots)
    const best = bestLists(counts)
    const postings = new Uint8Array(starts[grams.length]!)
    const ends = Float64Array.from(starts)
    const last = new Int32Array(grams.length).fill(-1)
    const entry = entryGrams(texts)
    for (let ordinal = 0; ordinal < texts.count; ordinal++) {
      const { numbers, prefixEnd, wordsEnd, end, exact } = entry.read(ordinal)
      const isFirst = first?.[ordinal] === 1
      for (let i = 0; i < end; i++) {
        const slot = slots[numbers[i]!]! - 1
        const before = last[slot]!
        if (before === ordinal) continue
        last[slot] = ordinal
        if (isBits[slot]) postings[starts[slot]! + (ordinal >>> 3)]! |= 1 << (ordinal & 7)
        else ends[slot] = writeDifference(postings, ends[slot]!, ordinal - before)
        if (counts[slot]! <= BEST_FROM) continue
        const rank = i < prefixEnd ? (numbers[i] === exact ? RANK.exact : RANK.prefix) : RANK.wordStart
        best.add(slot, cves ? cves[ordinal]! : ordinal, i < wordsEnd ? rank : RANK.elsewhere, isFirst)
      }
    }
    for (const [slot, gram] of grams.entries()) {
      slots[gram] = 0
      const bytes = postings.subarray(starts[slot], starts[slot + 1])
      yield { gram, count: counts[slot]!, postings: bytes, best: best.list(slot) }
    }
  }
}

/** Assigns a slot to each gram that occurs, in number order. Returns these grams. */
function numberSlots(texts: Texts, slots: Uint32Array): Uint32Array {
  const found: number[] = []
  const entry = entryGrams(texts)
  for (let ordinal = 0; ordinal < texts.count; ordinal++) {
    const { numbers, wordsEnd, end } = entry.read(ordinal)
    for (let i = wordsEnd; i < end; i++) {
      const gram = numbers[i]!
      if (slots[gram] !== 0) continue
      slots[gram] = 1
      found.push(gram)
    }
  }
  const grams = Uint32Array.from(found).sort()
  grams.forEach((gram, slot) => {
    slots[gram] = slot + 1
  })
  return grams
}

/** Returns per slot: its number of entries, the start of its postings, and whether they are bits. */
function measure(texts: Texts, size: number, slots: Uint32Array) {
  const counts = new Uint32Array(size)
  const lengths = new Uint32Array(size)
  const last = new Int32Array(size).fill(-1)
  const entry = entryGrams(texts)
  for (let ordinal = 0; ordinal < texts.count; ordinal++) {
    const { numbers, wordsEnd, end } = entry.read(ordinal)
    for (let i = wordsEnd; i < end; i++) {
      const slot = slots[numbers[i]!]! - 1
      const before = last[slot]!
      if (before === ordinal) continue
      last[slot] = ordinal
      counts[slot]!++
      lengths[slot]! += differenceLength(ordinal - before)
    }
  }
  const starts = new Float64Array(size + 1)
  const isBits = new Uint8Array(size)
  for (let slot = 0; slot < size; slot++) {
    const length = postingsLength(lengths[slot]!, texts.count)
    starts[slot + 1] = starts[slot]! + length
    isBits[slot] = length === bitsLength(texts.count) ? 1 : 0
  }
  return { counts, starts, isBits }
}

/** The best entries of frequent grams. They must be added in ordinal order; each CVE of advisories counts once. */
function bestLists(counts: Uint32Array) {
  const numbers = new Uint32Array(counts.length)
  let frequent = 0
  for (let slot = 0; slot < counts.length; slot++) if (counts[slot]! > BEST_FROM) numbers[slot] = ++frequent
  const kept = new Uint32Array(frequent * BUCKETS * MAX_BEST)
  const lengths = new Uint8Array(frequent * BUCKETS)
  return {
    add(slot: number, ordinal: number, rank: Rank, first: boolean): void {
      const bucket = (numbers[slot]! - 1) * BUCKETS + bucketOf(rank, first)
      const end = bucket * MAX_BEST + lengths[bucket]!
      const packed = packBest(ordinal, rank)
      if (lengths[bucket] === MAX_BEST || (lengths[bucket]! > 0 && kept[end - 1] === packed)) return
      kept[end] = packed
      lengths[bucket]!++
    },
    list(slot: number): Uint32Array | null {
      const number = numbers[slot]! - 1
      if (number < 0) return null
      const list = new Map<number, number>()
      for (let bucket = number * BUCKETS; bucket < (number + 1) * BUCKETS; bucket++) {
        for (const packed of kept.subarray(bucket * MAX_BEST, bucket * MAX_BEST + lengths[bucket]!)) {
          const { ordinal } = unpackBest(packed)
          if (!list.has(ordinal)) list.set(ordinal, packed)
        }
      }
      return Uint32Array.from([...list.values()].slice(0, MAX_BEST))
    },
  }
}
