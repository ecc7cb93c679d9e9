/** Which advisories of a package affect a version. */
import {
  type AffectedVersions,
  type AskedVersion,
  askedVersion,
  evaluate,
  isFixed,
  parseAffected,
  type RangeMatch,
  rememberedKeys,
  type UndecidedReason,
  type Verdict,
  type VersionMatch,
} from '../versions/affected.ts'
import { isSameRelease } from '../versions/ecosystems.ts'
import type { PackageAdvisory, PackageRanges } from './package-advisory.ts'

export interface PackageQuery {
  /** With its suffix, such as `Debian:12`. */
  ecosystem: string
  /** Null asks for every advisory of the package. */
  version: string | null
}

export interface PackageMatch {
  advisory: PackageAdvisory
  /** Undecided without a version too. */
  verdict: 'affected' | 'undecided'
  /** Null if undecided. */
  matched: RangeMatch | VersionMatch | null
  /** Null if affected. */
  reason: 'no_version' | UndecidedReason | null
  /** What the entry that decides states. */
  urgency: 'unimportant' | null
}

/**
 * Returns the advisories that affect the version, or may affect it, in their order. Without a version, all advisories
 * except those of other releases. The list must not change between calls: it is parsed once.
 */
export function matchAdvisories(
  advisories: readonly PackageAdvisory[],
  { ecosystem, version }: PackageQuery,
  /** Whether a list of malicious versions replaces a range of everything. OSV's interface follows OSV, which does not. */
  { preferList }: { preferList: boolean },
): PackageMatch[] {
  if (version === null) {
    return countedAdvisories(advisories)
      .filter(({ affected }) => affected.some((entry) => isSameRelease(entry.ecosystem, ecosystem) !== false))
      .map((advisory) => ({ advisory, verdict: 'undecided', matched: null, reason: 'no_version', urgency: null }))
  }
  const asked = askedVersion(ecosystem, version)
  return parsedAdvisories(advisories).flatMap(({ advisory, entries }): PackageMatch[] => {
    const { at, ...found } = verdictOf(entries, asked, preferList && advisory.is_malware)
    if (found.verdict === 'not_affected') return []
    const { matched, reason } = { matched: null, reason: null, ...found }
    return [{ advisory, verdict: found.verdict, matched, reason, urgency: advisory.affected[at]?.urgency ?? null }]
  })
}

/** A CVE record counts only if no advisory on the CVE names the package: advisories state versions in its ecosystem's order. */
function countedAdvisories(advisories: readonly PackageAdvisory[]): readonly PackageAdvisory[] {
  if (!advisories.some(({ is_cve_record }) => is_cve_record)) return advisories
  const named = new Set(advisories.flatMap(({ is_cve_record, cve_ids }) => (is_cve_record ? [] : cve_ids)))
  return advisories.filter(({ is_cve_record, cve_ids }) => !is_cve_record || !cve_ids.some((id) => named.has(id)))
}

/** Returns the verdict of an advisory, and the index of the entry that decides: an affected one before an undecided one. */
function verdictOf(
  entries: readonly AffectedVersions[],
  asked: AskedVersion,
  preferList: boolean,
): Verdict & { at: number } {
  let result: Verdict & { at: number } = { verdict: 'not_affected', at: -1 }
  if (entries.some((entry) => isFixedByPro(entry, asked))) return result
  for (const [at, entry] of entries.entries()) {
    const found = evaluate(entry, asked, { preferList })
    if (found.verdict === 'affected') return { ...found, at }
    if (found.verdict === 'undecided' && result.verdict !== 'undecided') result = { ...found, at }
  }
  return result
}

/**
 * Whether Ubuntu Pro has fixed the version. The plain entry of the release has no fix, or a later one, so it would still
 * affect the builds of Pro.
 */
const isFixedByPro = (entry: AffectedVersions, asked: AskedVersion): boolean =>
  entry.ecosystem.startsWith('Ubuntu:Pro:') && isFixed(entry, asked)

type ParsedAdvisories = { advisory: PackageAdvisory; entries: AffectedVersions[] }[]

/** Parsing costs far more than evaluating. The result lives as long as the list, for callers that cache packages. */
const parsed = new WeakMap<readonly PackageAdvisory[], ParsedAdvisories>()

function parsedAdvisories(advisories: readonly PackageAdvisory[]): ParsedAdvisories {
  const known = parsed.get(advisories)
  if (known) return known
  const keyOf = rememberedKeys()
  const parse = (entry: PackageRanges) => parseAffected({ ...entry, package: { ecosystem: entry.ecosystem } }, keyOf)
  const result = countedAdvisories(advisories).map((advisory) => ({
    advisory,
    entries: advisory.affected.map(parse),
  }))
  parsed.set(advisories, result)
  return result
}
/**
 * Returns whether an advisory with one of the ids affects a version. Databases contradict each other: one calls a version
 * fixed that another lists as affected.
 */
export function affectedBy(ecosystem: string, lists: readonly (readonly PackageAdvisory[])[]) {
  // Most questions find nothing, so nothing has a fix.
  let byId: Map<string, ParsedAdvisories> | undefined
  const versions = new Map<string, AskedVersion>()
  const askedOf = (version: string) => {
    const asked = versions.get(version) ?? askedVersion(ecosystem, version)
    versions.set(version, asked)
    return asked
  }
  return (version: string, ids: ReadonlySet<string>): boolean => {
    byId ??= Map.groupBy(lists.flatMap(parsedAdvisories), ({ advisory }) => advisory.id)
    const known = byId
    return [...ids]
      .flatMap((id) => known.get(id) ?? [])
      .some(({ advisory, entries }) => verdictOf(entries, askedOf(version), advisory.is_malware).verdict === 'affected')
  }
}
