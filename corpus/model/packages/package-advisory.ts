/** Extracts from a record in the OSV schema what the package index states about each package that it names. */
import type { CvssClaim } from '../claim.ts'
import type { Severity } from '../record.ts'
import { severityOf } from '../scores/cvss.ts'
import { canonicalVector, threatScore } from '../scores/cvss-vector.ts'
import { utcTimestamp } from '../values/date.ts'
import { isObject, type JsonObject, objects, text, texts } from '../values/json-value.ts'
import { isEvaluated, needsVersion, parseAffected, sortEvents } from '../versions/affected.ts'
import { baseEcosystem, hasReleases } from '../versions/ecosystems.ts'
import { type AdvisoryIds, advisoryIds, isWithdrawn } from './advisory-ids.ts'
import { foldName, isPackageName, packageKey } from './name.ts'
import { packageUrl } from './purl.ts'

/** Increase it with every change of the result for the same record. */
export const PACKAGE_RULES = 6

/** What one advisory states about one package. */
export interface PackageAdvisory extends AdvisoryIds {
  /** ISO 8601 in UTC. */
  modified: string | null
  published: string | null
  summary: string | null
  /** The band of the first score. Without one, the stated rating. */
  severity: Severity | null
  /** The publisher's own rating. Malware is critical. */
  stated_severity: Severity | null
  /** With threat metrics, which publishers count. The highest version first. */
  cvss: { version: CvssClaim['version']; score: number; vector: string }[]
  cwe_ids: string[]
  /** Whether the package itself is malicious (`MAL-`). */
  is_malware: boolean
  /** Whether a CVE record states it (`packageURL`), not an advisory. Absent otherwise. */
  is_cve_record?: true
  /** Whether the package is too large for a snapshot, so that its entries have no ranges and versions. Absent otherwise. */
  is_too_large?: true
  /** The name of the package as the record states it first. */
  name: string
  affected: PackageRanges[]
}

/** An entry of `affected[]` with its `SEMVER` and `ECOSYSTEM` ranges. Events ascend; versions that the ranges contain anyway are absent. */
export interface PackageRanges {
  /** With its suffix, such as `Debian:12`. */
  ecosystem: string
  ranges: { type: string; events: Record<string, string>[] }[]
  versions: string[]
  /** Debian states that the vulnerability has no practical effect in this release. Absent otherwise. */
  urgency?: 'unimportant'
}

export interface PackageStatement {
  /** The ecosystem without suffix. */
  ecosystem: string
  /** Folded, as the index is keyed. */
  folded: string
  /** Stated, else derived from ecosystem and name. Null if the ecosystem has no such form. */
  purl: string | null
  advisory: PackageAdvisory
}

/** Returns what stays of an advisory in a package that is too large for a snapshot. */
export function withoutVersions(advisory: PackageAdvisory): PackageAdvisory {
  const ecosystems = [...new Set(advisory.affected.map(({ ecosystem }) => ecosystem))]
  return {
    ...advisory,
    ...{ aliases: [], cve_ids: advisory.cve_ids.slice(0, 20), summary: null, cvss: [], cwe_ids: [] },
    is_too_large: true,
    affected: ecosystems.map((ecosystem) => ({ ecosystem, ranges: [], versions: [] })),
  }
}

/**
 * Returns a statement for each package that the record names; none for a withdrawn one. Ignores entries whose ecosystem
 * contains a slash, because keys would be ambiguous, and names that no request can state.
 * @param ignored is called for each entry that is ignored
 */
export function packageStatements(
  record: JsonObject,
  ignored: (ecosystem: string, name: string) => void = () => {},
): PackageStatement[] {
  const ids = advisoryIds(record)
  if (ids === null || isWithdrawn(record)) return []
  const packages = new Map<string, NamedEntry[]>()
  for (const entry of objects(record.affected)) {
    const named = isObject(entry.package) ? entry.package : {}
    const [ecosystem, name] = [text(named.ecosystem), text(named.name)]
    if (ecosystem === null || name === null) continue
    if (!/^[^:/]+(?::|$)/.test(ecosystem) || !isPackageName(name)) {
      ignored(ecosystem, name)
      continue
    }
    const key = packageKey(ecosystem, name)
    const entries = packages.get(key) ?? []
    if (entries.length === 0) packages.set(key, entries)
    entries.push({ entry, ecosystem, name, purl: withoutVersion(text(named.purl)) })
  }
  const about = aboutRecord(record, ids)
  return [...packages.values()].map((entries) => statementOf(record, about, entries))
}

/** An entry of `affected[]` that names a package. */
interface NamedEntry {
  entry: JsonObject
  ecosystem: string
  name: string
  purl: string | null
}

