/** The rows of `/affected`: matches advisories with a version, adds the facts of their CVEs, and cuts a page. */
import { type CveId, parseCveId } from '../../model/ids/cve-id.ts'
import { type AffectedRow, affectedRows } from '../../model/packages/affected-row.ts'
import {
  matchAdvisories,
  type PackageMatch,
  type PackageQuery,
  prepareAdvisories,
  versionCount,
} from '../../model/packages/match.ts'
import type { PackageAdvisory } from '../../model/packages/package-advisory.ts'
import { compareText } from '../../model/sources.ts'
import { partitionPoint } from '../../model/values/partition-point.ts'
import { generationalCache } from '../../runtime/generational-cache.ts'
import { type Steps, withoutPauses } from '../../runtime/steps.ts'
import {
  cursorId,
  type PackageData,
  perSnapshot,
  type RowKey,
  SEVERITIES,
  type SnapshotData,
  toBillionths,
} from '../../snapshot/index.ts'
import { ANSWER_BYTES } from '../bounds.ts'
import { type SharedRows, sharedRows } from './shared-rows.ts'

export interface AffectedQuery extends PackageQuery {
  /** The names under which advisories state the package. */
  names: readonly string[]
}

/** The parts of a snapshot that rows are made of. */
export interface AffectedSources {
  packages: Pick<PackageData, 'package' | 'aliases'>
  cves: Pick<SnapshotData['cves'], 'facts'>
}

/** The strings belong to the package, which has a cache of its own. */
const ROW_BYTES = 500

/** Without the cache, a walk through 5,000 rows would take 50 ms for each page. */
const remembered = perSnapshot<SharedRows, AffectedSources>(() =>
  sharedRows(
    generationalCache(ANSWER_BYTES.affectedRows, (rows, key) => (rows.length + 1) * ROW_BYTES + key.length * 2),
  ),
)

/** Versions and events of a package that are compared with pauses, so that other work is done: 10 ms. */
const MANY_VERSIONS = 10_000

/** Returns all rows, in their order. None for an unknown package. */
export function* rowsAffecting(snapshot: AffectedSources, query: AffectedQuery): Steps<readonly AffectedRow[]> {
  const { ecosystem, names, version } = query
  return yield* remembered(snapshot).of(JSON.stringify([ecosystem, names, version]), function* () {
    const lists: PackageAdvisory[][] = []
    for (const name of names) {
      const entry = yield* snapshot.packages.package(ecosystem, name)
      if (entry) lists.push(entry.advisories)
    }
    const work = matchedRows(snapshot, query, lists)
    const isShort = lists.reduce((sum, list) => sum + versionCount(list), 0) < MANY_VERSIONS
    if (isShort) return yield* withoutPauses(work)
    // A request that is refused has compared nothing.
    yield
    return yield* work
  })
}

function* matchedRows(
  snapshot: AffectedSources,
  query: AffectedQuery,
  advisories: readonly (readonly PackageAdvisory[])[],
): Steps<AffectedRow[]> {
  for (const list of advisories) yield* prepareAdvisories(list, query)
  const matches = advisories.flatMap((list) => matchAdvisories(list, query, { preferList: true }))
  const aliasesOf = yield* snapshot.packages.aliases(() => idsOf(matches))
  const cve = yield* snapshot.cves.facts(() => cveIdsOf(matches, aliasesOf))
  return yield* affectedRows(matches, query, { advisories, aliasesOf, cve })
}

function* idsOf(matches: readonly PackageMatch[]): Iterable<string> {
  for (const { advisory } of matches) {
    yield advisory.id
    yield* advisory.aliases
  }
}

/** Returns the CVEs that rows of the matches can name. */
function cveIdsOf(
  matches: readonly PackageMatch[],
  aliasesOf: (id: string) => readonly string[] | null,
): ReadonlySet<CveId> {
  const found = new Set<CveId>()
  for (const { advisory } of matches) {
    const own = [advisory.id, ...advisory.aliases]
    for (const id of [...own, ...own.flatMap((one) => aliasesOf(one) ?? []), ...advisory.cve_ids]) {
      const cveId = parseCveId(id)
      if (cveId !== null) found.add(cveId)
    }
  }
  return found
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
