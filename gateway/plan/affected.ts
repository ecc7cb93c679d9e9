/** The rows of `/affected`: matches advisories with a version, adds the facts of their CVEs, and cuts a page. */

import type { CveId } from '../../corpus/model/ids/cve-id.ts'
import { type AffectedRow, affectedRows, type CveFacts } from '../../corpus/model/packages/affected-row.ts'
import {
  matchAdvisories,
  type PackageQuery,
  prepareAdvisories,
  versionCount,
} from '../../corpus/model/packages/match.ts'
import type { PackageAdvisory } from '../../corpus/model/packages/package-advisory.ts'
import { compareText } from '../../corpus/model/sources.ts'
import { partitionPoint } from '../../corpus/model/values/partition-point.ts'
import { finished } from '../../corpus/runtime/finished.ts'
import { type GenerationalCache, generationalCache } from '../../corpus/runtime/generational-cache.ts'
import {
  cursorId,
  epssAt,
  FLAGS,
  findRow,
  type IndexedCveTables,
  perSnapshot,
  type RowKey,
  SEVERITIES,
  toBillionths,
} from '../../corpus/snapshot/index.ts'
import { SNAPSHOT_BYTES } from '../process/bounds.ts'
import type { OpenPackages } from '../snapshots/open-packages.ts'
import { inSlices } from './slices.ts'

export interface AffectedQuery extends PackageQuery {
  /** The names under which advisories state the package. */
  names: readonly string[]
}

export type Tables = Pick<IndexedCveTables, 'index' | 'columns' | 'ordinalOfRow' | 'epss'>

/** The parts of an open snapshot that rows are made of. */
export interface AffectedSources extends Tables {
  packages: Pick<OpenPackages, 'package' | 'aliasesOf'>
}

/** The strings belong to the package, which has a cache of its own. */
const ROW_BYTES = 500

interface Known {
  rows: GenerationalCache<string, readonly AffectedRow[]>
  /** Requests for the same package and version wait for one result. */
  pending: Map<string, Promise<readonly AffectedRow[]>>
}

/** Without the cache, a walk through 5,000 rows would take 50 ms for each page. */
const remembered = perSnapshot<Known, AffectedSources>(() => ({
  rows: generationalCache(SNAPSHOT_BYTES.affectedRows, (rows, key) => (rows.length + 1) * ROW_BYTES + key.length * 2),
  pending: new Map(),
}))

/** Versions and events of a package that are compared in slices, so that other requests are answered: 10 ms. */
const MANY_VERSIONS = 10_000

/**
 * Returns all rows, in their order. None for an unknown package.
 * @throws ApiError `overloaded` if too many requests wait
 */
export function rowsAffecting(
  snapshot: AffectedSources,
  query: AffectedQuery,
): readonly AffectedRow[] | Promise<readonly AffectedRow[]> {
  const { packages } = snapshot
  const { rows, pending } = remembered(snapshot)
  const { ecosystem, names, version } = query
  const key = JSON.stringify([ecosystem, names, version])
  const known = rows.get(key) ?? pending.get(key)
  if (known) return known
  const lists = names.flatMap((name) => {
    const entry = packages.package(ecosystem, name)
    return entry ? [entry.advisories] : []
  })
  const work = matchedRows(snapshot, query, lists)
  const store = (found: readonly AffectedRow[]) => {
    rows.set(key, found)
    return found
  }
  if (lists.reduce((sum, list) => sum + versionCount(list), 0) < MANY_VERSIONS) return store(finished(work))
  const result = inSlices(work)
    .then(store)
    .finally(() => pending.delete(key))
  pending.set(key, result)
  return result
}

function* matchedRows(
  snapshot: AffectedSources,
  query: AffectedQuery,
  advisories: readonly (readonly PackageAdvisory[])[],
): Generator<void, AffectedRow[]> {
  for (const list of advisories) yield* prepareAdvisories(list, query)
  const matches = advisories.flatMap((list) => matchAdvisories(list, query, { preferList: true }))
  const { aliasesOf } = snapshot.packages
  return yield* affectedRows(matches, query, { advisories, aliasesOf, cve: (id) => factsOf(snapshot, id) })
}

/** Returns null if the snapshot has no record of the CVE. */
export function factsOf({ index, columns, ordinalOfRow, epss }: Tables, id: CveId): CveFacts | null {
  const row = findRow(index, id)
  if (row < 0) return null
  const ordinal = ordinalOfRow[row]!
  const score = columns.score[ordinal]!
  const flags = columns.flags[ordinal]!
  return {
    severity: SEVERITIES[columns.severity[ordinal]!] ?? null,
    cvss_score: Number.isNaN(score) ? null : score,
    kev: (flags & FLAGS.kev) !== 0,
    has_exploit: (flags & FLAGS.has_exploit) !== 0,
    epss: epssAt(epss, row)?.score ?? null,
  }
}

export interface AffectedPage {
  data: AffectedRow[]
  /** Of the last row, if rows follow. */
  last: RowKey | null
}

/** `after` need not be the key of a row: the rows may be those of a newer snapshot. */
export function pageOfRows(rows: readonly AffectedRow[], after: RowKey | null, limit: number): AffectedPage {
  const start = after === null ? 0 : positionAfter(rows, after)
  const data = rows.slice(start, start + limit)
  const last = data.at(-1)
  return { data, last: last && start + limit < rows.length ? keyOf(last) : null }
}

function positionAfter(rows: readonly AffectedRow[], key: RowKey): number {
  const known = rows.findIndex((row) => isSame(keyOf(row), key))
  if (known >= 0) return known + 1
  return partitionPoint(rows.length, (position) => {
    const { value, id } = keyOf(rows[position]!)
    return (Number(key.value) - Number(value) || compareText(id, key.id)) > 0
  })
}

const isSame = (a: RowKey, b: RowKey): boolean => a.value === b.value && a.id === b.id

/** More than any EPSS score in billionths. */
const EPSS_STEPS = 2e9

/** Severity, KEV and EPSS in one number, in the order of rows. */
function keyOf({ severity, kev, epss, advisory_id }: AffectedRow): RowKey {
  const rank = severity === null ? 0 : SEVERITIES.indexOf(severity) + 1
  const probability = epss === null ? 0 : toBillionths(epss) + 1
  return { value: (rank * 2 + Number(kev)) * EPSS_STEPS + probability, id: cursorId(advisory_id) }
}

/** Whether `/affected` could have issued a cursor with this key. */
export const isAffectedKey = ({ value, id }: RowKey): boolean =>
  id !== '' && Number.isSafeInteger(value) && Number(value) >= 0
