/**
 * A searchable set of `query.db`. Matches of up to three bytes are stored. Longer strings are searched in the texts of
 * entries that contain all of their trigrams. Entries of `advisory` find CVEs: each CVE is one result, with the ordinal
 * that it has in `cve`, and the best rank of its entries. In other sets each entry is a result.
 */

import { fold } from '../codec/fold.ts'
import { SnapshotError } from '../error.ts'
import { candidates, countOf, readRow, rowOf, type SetRows } from './candidates.ts'
import { gramAt, MAX_GRAM } from './entry-grams.ts'
import { BEST_FROM, unpackBest } from './grams.ts'
import { intersectAscending } from './postings.ts'
import { bestOf, bestResults, bucketOf, RANK, type Rank, type Ranked, rankOf } from './rank.ts'
import { type EachMatch, eachRemoteMatch, REMOTE_ROWS, type Until } from './remote-matches.ts'
import type { RowReader, SetHead } from './rows.ts'
import { setNumber, type TextSetName } from './sets.ts'
import type { Steps } from './steps.ts'
import type { SearchableTexts, TextCache } from './text-cache.ts'
import { ENTRIES_PER_BLOCK, finder } from './texts.ts'

export interface SearchedSet {
  /** Returns the ordinals of all results, ascending. */
  matches(q: string): Steps<Uint32Array>
  /** Returns the `limit` best results. */
  best(q: string, limit: number): Steps<BestResults>
  /**
   * Returns the `limit` best results alone, which can take fewer rows. Results that rank behind `worst` may be left out.
   */
  suggestions(q: string, limit: number, worst?: Rank): Steps<Ranked[]>
  /** Returns how many of some entries match `q`, which is not empty. `ordinals` ascend. */
  countAmong(ordinals: Uint32Array, q: string): Steps<number>
  isFirst(ordinal: number): boolean
  /** Reads its texts, one block per step, until the cache is full. */
  warm(): Steps<void>
}

export interface BestResults {
  /** The number of entries that match. */
  count: number
  ranked: Ranked[]
  /** The ordinals of all results, ascending, if several entries can find one and all were read; otherwise null. */
  results: Uint32Array | null
}

interface Opening {
  head: SetHead
  reader: RowReader
  source: Source
}

/** The source of the texts. */
export type Source =
  /** A local file. `database` distinguishes it from others that share the cache. */
  | { cache: TextCache; database: number }
  /** Each row is a download: read as few bytes as possible, and many rows at once. */
  | 'remote'

type Local = Exclude<Source, 'remote'>

const CANDIDATES_PER_STEP = 4096
/** At most this many, because each may have to be read and decoded. */
const BLOCKS_PER_STEP = 4
/** Searching a string in an entry takes about as long as this many steps of a postings merge. */
const STEPS_PER_TEXT = 6
/** A text takes about as many bytes as this many postings. */
const REMOTE_STEPS_PER_TEXT = 4096

