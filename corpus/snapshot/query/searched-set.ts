/**
 * A searchable set of `query.db`. Matches of up to three bytes are stored. Longer strings are searched in the texts of
 * entries that contain all of their trigrams. Entries of `advisory` find CVEs: each CVE is one result, with the ordinal
 * that it has in `cve`, and the best rank of its entries. In other sets each entry is a result.
 */

import { fold } from '../codec/fold.ts'
import { SnapshotError } from '../error.ts'
import type { Blocks } from './blocks.ts'
import { gramAt, MAX_GRAM } from './entry-grams.ts'
import { BEST_FROM, unpackBest } from './grams.ts'
import { decodePostings, intersect, intersectAscending, intersectBits, type Postings, postings } from './postings.ts'
import { bestOf, bestResults, RANK, type Ranked, rankOf } from './rank.ts'
import type { RowReader, SetHead } from './rows.ts'
import { setNumber, type TextSetName } from './sets.ts'
import type { Steps } from './steps.ts'
import { decodeBlock, ENTRIES_PER_BLOCK, type Find, finder, type Texts } from './texts.ts'

export interface SearchedSet {
  /** Returns the ordinals of all results, ascending. */
  matches(q: string): Steps<Uint32Array>
  /** Returns the `limit` best results, and the number of entries that match. */
  best(q: string, limit: number): Steps<{ count: number; ranked: Ranked[] }>
  /** Returns how many of some entries match `q`, which is not empty. `ordinals` ascend. */
  countAmong(ordinals: Uint32Array, q: string): Steps<number>
  isFirst(ordinal: number): boolean
  /** Loads its texts into memory, one block per step, until the cache is full. */
  warm(): Steps<void>
}

interface Opening {
  head: SetHead
  reader: RowReader
  blocks: Blocks
  /** Distinguishes the blocks of this database in the cache. */
  database: number
}

const CANDIDATES_PER_STEP = 4096
/** Searching a string in an entry takes about as long as this many steps of a postings merge. */
const STEPS_PER_TEXT = 16

