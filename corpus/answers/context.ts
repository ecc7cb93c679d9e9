/** Inputs of handlers in addition to their parameters. */
import type { CveId } from '../model/ids/cve-id.ts'
import type { Steps } from '../runtime/steps.ts'
import type { ChangeFacts, RecordChange, SnapshotData, SnapshotSummary, Snapshots } from '../snapshot/index.ts'
import type { SnapshotChoice } from './parameters/ids.ts'

export interface Context {
  snapshots: Snapshots<SnapshotData>
  history: History
  access: Access
  /** The authenticated caller, as `access` knows it. */
  subject: object
  /** Takes one more unit of the caller's quota, for a request that does the work of several. */
  charge(): void | Promise<void>
}

/** Which CVEs and advisories a caller may read. */
export interface Access {
  /**
   * `row` is that of `SnapshotData.cves.find`.
   * @throws ApiError `tier_restricted`
   */
  judge(subject: object, snapshot: SnapshotData, row: number, id: CveId): void
  /** Whether all CVEs with a record that an advisory names are above the tier. The ids are computed only if necessary. */
  isAdvisoryRestricted(subject: object | null, snapshot: SnapshotData, cveIds: () => readonly CveId[]): boolean
}

/** The snapshots that `/changes` can compare. */
export interface History {
  /**
   * Returns `snapshot` and the earlier ones, newest first, at most `most`. With `before`, in ms since 1970, only those
   * created before it. `retained`: cursors can continue in it.
   */
  snapshots(
    snapshot: SnapshotData,
    before: number | null,
    most: number,
  ): Steps<(SnapshotSummary & { retained: boolean })[]>
  /**
   * Returns the id of the snapshot that `choice` selects: of a time, the newest one created at or before it.
   * @throws ApiError `gone`, or `invalid_parameter` that names `parameter`
   */
  resolve(choice: SnapshotChoice, parameter: string): Steps<string>
  /**
   * Compares two snapshots by their full ids. `current` is that of the request.
   * @throws ApiError `gone`
   */
  compare(current: SnapshotData, since: string, until: string): Steps<Comparison>
}

/** A row of `/changes`, with facts if they are asked for. */
export type ChangeRow = RecordChange & Partial<ChangeFacts>

/** The changes between two snapshots, in id order. */
export interface Comparison {
  /** Returns at most `limit` changes after a CVE, and whether more follow. */
  after(id: CveId | null, limit: number, hasFacts: boolean): Steps<{ changes: ChangeRow[]; more: boolean }>
  /** Returns the number of all changes. */
  count(): Steps<number>
}