export function openSearched(set: TextSetName, { head, reader, source }: Opening): SearchedSet {
  const rows: SetRows = { set, head, reader }
  const { count, first, cves } = head
  const resultOf = (ordinal: number) => (cves ? cves[ordinal]! : ordinal)
  const stepsPerText = source === 'remote' ? REMOTE_STEPS_PER_TEXT : STEPS_PER_TEXT
  const isFirst = (ordinal: number) => (first[ordinal >>> 3]! & (1 << (ordinal & 7))) !== 0
  const candidatesOf = (needle: Uint8Array, some?: Uint32Array) => candidates(rows, needle, stepsPerText, some)

  /** Replaces entries, which ascend, by their results, each once. */
  function resultsOf(ordinals: Uint32Array): Uint32Array {
    let results = 0
    for (const ordinal of ordinals) {
      const result = resultOf(ordinal)
      if (results === 0 || ordinals[results - 1] !== result) ordinals[results++] = result
    }
    return ordinals.subarray(0, results)
  }

  /** Calls `each` for each candidate that contains `needle`, with the position of the first occurrence. */
  const eachMatch = (needle: Uint8Array, ordinals: Uint32Array, each: EachMatch, until?: Until): Steps<void> =>
    source === 'remote'
      ? eachRemoteMatch(rows, finder(needle), ordinals, each, until)
      : eachLocalMatch(source, needle, ordinals, each, until)

  function block({ cache, database }: Local, of: number): SearchableTexts {
    const entries = Math.min(ENTRIES_PER_BLOCK, count - of * ENTRIES_PER_BLOCK)
    return cache.get(database, `${setNumber(set)} ${of}`, entries, () => readRow(rows, 'texts', of))
  }

  function* eachLocalMatch(
    local: Local,
    needle: Uint8Array,
    ordinals: Uint32Array,
    each: EachMatch,
    until?: Until,
  ): Steps<void> {
    let searched = 0
    for (let n = 0; n < ordinals.length; ) {
      const of = Math.floor(ordinals[n]! / ENTRIES_PER_BLOCK)
      const first = of * ENTRIES_PER_BLOCK
      const texts = block(local, of)
      const { entries, positions } = texts
      let asked = 0
      while (n < ordinals.length && ordinals[n]! - first < ENTRIES_PER_BLOCK) entries[asked++] = ordinals[n++]! - first
      const found = texts.find(needle, asked)
      for (let m = 0; m < found; m++) {
        const i = entries[m]!
        each(first + i, texts, i, positions[m]!)
        if (until?.isEnough()) return
      }
      searched += Math.max(asked, CANDIDATES_PER_STEP / BLOCKS_PER_STEP)
      if (searched < CANDIDATES_PER_STEP) continue
      searched = 0
      yield
    }
  }

  /** Returns the stored best entries of a gram, or null when it is too rare. */
  function* storedBest(gram: number): Steps<Ranked[] | null> {
    if (countOf(head, gram) <= BEST_FROM) return null
    yield () => [rowOf(rows, 'bests', gram)]
    const bytes = readRow(rows, 'bests', gram)
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
  function* promising(needle: Uint8Array): Steps<Set<number> | null> {
    const ranked = yield* storedBest(gramAt(needle, 0, Math.min(MAX_GRAM, needle.length)))
    if (!ranked || ranked.at(-1)!.rank !== RANK.elsewhere) return null
    return new Set(ranked.map(({ ordinal }) => ordinal))
  }

  /**
   * Returns the best results from `ranked`, the best ones of the first gram; null if others may be better. Another entry
   * ranks behind all of these for the gram, and no better for the string, unless the string is its key.
   */
  function* bestAmong(ranked: readonly Ranked[], needle: Uint8Array, limit: number): Steps<Ranked[] | null> {
    const { ordinal: last, rank } = ranked.at(-1)!
    const behind = bucketOf(rank, isFirst(last))
    const best = bestOf(limit)
    const find = finder(needle)
    const ordinals = Uint32Array.from(ranked, ({ ordinal }) => ordinal).sort()
    let better = 0
    yield* eachRemoteMatch(rows, find, ordinals, (ordinal, texts, i, found) => {
      const first = isFirst(ordinal)
      const rank = rankOf(texts, i, needle, find, found, RANK.elsewhere)
      const bucket = bucketOf(rank, first)
      if (bucket > behind || (bucket === behind && ordinal > last)) return
      better++
      best.add(ordinal, rank, first)
    })
    return better < limit ? null : best.list()
  }

  /**
   * Returns the best results without the number of matches. Only entries in `better`, which ascend, can rank better than
   * `lastRank`. The others are searched in the order of results of one rank, until `limit` results rank no worse.
   */
  function* bestUncounted(needle: Uint8Array, limit: number, lastRank: Rank, better: Uint32Array): Steps<Ranked[]> {
    const ordinals = yield* candidatesOf(needle)
    const best = bestOf(limit)
    const find = finder(needle)
    let enough = 0
    const isEnough = () => enough >= limit
    const adding = (isBetter: boolean): EachMatch => {
      return (ordinal, texts, i, found) => {
        const rank = rankOf(texts, i, needle, find, found, RANK.elsewhere)
        if (rank < lastRank !== isBetter) return
        best.add(ordinal, rank, isFirst(ordinal))
        if (rank <= lastRank) enough++
      }
    }
    yield* eachMatch(needle, intersectAscending(better, ordinals), adding(true))
    const until = { rows: ordinals.length > REMOTE_ROWS ? limit : REMOTE_ROWS, isEnough }
    for (const isFirstNow of [true, false]) {
      if (isEnough()) break
      const searched = ordinals.filter((ordinal) => isFirst(ordinal) === isFirstNow)
      yield* eachMatch(needle, searched, adding(false), until)
    }
    return best.list()
  }

  /**
   * Returns the best results without the number of matches, from texts in memory; null if all candidates have to be
   * searched. The stored best entries of the first gram contain all that rank better for it than the last of them.
   */
  function* bestInMemory(needle: Uint8Array, limit: number): Steps<Ranked[] | null> {
    const stored = yield* storedBest(gramAt(needle, 0, MAX_GRAM))
    if (!stored) return null
    const { rank: lastRank } = stored.at(-1)!
    if (lastRank <= RANK.prefix && mayBeKey(needle)) return null
    const better = stored.filter(({ rank }) => rank < lastRank).map(({ ordinal }) => ordinal)
    return yield* bestUncounted(needle, limit, lastRank, Uint32Array.from(better).sort())
  }

  function* entries(q: string): Steps<Uint32Array> {
    const needle = Buffer.from(fold(q))
    if (needle.length === 0) return Uint32Array.from({ length: count }, (_, ordinal) => ordinal)
    return yield* among(needle, yield* candidatesOf(needle))
  }

  /** Returns the candidates that match. Works in place, because the write position never passes the read position. */
  function* among(needle: Uint8Array, ordinals: Uint32Array): Steps<Uint32Array> {
    if (needle.length <= MAX_GRAM) return ordinals
    let matches = 0
    yield* eachMatch(needle, ordinals, (ordinal) => {
      ordinals[matches++] = ordinal
    })
    return ordinals.subarray(0, matches)
  }

  /** Whether an entry may have the string as its key. */
  const mayBeKey = (needle: Uint8Array) => set !== 'cve' || CVE_KEY.test(Buffer.from(needle).toString())

  const needleOf = (q: string): Uint8Array => {
    const needle = Buffer.from(fold(q))
    if (needle.length === 0) throw new RangeError('an empty string has no best matches')
    return needle
  }

  const searched: SearchedSet = {
    isFirst,
    *matches(q) {
      const ordinals = yield* entries(q)
      return cves ? resultsOf(ordinals) : ordinals
    },
    *best(q, limit) {
      const needle = needleOf(q)
      const gram = needle.length <= MAX_GRAM ? gramAt(needle, 0, needle.length) : null
      const stored = gram === null ? null : yield* storedBest(gram)
      if (gram !== null && stored) return { count: countOf(head, gram), ranked: stored.slice(0, limit), results: null }

      const ordinals = yield* candidatesOf(needle)
      const better = ordinals.length > BEST_FROM ? yield* promising(needle) : null
      const best = cves ? bestResults(limit) : bestOf(limit)
      const find = finder(needle)
      let matches = 0
      yield* eachMatch(needle, ordinals, (ordinal, texts, i, found) => {
        // In place, because the write position never passes the read position.
        ordinals[matches++] = ordinal
        const first = isFirst(ordinal)
        const worst = best.worst(first)
        if (worst === -1) return
        const result = resultOf(ordinal)
        const known = better && !better.has(result)
        best.add(result, known ? RANK.elsewhere : rankOf(texts, i, needle, find, found, worst), first)
      })
      const results = cves ? resultsOf(ordinals.subarray(0, matches)) : null
      return { count: matches, ranked: best.list(), results }
    },
    *suggestions(q, limit, worst = RANK.elsewhere) {
      const needle = needleOf(q)
      const best = searched.best(q, limit)
      if (needle.length <= MAX_GRAM) return (yield* best).ranked
      if (source !== 'remote') return (cves === null && (yield* bestInMemory(needle, limit))) || (yield* best).ranked
      const ranked = yield* storedBest(gramAt(needle, 0, MAX_GRAM))
      // No entry ranks better for the string than the best one for its first gram, unless the string is its key.
      const least = Math.max(ranked?.at(0)?.rank ?? RANK.prefix, RANK.prefix) as Rank
      if (least > Math.max(worst, RANK.prefix)) return []
      const isPossiblyKey = least === RANK.prefix && mayBeKey(needle)
      if (cves === null) {
        const hasPrefixes = !isPossiblyKey || (ranked?.at(-1)?.rank ?? RANK.prefix) > RANK.prefix
        const few = ranked && hasPrefixes ? yield* bestAmong(ranked, needle, limit) : null
        if (few) return few
        if (!isPossiblyKey) return yield* bestUncounted(needle, limit, least, new Uint32Array(0))
      }
      return (yield* best).ranked
    },
    *countAmong(ordinals, q) {
      const needle = Buffer.from(fold(q))
      const both = intersectAscending(yield* candidatesOf(needle, ordinals), ordinals)
      return (yield* among(needle, both)).length
    },
    *warm() {
      if (source === 'remote') return
      const { cache } = source
      for (let of = 0; of * ENTRIES_PER_BLOCK < count && !cache.isFull(); of++) yield void block(source, of)
    },
  }
  return searched
}

const CVE_KEY = /^cve-\d{4}-\d{4,}$/
