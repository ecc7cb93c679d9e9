/** Reads `affected[]` of an OSV entry: one model entry per package. */

import type { RecordNote } from '../../model/claim.ts'
import { packageUrl } from '../../model/packages/purl.ts'
import type { AffectedEntry, AffectedRange } from '../../model/record.ts'
import { isObject, type JsonObject, objects, text, texts } from '../../model/values/json-value.ts'
import { assertNameLength } from '../feed.ts'
import { replayEvents } from './events.ts'

export interface AffectedContext {
  source: 'advisory' | 'osv'
  updatedAt: string
  notes: RecordNote[]
}

/** A member of `affected[]`: its entry, and the data for GitHub's form of ranges. */
export interface AffectedPackageStatement {
  entry: AffectedEntry
  /** `last_known_affected_version_range`: `<= 9.0.9`, `< 2.3.11`. */
  lastKnown: string | null
}

/** Returns the members. Ignores members without package, repository or version. */
export function readAffected(entry: JsonObject, context: AffectedContext): AffectedPackageStatement[] {
  const members = objects(entry.affected)
  // Bitnami states CPEs per entry, and its entries have one package. With several packages the CPEs would be ambiguous.
  const cpes = members.length === 1 && isObject(entry.database_specific) ? texts(entry.database_specific.cpes) : []
  return members.flatMap((member) => {
    const statement = readMember(member, cpes, context)
    const { package_name, repo_url, affected_versions, affected_ranges } = statement.entry
    return (package_name ?? repo_url ?? affected_versions ?? affected_ranges) ? [statement] : []
  })
}

function readMember(member: JsonObject, cpes: string[], context: AffectedContext): AffectedPackageStatement {
  const named = isObject(member.package) ? member.package : {}
  const [ecosystem, name] = [text(named.ecosystem), text(named.name)]
  assertNameLength('the name of a package', name)
  const specific = isObject(member.database_specific) ? member.database_specific : {}
  const lastKnown = text(specific.last_known_affected_version_range)
  const stated = rangesOf(member)
  const ranges: AffectedRange[] = []
  const patched = new Set<string>()
  for (const range of stated) {
    const replayed = replayEvents(range, context.notes)
    for (const one of replayed.ranges) ranges.push(one)
    for (const version of replayed.patched) patched.add(version)
  }
  boundBy(lastKnown, ranges)
  const versions = texts(member.versions)
  const entry: AffectedEntry = {
    source: context.source,
    vendor: null,
    product: null,
    package_name: name,
    ecosystem,
    platforms: null,
    default_status: null,
    affected_versions: filled([...new Set(versions)]),
    affected_ranges: filled(ranges),
    patched_versions: filled([...patched]),
    cpes: filled(cpes),
    repo_url: stated.map(({ repo }) => text(repo)).find((repo) => repo !== null) ?? null,
    collection_url: null,
    package_url: text(named.purl) ?? (ecosystem && name ? packageUrl(ecosystem, name) : null),
    vulnerable_functions: null,
    advisory_severity: null,
    advisory_urgency: null,
    advisory_description: null,
    updated_at: context.updatedAt,
  }
  return { entry, lastKnown }
}

/**
 * Returns the ranges of a member, and its `custom_ranges`. The Go database uses those for project versions that are no
 * Go module versions.
 */
function rangesOf(member: JsonObject): JsonObject[] {
  const specific = isObject(member.ecosystem_specific) ? member.ecosystem_specific : {}
  return [...objects(member.ranges), ...objects(specific.custom_ranges)]
}

/**
 * Applies GitHub's last known affected version to a last range without an end. `<= 1.2` becomes its bound. `< 1.2` is
 * ignored, because it would state 1.2 as the fix.
 */
function boundBy(lastKnown: string | null, ranges: AffectedRange[]): void {
  const bound = /^<=\s*(\S+)$/.exec(lastKnown ?? '')?.[1]
  const last = ranges.at(-1)
  if (bound && last && last.fixed === null && last.last_affected === undefined) last.last_affected = bound
}

function filled<T>(list: T[]): T[] | null {
  return list.length > 0 ? list : null
}
