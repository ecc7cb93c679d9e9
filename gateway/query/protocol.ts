/** Messages between the gateway's main thread and its query thread. */
import type { Hit, MatchRange, SearchedText, SearchResult, SearchType } from '../../corpus/snapshot/index.ts'
import type { Matches } from './matches.ts'

export type Question =
  | { kind: 'matches'; set: SearchedText; q: string }
  | { kind: 'count'; set: SearchedText; q: string }
  | { kind: 'first'; set: SearchedText; q: string; range: MatchRange }
  | { kind: 'search' | 'suggest'; types: readonly SearchType[]; q: string; limit: number }

export type Found = Matches | Uint32Array | number | SearchResult | Hit[]

export type QueryRequest =
  /**
   * A snapshot is retained: open its `query.db` now, before `prune` removes it. The main thread keeps `descriptor`
   * open on the same file, so that a later thread can read it without its name.
   */
  | { kind: 'open'; path: string; descriptor: number | null }
  | { kind: 'ask'; number: number; path: string; question: Question; budgetMs: number }
  /** The snapshot is the current one: keep its pages in the cache, in place of those of another. */
  | { kind: 'serve'; path: string }
  /** The snapshot was released. */
  | { kind: 'forget'; path: string }

/** The other requests have no reply. `late` exceeded its budget. */
export type QueryReply = { number: number } & ({ found: Found } | { late: true } | { error: Error })
