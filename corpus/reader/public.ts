/** The public names of the library that its entry points share. */

export type { LastUpdate } from '../model/last-update.ts'
export type { AffectedRow } from '../model/packages/affected-row.ts'
export { PurlError } from '../model/packages/purl.ts'
export type { Severity } from '../model/record.ts'
export type { Stats } from '../model/stats.ts'
export {
  CursorError,
  KeyError,
  type ListName,
  type SearchItem,
  type SearchType,
  type Section,
  SnapshotError,
  type Suggestion,
  type TrustedKey,
} from '../snapshot/index.ts'
export { TransferError } from '../transfer/error.ts'
export type { Change, ChangePage, SnapshotRow } from './changes.ts'
export type { ReportOptions } from './documents.ts'
export type { ListOptions } from './list-query.ts'
export type * from './list-types.ts'
export type { Progress } from './objects.ts'
export type { PackageQuestion } from './packages.ts'
export type {
  ChangesOptions,
  CveFilterOptions,
  CveListOptions,
  CveWalkOptions,
  SearchOptions,
  SnapshotsOptions,
} from './query.ts'
export type * from './record.ts'
export type { Reader, ReadOptions } from './snapshot-reader.ts'
export type { SearchResults } from './text-search.ts'
