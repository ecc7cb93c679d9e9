/** Which advisories of a package affect a version. */
import {
  type AffectedVersions,
  type AskedVersion,
  askedVersion,
  evaluate,
  isFixed,
  isSameReleaseAs,
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
  const parsed = parsedAdvisories(advisories)
  const tooLarge = tooLargeIn(parsed, asked)
  return parsed.advisories.flatMap((one): PackageMatch[] => {
    const { advisory } = one
    if (tooLarge.has(one))
      return [{ advisory, verdict: 'undecided', matched: null, reason: 'too_large', urgency: null }]
    const { at, ...found } = verdictOf(parsed, one, asked, preferList && advisory.is_malware)
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
  { keyOf }: ParsedAdvisories,
  { entries }: ParsedAdvisory,
  asked: AskedVersion,
  preferList: boolean,
): Verdict & { at: number } {
  let result: Verdict & { at: number } = { verdict: 'not_affected', at: -1 }
  if (entries.some((entry) => isFixedByPro(entry, asked, keyOf))) return result
  for (const [at, entry] of entries.entries()) {
    if (isSameReleaseAs(entry.stated.ecosystem, asked) === false) continue
    const found = evaluate(versionsOf(entry, keyOf), asked, { preferList })
    if (found.verdict === 'affected') return { ...found, at }
    if (found.verdict === 'undecided' && result.verdict !== 'undecided') result = { ...found, at }
  }
  return result
}

/**
 * Whether Ubuntu Pro has fixed the version. The plain entry of the release has no fix, or a later one, so it would still
 * affect the builds of Pro.
 */
const isFixedByPro = (entry: ParsedEntry, asked: AskedVersion, keyOf: KeyOf): boolean =>
  entry.stated.ecosystem.startsWith('Ubuntu:Pro:') &&
  isSameReleaseAs(entry.stated.ecosystem, asked) !== false &&
  isFixed(versionsOf(entry, keyOf), asked)

type KeyOf = ReturnType<typeof rememberedKeys>

/** An entry of an advisory. It is parsed when a question of its release is compared with it. */
interface ParsedEntry {
  stated: PackageRanges
  /** Versions and events. */
  size: number
  versions: AffectedVersions | null
}

interface ParsedAdvisory {
  advisory: PackageAdvisory
  entries: ParsedEntry[]
}

interface ParsedAdvisories {
  advisories: ParsedAdvisory[]
  size: number
  keyOf: KeyOf
}

const versionsOf = (entry: ParsedEntry, keyOf: KeyOf): AffectedVersions => {
  const { stated } = entry
  entry.versions ??= parseAffected({ ...stated, package: { ecosystem: stated.ecosystem } }, keyOf)
  return entry.versions
}

/** Parsing costs far more than evaluating. The result lives as long as the list, for callers that cache packages. */
const parsed = new WeakMap<readonly PackageAdvisory[], ParsedAdvisories>()

function parsedAdvisories(advisories: readonly PackageAdvisory[]): ParsedAdvisories {
  const known = parsed.get(advisories)
  if (known) return known
  const entryOf = (stated: PackageRanges): ParsedEntry => ({ stated, size: sizeOf(stated), versions: null })
  const counted = countedAdvisories(advisories).map((advisory) => ({
    advisory,
    entries: advisory.affected.map(entryOf),
  }))
  const size = counted.reduce((sum, { entries }) => entries.reduce((total, one) => total + one.size, sum), 0)
  const result = { advisories: counted, size, keyOf: rememberedKeys() }
  parsed.set(advisories, result)
  return result
}

/** Returns the number of versions and events of an entry, and one for the entry itself. */
export const sizeOf = ({ ranges, versions }: PackageRanges): number =>
  ranges.reduce((sum, { events }) => sum + events.length, versions.length + 1)

/**
 * Maximum versions and events of one advisory, and of all advisories of a package, that a question is compared with:
 * entries of other releases do not count. Parsing one takes about 2 µs. The largest advisories have a few thousand, the
 * largest packages less than 100,000 for each release.
 */
export const MAX_ADVISORY_VERSIONS = 50_000
export const MAX_PACKAGE_VERSIONS = 500_000

/** Returns the number of versions and events of a package. */
export const versionCount = (advisories: readonly PackageAdvisory[]): number => parsedAdvisories(advisories).size

type Asked = Pick<AskedVersion, 'ecosystem' | 'version'>

/** Returns the advisories that state too much to be compared. Of all of a package, those with the most versions. */
function tooLargeIn({ advisories, size }: ParsedAdvisories, asked: Asked): ReadonlySet<ParsedAdvisory> {
  const found = new Set<ParsedAdvisory>()
  const sizeFor = ({ entries }: ParsedAdvisory) =>
    entries.reduce((sum, one) => (isSameReleaseAs(one.stated.ecosystem, asked) === false ? sum : sum + one.size), 0)
  for (const one of advisories) if (one.advisory.is_too_large && sizeFor(one) > 0) found.add(one)
  if (size <= MAX_ADVISORY_VERSIONS) return found
  const bySize = advisories.map((one) => ({ one, size: sizeFor(one) })).sort((a, b) => a.size - b.size)
  let left = MAX_PACKAGE_VERSIONS
  for (const { one, size } of bySize) {
    if (size > MAX_ADVISORY_VERSIONS || size > left) found.add(one)
    else left -= size
  }
  return found
}

/** Parses what a question compares, so that the comparison takes little time. Yields after each advisory. */
export function* prepareAdvisories(
  advisories: readonly PackageAdvisory[],
  { ecosystem, version }: PackageQuery,
): Generator<undefined, void> {
  if (version === null) return
  const list = parsedAdvisories(advisories)
  const tooLarge = tooLargeIn(list, { ecosystem, version })
  for (const one of list.advisories) {
    if (tooLarge.has(one)) continue
    for (const entry of one.entries) {
      if (isSameReleaseAs(entry.stated.ecosystem, { ecosystem, version }) !== false) versionsOf(entry, list.keyOf)
    }
    yield
  }
}

/** Whether a version is affected, for the advisories of a row. */
export interface RowComparison {
  /** Comparisons of a version with an entry. */
  cost: number
  isAffected(version: string): boolean
}

/**
 * Returns for the ids of a row whether an advisory with one of them affects a version, or states too much to be compared.
 * Databases contradict each other: one calls a version fixed that another lists as affected.
 */
export function affectedBy(ecosystem: string, lists: readonly (readonly PackageAdvisory[])[]) {
  // Most questions find nothing, so nothing has a fix.
  let byId: Map<string, (ParsedAdvisory & { list: ParsedAdvisories; isTooLarge: boolean })[]> | undefined
  const versions = new Map<string, AskedVersion>()
  const askedOf = (version: string) => {
    const asked = versions.get(version) ?? askedVersion(ecosystem, version)
    versions.set(version, asked)
    return asked
  }
  const advisoriesIn = (list: ParsedAdvisories) => {
    const tooLarge = tooLargeIn(list, { ecosystem, version: '' })
    return list.advisories.map((one) => ({ ...one, list, isTooLarge: tooLarge.has(one) }))
  }
  return (ids: ReadonlySet<string>): RowComparison => {
    byId ??= Map.groupBy(
      lists.flatMap((list) => advisoriesIn(parsedAdvisories(list))),
      ({ advisory }) => advisory.id,
    )
    const known = byId
    const found = [...ids].flatMap((id) => known.get(id) ?? [])
    return {
      cost: found.reduce((sum, { entries }) => sum + entries.length, 0),
      isAffected: (version) =>
        found.some(
          (one) =>
            one.isTooLarge ||
            verdictOf(one.list, one, askedOf(version), one.advisory.is_malware).verdict === 'affected',
        ),
    }
  }
}
