/** The `affected[]` of an OSV entry: one entry of the model for each package that it names. */
import type { RecordNote } from '../../model/claim.ts'
import { packageUrl } from '../../model/purl.ts'
import type { AffectedEntry, AffectedRange } from '../../model/record.ts'
import { assertNameLength } from '../feed.ts'
import { isObject, type JsonObject, objects, text, texts } from '../json.ts'
import { replayEvents } from './events.ts'

export interface AffectedContext {
  source: 'advisory' | 'osv'
  updatedAt: string
  notes: RecordNote[]
}

/** A member of `affected[]`, as the entry and as what GitHub's way of writing ranges needs. */
export interface AffectedPackageStatement {
  entry: AffectedEntry
  /** `last_known_affected_version_range`: `<= 9.0.9`, `< 2.3.11`. */
  lastKnown: string | null
}

/** Members that name no package, repository or version say nothing and are left out. */
export function readAffected(entry: JsonObject, context: AffectedContext): AffectedPackageStatement[] {
  const members = objects(entry.affected)
  // Bitnami's CPEs stand at the entry, which has one package: of several it could not be said whose they are.
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
 * The Go database also has `custom_ranges`: versions as the project counts them, where its releases are no versions of
 * a Go module. They are stated beside the others, which then are wide, and are kept beside them.
 */
function rangesOf(member: JsonObject): JsonObject[] {
  const specific = isObject(member.ecosystem_specific) ? member.ecosystem_specific : {}
  return [...objects(member.ranges), ...objects(specific.custom_ranges)]
}

/**
 * GitHub states the last version known to be affected beside a range that nothing ends. `<= 1.2` is its bound; `< 1.2`
 * cannot be said without calling 1.2 a fix, which is what GitHub does not say.
 */
function boundBy(lastKnown: string | null, ranges: AffectedRange[]): void {
  const bound = /^<=\s*(\S+)$/.exec(lastKnown ?? '')?.[1]
  const last = ranges.at(-1)
  if (bound && last && last.fixed === null && last.last_affected === undefined) last.last_affected = bound
}

function filled<T>(list: T[]): T[] | null {
  return list.length > 0 ? list : null
}