/** Qualifiers name an architecture or distribution, not the package. */
const withoutVersion = (purl: string | null): string | null => purl?.replace(/[?#].*$|(?<=[^/])@[^@/]*$/gs, '') ?? null

export type RecordFacts = Omit<PackageAdvisory, 'name' | 'affected' | 'cvss' | 'severity'>

function statementOf(record: JsonObject, about: RecordFacts, entries: NamedEntry[]): PackageStatement {
  const { ecosystem, name } = entries[0]!
  const base = baseEcosystem(ecosystem)
  const cvss = cvssOf([record, ...entries.map(({ entry }) => entry)])
  return {
    ecosystem: base,
    folded: foldName(ecosystem, name),
    purl: entries.find(({ purl }) => purl !== null)?.purl ?? packageUrl(base, name),
    advisory: {
      ...about,
      severity: severityIn(cvss, about),
      cvss,
      name,
      affected: entries.map((one) => rangesOf(one.entry, one.ecosystem, about.is_malware)),
    },
  }
}

/** Returns what a record states about all packages that it names. */
export function aboutRecord(record: JsonObject, ids: AdvisoryIds): RecordFacts {
  const specific = isObject(record.database_specific) ? record.database_specific : {}
  const is_malware = ids.id.startsWith('MAL-')
  const dateOf = (stated: unknown) => utcTimestamp(text(stated) ?? '')
  return {
    ...ids,
    modified: dateOf(record.modified),
    published: dateOf(record.published),
    summary: text(record.summary),
    stated_severity: is_malware ? 'critical' : (STATED[text(specific.severity)?.toUpperCase() ?? ''] ?? null),
    cwe_ids: [...new Set(texts(specific.cwe_ids))],
    is_malware,
    ...(specific.derived_from === 'cve_record' ? { is_cve_record: true } : {}),
  }
}

const STATED: Readonly<Record<string, Severity>> = {
  LOW: 'low',
  MODERATE: 'medium',
  MEDIUM: 'medium',
  HIGH: 'high',
  CRITICAL: 'critical',
}

/** Returns the band of the first score; without one, the stated rating. */
export function severityIn(
  [best]: PackageAdvisory['cvss'],
  { stated_severity }: Pick<RecordFacts, 'stated_severity'>,
): Severity | null {
  return best ? severityOf(best.score, best.version) : stated_severity
}

/** Vectors of the record count for all its packages, those of an entry for its package alone. */
export function cvssOf(statements: readonly JsonObject[]): PackageAdvisory['cvss'] {
  const byVector = new Map<string, PackageAdvisory['cvss'][number]>()
  for (const { severity } of statements) {
    for (const stated of objects(severity)) {
      const vector = text(stated.score)
      const scored =
        vector === null || byVector.has(vector)
          ? null
          : (threatScore(vector) ?? threatScore(canonicalVector(vector, '3.1')))
      if (vector !== null && scored) byVector.set(vector, { version: scored.version, score: scored.score, vector })
    }
  }
  return [...byVector.values()].sort((a, b) => (a.version > b.version ? -1 : a.version < b.version ? 1 : 0))
}

const KINDS = ['introduced', 'fixed', 'last_affected', 'limit'] as const

/** Publishers state thousands of versions or of ranges, not of both. */
const MAX_COMPARISONS = 4_000_000

function rangesOf(entry: JsonObject, ecosystem: string, isMalware: boolean): PackageRanges {
  const ranges = objects(entry.ranges).flatMap((range) => {
    const type = text(range.type)?.toUpperCase() ?? 'ECOSYSTEM'
    const events = objects(range.events).flatMap((event) =>
      KINDS.flatMap((kind) => {
        const version = text(event[kind])
        return version === null ? [] : [{ [kind]: version }]
      }),
    )
    return isEvaluated(type) ? [{ type, events }] : []
  })
  const versions = [...new Set(texts(entry.versions))]
  // Ranges do not decide alone without the release of a distribution, nor for malware (`preferList`).
  const isNeeded = hasReleases(ecosystem) || isMalware || versions.length * ranges.length > MAX_COMPARISONS
  const parsed = isNeeded ? null : parseAffected({ package: { ecosystem }, ranges })
  return {
    ecosystem,
    ranges: ranges.map((range) => sortEvents(ecosystem, range)),
    versions: parsed === null ? versions : versions.filter((version) => needsVersion(parsed, version)),
    ...(isUnimportant(entry) ? { urgency: 'unimportant' } : {}),
  }
}

/** Security tracker of Debian, "urgency". */
const isUnimportant = ({ ecosystem_specific: specific }: JsonObject): boolean =>
  isObject(specific) && specific.urgency === 'unimportant'
