/** The public names of the library that its entry points share. */

export type { Reply } from '../answers/request.ts'
export type { LastUpdate } from '../model/last-update.ts'
export type { AffectedRow } from '../model/packages/affected-row.ts'
export type { Severity } from '../model/record.ts'
export type { Stats } from '../model/stats.ts'
export {
  CursorError,
  KeyError,
  type ListName,
  type RecordChange,
  type SearchItem,
  type SearchType,
  type Section,
  SnapshotError,
  type Suggestion,
  type TrustedKey,
} from '../snapshot/index.ts'
export type { SearchResults } from '../snapshot/ranges/text-search.ts'
export { TransferError } from '../transfer/error.ts'
export type * from './list-types.ts'
export type { Progress } from './objects.ts'
export type {
  ChangesOptions,
  CveFilterOptions,
  CveListOptions,
  CveWalkOptions,
  ListOptions,
  PackageQuestion,
  ReadOptions,
  SearchOptions,
  SnapshotsOptions,
} from './options.ts'
export type * from './record.ts'
export type { Reader } from './snapshot-reader.ts'
