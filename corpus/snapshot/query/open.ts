/**
 * Searches in an open `query.db`. A search for CVEs finds them by id and title, and by the ids of their advisories.
 * SPEC.md, "Query"; rules 5 and 28.
 */
import type { Database } from 'better-sqlite3'
import { SnapshotError } from '../error.ts'
import { decodeItem, ITEMS_PER_ROW, type Item } from './items.ts'
import { bucketOf, MAX_BEST, RANK, type Rank, type Ranked } from './rank.ts'
import { decodeSetHead, type RowName, type RowReader, rowReader } from './rows.ts'
import { openSearched, type SearchedSet, type Source } from './searched-set.ts'
import { SEARCH_TYPES, type SearchType, setNumber, TEXT_SETS, type TextSetName } from './sets.ts'
import { finish, type Steps, together } from './steps.ts'
import { type TextCache, textCache } from './text-cache.ts'

export interface Hit extends Item {
  type: SearchType
  rank: Rank
}

export interface SearchResult {
  /** Matching entries per type; 0 for types not requested. */
  counts: Record<SearchType, number>
  /** Per type, best first; empty for types not requested. */
  hits: Record<SearchType, Hit[]>
}

export interface QueryInSteps {
  /**
   * Returns the ordinals of all entries of `set` with `q` in key or label, ascending; for `advisory` the ordinals of
   * their CVEs.
   */
  matches(set: TextSetName, q: string): Steps<Uint32Array>
  /** Returns the `limit` best entries, at most 25, and the number of matches for each of `types`. */
  search(types: readonly SearchType[], q: string, limit: number): Steps<SearchResult>
  /**
   * Returns the `limit` best entries, at most 25, of all `types` together, by rank. Within a rank types alternate, so
   * that none crowds out the others; then in order of `SEARCH_TYPES`.
   */
  suggest(types: readonly SearchType[], q: string, limit: number): Steps<Hit[]>
  /** Reads the texts into the cache in place of another database's, so that the first search does not wait for the file. */
  warm(): Steps<void>
}

/**
 * Whether a query has the form of the beginning of an advisory's id: `GHSA-jfh8`, `PYSEC-2021-18`, `BIT-widget-2024-1`.
 * Other queries occur in ids by chance: `4q` is a part of `GHSA-4q…`.
 */
const isAdvisoryId = (q: string): boolean =>
  /^(?:ghsa-[0-9a-z-]+|[a-z][a-z0-9]+(?:-[a-z.][a-z0-9.]*)*-\d[\w:.-]*)$/i.test(q)

/** The same searches, all steps at once. */
export interface Query {
  matches(set: TextSetName, q: string): Uint32Array
  search(types: readonly SearchType[], q: string, limit: number): SearchResult
  suggest(types: readonly SearchType[], q: string, limit: number): Hit[]
  stepped: QueryInSteps
  forget(): void
}

const CACHE_BYTES = 48 * 1024 * 1024
let opened = 0

/**
 * Opens the searches of a database. Several databases may share a cache, which has the texts of one database at a time: the last one that was warmed.
 * @throws SnapshotError when the database is invalid or damaged; searches throw it too, because they check each row
 */
export function openQuery(database: Database, shared: TextCache | null = null): Query {
  const cache = shared ?? textCache(CACHE_BYTES)
  const reader = rowReader(database)
  const number = opened++
  const { open, stepped } = openSearches(reader, { cache, database: number })
  finish(open(TEXT_SETS))
  if (!shared) cache.select(number)
  return {
    matches: (set, q) => finish(stepped.matches(set, q)),
    search: (types, q, limit) => finish(stepped.search(types, q, limit)),
    suggest: (types, q, limit) => finish(stepped.suggest(types, q, limit)),
    stepped,
    forget: () => cache.drop(number),
  }
}

/**
 * Opens the searches of a file whose rows are downloads. Before `reader` is asked for rows, a step yields their names.
 */
export const openRemoteQuery = (reader: RowReader): QueryInSteps => openSearches(reader, 'remote').stepped

interface Searches {
  /**
   * Reads the heads of sets.
   * @throws SnapshotError when they are damaged
   */
  open(names: readonly TextSetName[]): Steps<void>
  stepped: QueryInSteps
}