export function openSearched(set: TextSetName, { head, reader, blocks, database }: Opening): SearchedSet {
  const number = setNumber(set)
  const { count, first, grams, gramCounts, cves } = head
  const resultOf = (ordinal: number) => (cves ? cves[ordinal]! : ordinal)
  const isFirst = (ordinal: number) => (first[ordinal >>> 3]! & (1 << (ordinal & 7))) !== 0

  function countOf(gram: number): number {
    let from = 0
    let to = grams.length
    while (from < to) {
      const middle = (from + to) >>> 1
      if (grams[middle]! < gram) from = middle + 1
      else to = middle
    }
    return grams[from] === gram ? gramCounts[from]! : 0
  }

  const postingsOf = (gram: number): Postings => postings(reader.read('grams', number, gram), countOf(gram), count)

  function block(of: number): Texts {
    const entries = Math.min(ENTRIES_PER_BLOCK, count - of * ENTRIES_PER_BLOCK)
    return blocks.get(database, `${number} ${of}`, () => decodeBlock(reader.read('texts', number, of), entries))
  }

  /**
   * Returns entries that may contain `needle`: those with all of its grams. Stops intersecting when scanning is
   * cheaper.
   */
  function* candidates(needle: Uint8Array): Steps<Uint32Array> {
    const length = Math.min(MAX_GRAM, needle.length)
    const wanted = new Map<number, number>()
    for (let at = 0; at + length <= needle.length; at++) {
      const gram = gramAt(needle, at, length)
      wanted.set(gram, countOf(gram))
    }
    const [[rarest, fewest], ...others] = [...wanted].sort(([, a], [, b]) => a - b) as [Gram, ...Gram[]]
    if (fewest === 0) return new Uint32Array(0)
    const few = postingsOf(rarest)
    // A gram in every entry excludes nothing.
    const telling = others.filter(([, entries]) => entries < count)
    if (few.isBits) return intersectBits([few, ...telling.map(([gram]) => postingsOf(gram))], count)
    let found = decodePostings(few, count)
    for (const [gram, entries] of telling) {
      if (found.length * STEPS_PER_TEXT < entries) break
      yield
      found = intersect(found, postingsOf(gram), count)
    }
    return found
  }

  /** Calls `each` for each candidate with `needle`, and its first occurrence in the texts of its block. */
  function* eachMatch(
    find: Find,
    ordinals: Uint32Array,
    each: (ordinal: number, texts: Texts, i: number, found: number) => void,
  ): Steps<void> {
    let texts: Texts | null = null
    let from = 0
    for (let n = 0; n < ordinals.length; n++) {
      if (n % CANDIDATES_PER_STEP === 0) yield
      const ordinal = ordinals[n]!
      if (texts === null || ordinal - from >= ENTRIES_PER_BLOCK) {
        const of = Math.floor(ordinal / ENTRIES_PER_BLOCK)
        from = of * ENTRIES_PER_BLOCK
        texts = block(of)
      }
      const i = ordinal - from
      const found = find(texts.bytes, texts.keyAt[i]!, texts.keyAt[i + 1]!)
      if (found >= 0) each(ordinal, texts, i, found)
    }
  }

  /** Returns the stored best entries of a gram, or null when it is too rare. */
  function storedBest(gram: number): Ranked[] | null {
    if (countOf(gram) <= BEST_FROM) return null
    const bytes = reader.read('bests', number, gram)
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const ranked = Array.from({ length: bytes.length >>> 2 }, (_, i) => unpackBest(view.getUint32(i * 4, true)))
    const results = cves ? cves[count - 1]! + 1 : count
    if (ranked.length > 0 && ranked.every(({ ordinal }) => ordinal < results)) return ranked
    throw new SnapshotError('malformed', `the best matches of a gram in set ${set} of query.db are invalid`)
  }

  /**
   * Returns the results that may rank better than elsewhere; null means any. A string at a word start has its first
   * gram there too. So a best list that ends with "elsewhere" contains all better results.
   */
  function promising(needle: Uint8Array): Set<number> | null {
    const ranked = storedBest(gramAt(needle, 0, Math.min(MAX_GRAM, needle.length)))
    if (!ranked || ranked.at(-1)!.rank !== RANK.elsewhere) return null
    return new Set(ranked.map(({ ordinal }) => ordinal))
  }

  function* entries(q: string): Steps<Uint32Array> {
    const needle = Buffer.from(fold(q))
    if (needle.length === 0) return Uint32Array.from({ length: count }, (_, ordinal) => ordinal)
    return yield* among(needle, yield* candidates(needle))
  }

  /** Returns the candidates that match. Works in place, because the write position never passes the read position. */
  function* among(needle: Uint8Array, candidates: Uint32Array): Steps<Uint32Array> {
    if (needle.length <= MAX_GRAM) return candidates
    let matches = 0
    yield* eachMatch(finder(needle), candidates, (ordinal) => {
      candidates[matches++] = ordinal
    })
    return candidates.subarray(0, matches)
  }

  return {
    isFirst,
    *matches(q) {
      const ordinals = yield* entries(q)
      if (!cves) return ordinals
      let results = 0
      for (const ordinal of ordinals) {
        const cve = cves[ordinal]!
        if (results === 0 || ordinals[results - 1] !== cve) ordinals[results++] = cve
      }
      return ordinals.subarray(0, results)
    },
    *best(q, limit) {
      const needle = Buffer.from(fold(q))
      if (needle.length === 0) throw new RangeError('an empty string has no best matches')
      const gram = needle.length <= MAX_GRAM ? gramAt(needle, 0, needle.length) : null
      const stored = gram === null ? null : storedBest(gram)
      if (gram !== null && stored) return { count: countOf(gram), ranked: stored.slice(0, limit) }

      const ordinals = yield* candidates(needle)
      const better = ordinals.length > BEST_FROM ? promising(needle) : null
      const best = cves ? bestResults(limit) : bestOf(limit)
      const find = finder(needle)
      let matches = 0
      yield* eachMatch(find, ordinals, (ordinal, texts, i, found) => {
        matches++
        const first = isFirst(ordinal)
        const worst = best.worst(first)
        if (worst === -1) return
        const result = resultOf(ordinal)
        const known = better && !better.has(result)
        best.add(result, known ? RANK.elsewhere : rankOf(texts, i, needle, find, found, worst), first)
      })
      return { count: matches, ranked: best.list() }
    },
    *countAmong(ordinals, q) {
      const needle = Buffer.from(fold(q))
      const both = intersectAscending(yield* candidates(needle), ordinals)
      return (yield* among(needle, both)).length
    },
    *warm() {
      for (let of = 0; of * ENTRIES_PER_BLOCK < count && !blocks.isFull(); of++) yield void block(of)
    },
  }
}

type Gram = [gram: number, entries: number]
