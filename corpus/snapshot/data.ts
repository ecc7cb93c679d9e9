/**
 * A snapshot as answers read it: in memory (`memory/`), or by ranges (`ranges/`). Steps wait only for what has to be
 * fetched. All steps may throw SnapshotError, those of a reader also TransferError.
 */
import type { Rejection } from '../model/claim.ts'
import type { ChangeDays, Edition } from '../model/epss/changes.ts'
import type { EpssPoint } from '../model/epss/history.ts'
import type { CveId } from '../model/ids/cve-id.ts'
import type { CveFacts } from '../model/packages/affected-row.ts'
import type { PackageEntry } from '../model/packages/package-entry.ts'
import type { Epss } from '../model/record.ts'
import type { Steps } from '../runtime/steps.ts'
import type { Piece } from './codec/splice.ts'
import type { NamedSnapshot, RowKey } from './cursor/cursor.ts'
import type { ListName } from './cursor/lists.ts'
import type { CveSort, SortOrder } from './cursor/order.ts'
import type { About } from './files/about.ts'
import type { Manifest } from './files/manifest.ts'
import type { CveFilters } from './filter/filters.ts'
import type { ListFilters } from './filter/list-filters.ts'
import type { MatchRange } from './query/search.ts'
import type { SearchAnswer, Suggestion } from './query/search-item.ts'
import type { SearchedText, SearchType } from './query/sets.ts'
import type { CveTables } from './record/cve-tables.ts'
import type { ReadMember } from './record/member.ts'

export interface SnapshotData extends NamedSnapshot {
  readonly id: string
  manifest: Manifest
  about: About
  cves: CveData
  readonly lists: Readonly<Record<ListName, ListData>>
  readonly packages: PackageData
  texts: TextData
  /** The stored answer of `/stats`. */
  stats(): Steps<StoredStats>
  reportTypes(): Steps<readonly ReportType[]>
}

export interface StoredStats {
  /** The gzip member. */
  gzip: Uint8Array
  /** SHA-256 of its plain bytes. */
  content: string
}

export interface ReportType {
  prompt_name: string
  enabled: boolean
  output_schema: object | null
}

export interface FoundCve {
  /** Position in id order. */
  row: number
  member: ReadMember
  epss: Epss | null
}

export interface CveSortOrder extends SortOrder {
  key: CveSort
}

export interface CveData {
  /** Returns null for an id without a record. */
  find(id: CveId): Steps<FoundCve | null>
  rejection(id: CveId): Steps<Rejection | undefined>
  /** Returns the EPSS editions that the history consists of, oldest first. */
  epssEditions(): Steps<readonly Edition[]>
  /** Returns the EPSS history of an id, oldest first. */
  epssHistory(id: CveId): Steps<EpssPoint[]>
  /** Returns the changes of the EPSS scores of CVEs in billionths; null if a change is not known. */
  epssChanges(ids: readonly CveId[], days: ChangeDays): Steps<(number | null)[]>
  /** Returns the facts of CVEs, by id; null without a record. `ids` is called only if they have to be fetched. */
  facts(ids: () => Iterable<CveId>): Steps<(id: CveId) => CveFacts | null>
  /** Returns the tables of filters, with the posting lists that `filters` name. */
  tables(filters: CveFilters): Steps<CveTables>
  /** Returns an order of all CVEs. */
  order(sort: CveSortOrder): Steps<CveOrder>
  /** Returns the rows of `runs` in this order, joined by commas. */
  pieces(sort: CveSort, runs: readonly RowRun[]): Steps<Piece[]>
  /** Returns the members of CVEs by their ordinals, in any number of reads. */
  members(ordinals: Uint32Array, tables: CveTables): Iterable<Steps<{ id: CveId; row: number; member: ReadMember }>>
}

/** All CVEs in one direction of a sort. Positions count in this direction. */
export interface CveOrder {
  readonly count: number
  /** Returns the first position after `key`, even if its row no longer exists. */
  positionAfter(key: RowKey): Steps<number>
  keyAt(position: number): Steps<RowKey>
  /** Returns the position in the stored, descending direction. */
  stored(position: number): number
}

/** A whole segment of a page shard. */
export interface PageSegment {
  page: number
  segment: number
}

/** A segment, or single rows by their positions in the stored direction. Rows that filters found have ordinals too. */
export type RowRun = PageSegment | { readonly positions: readonly number[]; readonly ordinals?: readonly number[] }

export interface ListRequest {
  sort: SortOrder
  filters: ListFilters
  limit: number
  after: RowKey | null
  /** The ascending ordinals that match `filters.q`; null without a `q`. */
  matches: Uint32Array | null
}

/** The rows of a page of a list. */
export interface ListSlice {
  /** Their ordinals, which are positions in the main order. Null if they are not known. */
  ordinals: readonly number[] | null
  /** Their positions in the stored direction of the sort. */
  positions: readonly number[]
  /** Position of the first row among all rows, if all rows pass and the direction is the stored one; else null. */
  start: number | null
  /** Number of rows that pass. */
  count: number
  /** Of the last row, if more follow. */
  next: RowKey | null
}

export interface ListData {
  slice(request: ListRequest): Steps<ListSlice>
  /** Returns the stored rows of segments, joined by commas. */
  pieces(sort: string, segments: readonly PageSegment[]): Steps<Piece[]>
  /** Returns the rows of a slice as JSON. */
  rows(sort: string, slice: Pick<ListSlice, 'ordinals' | 'positions'>): Steps<string[]>
  /** Returns the row of an id in any spelling; null for an unknown one. */
  row(id: string): Steps<{ id: string; ordinal: number; text: string } | null>
  /** Returns the catalog entry of a row, or of an id; null for an unknown id. */
  entry(of: string | { ordinal: number }): Steps<ReadMember | null>
  /** Statistics of the list. */
  extra(): Steps<unknown>
}

export interface PackageData {
  /** Returns null for an unknown package. The name is in any spelling, the ecosystem in that of the schema. */
  package(ecosystem: string, name: string): Steps<PackageEntry | null>
  /** Returns null for an unknown id. Withdrawn records are included. */
  advisory(id: string): Steps<ReadMember | null>
  /**
   * Returns all ids of the alias set of an id, ascending; null for an id without an alias. `stated` is called only if the
   * sets have to be fetched: it lists ids, each with others that are known to be of its set.
   */
  aliases(stated: () => Iterable<readonly string[]>): Steps<(id: string) => readonly string[] | null>
}

/** Text search. */
export interface TextData {
  /**
   * Returns the ordinals of all entries of `set` with `q` in key or label, ascending; for `words` those of CVEs with all
   * words of `q`, which `wordsFault` accepts. Use them before the next step.
   */
  matches(set: SearchedText, q: string): Steps<Uint32Array>
  /** Returns the ordinals of the first matches in a range, in its order, sooner than all matches. */
  firstMatches(set: SearchedText, q: string, range: MatchRange): Steps<Uint32Array>
  countMatches(set: SearchedText, q: string): Steps<number>
  search(types: readonly SearchType[], q: string, limit: number): Steps<SearchAnswer>
  suggest(types: readonly SearchType[], q: string, limit: number): Steps<Suggestion[]>
}

/** A snapshot of the lineage of the current one. */
export interface SnapshotSummary {
  id: string
  created_at: string
  parent: string | null
  /** Number of CVE records. */
  cves: number
}
