/** The rows of `/affected`: matches advisories with a version, and adds the facts of their CVEs. */
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
import { generationalCache } from '../../runtime/generational-cache.ts'
import { type Steps, withoutPauses } from '../../runtime/steps.ts'
import { type PackageData, perSnapshot, type SnapshotData } from '../../snapshot/index.ts'
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
  const aliasesOf = yield* snapshot.packages.aliases(() =>
    matches.map(({ advisory }) => [advisory.id, ...advisory.aliases]),
  )
  const cve = yield* snapshot.cves.facts(() => cveIdsOf(matches, aliasesOf))
  return yield* affectedRows(matches, query, { advisories, aliasesOf, cve })
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
