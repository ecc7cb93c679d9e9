/** The rank of a match (rule 28): exact id, then prefix of id or label, then word start, then elsewhere. */
import { BORDER, type Find, isAt, type Texts } from './texts.ts'

export const RANK = { exact: 0, prefix: 1, wordStart: 2, elsewhere: 3 } as const
export type Rank = (typeof RANK)[keyof typeof RANK]

const IN_WORD = /[\p{L}\p{M}\p{N}]/u
const ASCII_IN_WORD = Uint8Array.from({ length: 0x80 }, (_, code) => (IN_WORD.test(String.fromCharCode(code)) ? 1 : 0))

/** Whether a word starts at `at`: the preceding character is no letter, mark or digit. */
export function isWordStart(bytes: Uint8Array, at: number): boolean {
  const before = bytes[at - 1]!
  if (before < 0x80) return ASCII_IN_WORD[before] === 0
  return before === BORDER || !IN_WORD.test(lastCharacter(bytes, at))
}

function lastCharacter(bytes: Uint8Array, at: number): string {
  let from = at - 1
  while ((bytes[from]! & 0xc0) === 0x80) from--
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, at - from).toString()
}

/**
 * Returns the rank of entry `i`, where `needle` first occurs at `found`. Ranks worse than `worst` need not be exact.
 */
export function rankOf(texts: Texts, i: number, needle: Uint8Array, find: Find, found: number, worst: Rank): Rank {
  const { bytes, keyAt, labelAt } = texts
  if (found === keyAt[i]) return bytes[found + needle.length] === BORDER ? RANK.exact : RANK.prefix
  if (worst === RANK.exact) return RANK.elsewhere
  if (isAt(bytes, needle, labelAt[i]!)) return RANK.prefix
  if (worst === RANK.prefix) return RANK.elsewhere
  const end = keyAt[i + 1]!
  for (let at = found; at >= 0; at = find(bytes, at + 1, end)) if (isWordStart(bytes, at)) return RANK.wordStart
  return RANK.elsewhere
}

/** Maximum results per type (API 7.2), and the maximum length of a best list. */
export const MAX_BEST = 25

export interface Ranked {
  ordinal: number
  rank: Rank
}

/** Returns the bucket of a rank, better ranks first. Each rank has two buckets; entries with `first` come first. */
export const bucketOf = (rank: Rank, first: boolean): number => rank * 2 + (first ? 0 : 1)
export const BUCKETS = 8

export interface Best {
  add(ordinal: number, rank: Rank, first: boolean): void
  /** Returns the worst rank that would still be among the best, or -1 when none would. */
  worst(first: boolean): Rank | -1
  list(): Ranked[]
}

/** Keeps the `most` best entries, which must be added in ordinal order. Sorts by rank, then `first`, then ordinal. */
export function bestOf(most: number): Best {
  const buckets: Ranked[][] = Array.from({ length: BUCKETS }, () => [])
  /** The first bucket that, with those before it, has enough entries. Later entries in it or behind it are ignored. */
  let full = BUCKETS
  return {
    add(ordinal, rank, first) {
      const bucket = bucketOf(rank, first)
      if (bucket >= full) return
      buckets[bucket]!.push({ ordinal, rank })
      let kept = 0
      full = buckets.findIndex((one) => {
        kept += one.length
        return kept >= most
      })
      if (full < 0) full = BUCKETS
    },
    worst: (first) => (first ? Math.floor((full - 1) / 2) : Math.floor(full / 2) - 1) as Rank | -1,
    list: () => buckets.flat().slice(0, most),
  }
}

/**
 * Like `bestOf`, for entries that share results: keeps each result once, with its best rank. The entries of a result must
 * be added one after the other.
 */
export function bestResults(most: number): Best {
  const best = bestOf(most)
  let last: (Ranked & { first: boolean }) | null = null
  const finish = () => {
    if (last) best.add(last.ordinal, last.rank, last.first)
    last = null
  }
  return {
    add(ordinal, rank, first) {
      if (last?.ordinal === ordinal) {
        if (rank < last.rank) last.rank = rank
        return
      }
      finish()
      last = { ordinal, rank, first }
    },
    worst: best.worst,
    list() {
      finish()
      return best.list()
    },
  }
}