function openSearches(reader: RowReader, source: Source): Searches {
  const sets = new Map<TextSetName, SearchedSet>()
  const counts = new Map<TextSetName, number>()
  const set = (name: TextSetName): SearchedSet => sets.get(name)!

  function* open(names: readonly TextSetName[]): Steps<void> {
    const closed = names.filter((name) => !sets.has(name))
    if (closed.length > 0) yield () => closed.map((name) => rowOf('sets', name, 0))
    for (const name of closed) {
      const head = decodeSetHead(reader.read('sets', setNumber(name), 0), name)
      // CVEs are before advisories.
      if ((head.cves?.at(-1) ?? -1) >= (counts.get('cve') ?? 0)) {
        throw new SnapshotError('malformed', 'advisories in query.db refer to CVEs that it does not contain')
      }
      counts.set(name, head.count)
      sets.set(name, openSearched(name, { head, reader, source }))
    }
  }

  const setsOf = (types: readonly SearchType[], q: string) =>
    TEXT_SETS.filter((name) =>
      types.some((type) => type === name || (type === 'cve' && name === 'advisory' && isAdvisoryId(q))),
    )

  function* counted(type: SearchType, q: string, limit: number): Steps<{ count: number; ranked: Ranked[] }> {
    const most = Math.min(limit, MAX_BEST)
    if (type !== 'cve' || !isAdvisoryId(q)) return yield* set(type).best(q, most)
    const [found, named] = yield* together([set('cve').best(q, most), set('advisory').best(q, most)])
    const ranked = bestOfBoth(found!.ranked, named!.ranked).slice(0, most)
    const results = named!.results ?? (yield* set('advisory').matches(q))
    const inBoth = results.length > 0 ? yield* set('cve').countAmong(results, q) : 0
    return { count: found!.count + results.length - inBoth, ranked }
  }

  function* suggested(type: SearchType, q: string, limit: number): Steps<Ranked[]> {
    const most = Math.min(limit, MAX_BEST)
    if (type !== 'cve' || !isAdvisoryId(q)) return yield* set(type).suggestions(q, most)
    const found = yield* set('cve').suggestions(q, most)
    const worst = found.length < most ? RANK.elsewhere : found.at(-1)!.rank
    return bestOfBoth(found, yield* set('advisory').suggestions(q, most, worst)).slice(0, most)
  }

  function bestOfBoth(some: readonly Ranked[], others: readonly Ranked[]): Ranked[] {
    if (others.length === 0) return [...some]
    const found = new Map<number, Ranked>()
    for (const one of [...some, ...others]) {
      const known = found.get(one.ordinal)
      if (!known || one.rank < known.rank) found.set(one.ordinal, one)
    }
    const bucket = ({ ordinal, rank }: Ranked) => bucketOf(rank, set('cve').isFirst(ordinal))
    return [...found.values()].sort((a, b) => bucket(a) - bucket(b) || a.ordinal - b.ordinal)
  }

  function* hitsOf(found: readonly (Ranked & { type: SearchType })[]): Steps<Hit[]> {
    const itemRow = ({ type, ordinal }: { type: SearchType; ordinal: number }) =>
      rowOf('items', type, Math.floor(ordinal / ITEMS_PER_ROW))
    if (found.length > 0) yield () => found.map(itemRow)
    return found.map((one): Hit => {
      const { table, set, number } = itemRow(one)
      const { type, rank, ordinal } = one
      return { type, rank, ...decodeItem(reader.read(table, set, number), ordinal % ITEMS_PER_ROW) }
    })
  }

  const stepped: QueryInSteps = {
    *matches(name, q) {
      yield* open(name === 'advisory' ? ['cve', name] : [name])
      return yield* set(name).matches(q)
    },
    *search(types, q, limit) {
      yield* open(setsOf(types, q))
      const result: SearchResult = {
        counts: { vendor: 0, product: 0, cwe: 0, capec: 0, cna: 0, cve: 0, package: 0 },
        hits: { vendor: [], product: [], cwe: [], capec: [], cna: [], cve: [], package: [] },
      }
      const known = SEARCH_TYPES.filter((type) => types.includes(type))
      const found = yield* together(known.map((type) => counted(type, q, limit)))
      for (const [i, type] of known.entries()) result.counts[type] = found[i]!.count
      const ranked = known.flatMap((type, i) => found[i]!.ranked.map((one) => ({ ...one, type })))
      for (const hit of yield* hitsOf(ranked)) result.hits[hit.type].push(hit)
      return result
    },
    *suggest(types, q, limit) {
      yield* open(setsOf(types, q))
      const known = SEARCH_TYPES.filter((type) => types.includes(type))
      const ranked = yield* together(known.map((type) => suggested(type, q, limit)))
      const found = known.flatMap((type, order) => {
        const positions = [0, 0, 0, 0]
        return ranked[order]!.map((one) => ({ ...one, type, order, position: positions[one.rank]!++ }))
      })
      found.sort((a, b) => a.rank - b.rank || a.position - b.position || a.order - b.order)
      return yield* hitsOf(found.slice(0, limit))
    },
    *warm() {
      if (source !== 'remote') source.cache.select(source.database)
      for (const one of sets.values()) yield* one.warm()
    },
  }
  return { open, stepped }
}

const rowOf = (table: RowName['table'], set: TextSetName, number: number): RowName => ({
  table,
  set: setNumber(set),
  number,
})
