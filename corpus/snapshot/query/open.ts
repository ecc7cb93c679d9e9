/** Searching in an open `query.db`. SPEC.md, "Query"; decisions 5 and 28. */
import type { Database } from 'better-sqlite3'
import { type Blocks, blockMemory } from './blocks.ts'
import { decodeItem, ITEMS_PER_ROW, type Item } from './items.ts'
import { MOST_BEST, type Rank, type Ranked } from './rank.ts'
import { rowReader } from './rows.ts'
import { openSearched, type SearchedSet } from './searched-set.ts'
import { SEARCH_TYPES, type SearchType, TEXT_SETS, type TextSetName } from './sets.ts'

/** Something that was found. */
export interface Hit extends Item {
  type: SearchType
  rank: Rank
}

export interface SearchResult {
  /** How many entries of each type match; 0 for types not asked for. */
  counts: Record<SearchType, number>
  /** The best of each type, best first; none for types not asked for. */
  hits: Record<SearchType, Hit[]>
}

export interface Query {
  /** The ordinals of all entries of `set` that have `q` in key or label, ascending. */
  matches(set: TextSetName, q: string): Uint32Array
  /** The `limit` best, at most 25, of each of `types`, and how many there are. */
  search(types: readonly SearchType[], q: string, limit: number): SearchResult
  /**
   * The `limit` best, at most 25, of all `types` together: by rank; then the first of each type, the second of each and so
   * on, so that no type crowds out the others; then by type in the order of `SEARCH_TYPES`.
   */
  suggest(types: readonly SearchType[], q: string, limit: number): Hit[]
  /**
   * Reads texts into memory ahead, a little with each step, as long as they push no others out: whoever asks first need
   * not wait for them.
   */
  warm(): Iterable<void>
  /** Forgets the texts. */
  forget(): void
}

export interface OpenQueryOptions {
  /** Where texts are remembered; several databases may share it. */
  blocks?: Blocks
  /** Called every now and then while a search goes on; it throws to end it. */
  check?: () => void
}

const MEMORY_BYTES = 48 * 1024 * 1024
let opened = 0

/**
 * @throws SnapshotError when the database is none or damaged; so do the searches, for each row that they read is checked
 */
export function openQuery(database: Database, options: OpenQueryOptions = {}): Query {
  const { blocks = blockMemory(MEMORY_BYTES), check = () => {} } = options
  const reader = rowReader(database)
  // Numbers keep databases apart in a memory that they share.
  const number = opened++
  const sets = new Map<TextSetName, SearchedSet>(
    TEXT_SETS.map((set) => [set, openSearched(set, { reader, blocks, database: number, check })]),
  )

  function best(type: SearchType, q: string, limit: number): { count: number; ranked: Ranked[] } {
    const set = sets.get(type)!
    const { count, ranked } = set.best(q, Math.min(limit, MOST_BEST))
    return { count, ranked }
  }

  function hit(type: SearchType, { ordinal, rank }: Ranked): Hit {
    const row = reader.read('items', TEXT_SETS.indexOf(type), Math.floor(ordinal / ITEMS_PER_ROW))
    return { type, rank, ...decodeItem(row, ordinal % ITEMS_PER_ROW) }
  }

  return {
    matches: (set, q) => sets.get(set)!.matches(q),
    search(types, q, limit) {
      const result: SearchResult = {
        counts: { vendor: 0, product: 0, cwe: 0, capec: 0, cna: 0, cve: 0 },
        hits: { vendor: [], product: [], cwe: [], capec: [], cna: [], cve: [] },
      }
      for (const type of types) {
        const { count, ranked } = best(type, q, limit)
        result.counts[type] = count
        result.hits[type] = ranked.map((one) => hit(type, one))
      }
      return result
    },
    suggest(types, q, limit) {
      const asked = SEARCH_TYPES.filter((type) => types.includes(type))
      return asked
        .flatMap((type, order) => {
          const { ranked } = best(type, q, limit)
          const places = [0, 0, 0, 0]
          return ranked.map((one) => ({ one, type, order, place: places[one.rank]!++ }))
        })
        .sort((a, b) => a.one.rank - b.one.rank || a.place - b.place || a.order - b.order)
        .slice(0, limit)
        .map(({ one, type }) => hit(type, one))
    },
    *warm() {
      for (const set of sets.values()) yield* set.warm()
    },
    forget: () => blocks.drop(number),
  }
}
