/** What the gateway's main thread and its query thread say to each other. */
import type { Hit, SearchResult } from '../../corpus/snapshot/query/open.ts'
import type { SearchType, TextSetName } from '../../corpus/snapshot/query/sets.ts'
import type { Matches } from './matches.ts'

/** Something that is asked of a `query.db`. */
export type Question =
  | { kind: 'matches'; set: TextSetName; q: string }
  | { kind: 'search' | 'suggest'; types: readonly SearchType[]; q: string; limit: number }

/** What was found. */
export type Found = Matches | SearchResult | Hit[]

export type QueryRequest =
  /**
   * A snapshot is retained: open its `query.db` now, so that `prune` cannot take it away. `descriptor` is the same file,
   * held open by the main thread: a later thread can still read it when its name is gone.
   */
  | { kind: 'open'; path: string; descriptor: number | null }
  /** `number` tells the replies apart. */
  | { kind: 'ask'; number: number; path: string; question: Question; budgetMs: number }
  /** The snapshot was let go: close its `query.db`. */
  | { kind: 'forget'; path: string }

/** The reply to an `ask`; the others have none. `late` is a search that was given up because its budget was spent. */
export type QueryReply = { number: number } & ({ found: Found } | { late: true } | { error: Error })
