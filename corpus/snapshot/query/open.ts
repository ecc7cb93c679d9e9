/**
 * Searches in an open `query.db`. A search for CVEs finds them by id and title, and by the ids of their advisories.
 * SPEC.md, "Query"; rules 5 and 28.
 */
import type { Database } from 'better-sqlite3'
import { SnapshotError } from '../error.ts'
import { type Blocks, blockCache } from './blocks.ts'
import { decodeItem, ITEMS_PER_ROW, type Item } from './items.ts'
import { bucketOf, MAX_BEST, type Rank, type Ranked } from './rank.ts'
import { decodeSetHead, noHead, rowReader } from './rows.ts'
import { openSearched, type SearchedSet } from './searched-set.ts'
import { isLater, LATER_SETS, SEARCH_TYPES, type SearchType, setNumber, TEXT_SETS, type TextSetName } from './sets.ts'
import { finish, type Steps } from './steps.ts'

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
  /** Fills the text cache, so that the first search does not wait for it. */
  warm(): Steps<void>
}

/** The same searches, all steps at once. */
export interface Query {
  matches(set: TextSetName, q: string): Uint32Array
  search(types: readonly SearchType[], q: string, limit: number): SearchResult
  suggest(types: readonly SearchType[], q: string, limit: number): Hit[]
  stepped: QueryInSteps
  forget(): void
}

const MEMORY_BYTES = 48 * 1024 * 1024
let opened = 0

/**
 * Opens the searches of a database. Several databases may share `blocks`, the text cache.
 * @throws SnapshotError when the database is invalid or damaged; searches throw it too, because they check each row
 */
export function openQuery(database: Database, blocks: Blocks = blockCache(MEMORY_BYTES)): Query {
  const reader = rowReader(database)
  const number = opened++
  // Both absent: an earlier builder wrote the file. One of them absent: the file is damaged.
  const isEarlier = !LATER_SETS.some((set) => reader.has('sets', setNumber(set), 0))
  const headOf = (set: TextSetName) =>
    isEarlier && isLater(set) ? noHead(set) : decodeSetHead(reader.read('sets', setNumber(set), 0), set)
  const heads = new Map(TEXT_SETS.map((set) => [set, headOf(set)]))
  if ((heads.get('advisory')!.cves!.at(-1) ?? -1) >= heads.get('cve')!.count) {
    throw new SnapshotError('malformed', 'advisories in query.db refer to CVEs that it does not contain')
  }
  const sets = new Map<TextSetName, SearchedSet>(
    Array.from(heads, ([set, head]) => [set, openSearched(set, { head, reader, blocks, database: number })]),
  )
  const [cves, advisories] = [sets.get('cve')!, sets.get('advisory')!]

  /** The count of CVEs leaves out those that match only by the id of an advisory. */
  function* best(type: SearchType, q: string, limit: number): Steps<{ count: number; ranked: Ranked[] }> {
    const most = Math.min(limit, MAX_BEST)
    const found = yield* sets.get(type)!.best(q, most)
    if (type !== 'cve') return found
    const named = yield* advisories.best(q, most)
    return { count: found.count, ranked: bestOfBoth(found.ranked, named.ranked).slice(0, most) }
  }

  function bestOfBoth(some: readonly Ranked[], others: readonly Ranked[]): Ranked[] {
    if (others.length === 0) return [...some]
    const found = new Map<number, Ranked>()
    for (const one of [...some, ...others]) {
      const known = found.get(one.ordinal)
      if (!known || one.rank < known.rank) found.set(one.ordinal, one)
    }
    const bucket = ({ ordinal, rank }: Ranked) => bucketOf(rank, cves.isFirst(ordinal))
    return [...found.values()].sort((a, b) => bucket(a) - bucket(b) || a.ordinal - b.ordinal)
  }

  /** Returns the number of CVEs that match only by the id of an advisory. */
  function* countNamedOnly(q: string): Steps<number> {
    const named = yield* advisories.matches(q)
    return named.length === 0 ? 0 : named.length - (yield* cves.countAmong(named, q))
  }

  function hit(type: SearchType, { ordinal, rank }: Ranked): Hit {
    const row = reader.read('items', setNumber(type), Math.floor(ordinal / ITEMS_PER_ROW))
    return { type, rank, ...decodeItem(row, ordinal % ITEMS_PER_ROW) }
  }

  const stepped: QueryInSteps = {
    matches: (set, q) => sets.get(set)!.matches(q),
    *search(types, q, limit) {
      const result: SearchResult = {
        counts: { vendor: 0, product: 0, cwe: 0, capec: 0, cna: 0, cve: 0, package: 0 },
        hits: { vendor: [], product: [], cwe: [], capec: [], cna: [], cve: [], package: [] },
      }
      for (const type of types) {
        const { count, ranked } = yield* best(type, q, limit)
        result.counts[type] = type === 'cve' ? count + (yield* countNamedOnly(q)) : count
        result.hits[type] = ranked.map((one) => hit(type, one))
      }
      return result
    },
    *suggest(types, q, limit) {
      const found: { one: Ranked; type: SearchType; order: number; position: number }[] = []
      for (const [order, type] of SEARCH_TYPES.entries()) {
        if (!types.includes(type)) continue
        const { ranked } = yield* best(type, q, limit)
        const positions = [0, 0, 0, 0]
        found.push(...ranked.map((one) => ({ one, type, order, position: positions[one.rank]!++ })))
      }
      return found
        .sort((a, b) => a.one.rank - b.one.rank || a.position - b.position || a.order - b.order)
        .slice(0, limit)
        .map(({ one, type }) => hit(type, one))
    },
    *warm() {
      for (const set of sets.values()) yield* set.warm()
    },
  }
  return {
    matches: (set, q) => finish(stepped.matches(set, q)),
    search: (types, q, limit) => finish(stepped.search(types, q, limit)),
    suggest: (types, q, limit) => finish(stepped.suggest(types, q, limit)),
    stepped,
    forget: () => blocks.drop(number),
  }
}
