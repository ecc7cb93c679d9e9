/** Advisories of a package in the form of npm's registry: one item for each range that contains a version asked for. */
import { hash } from 'node:crypto'
import { aliasSets, compareMatches } from '../../corpus/model/packages/affected-row.ts'
import { matchAdvisories, type PackageMatch } from '../../corpus/model/packages/match.ts'
import type { PackageAdvisory } from '../../corpus/model/packages/package-advisory.ts'
import type { PackageEntry } from '../../corpus/model/packages/package-entry.ts'
import type { RangeMatch, VersionMatch } from '../../corpus/model/versions/affected.ts'
import { advisoryUrl } from './advisory-url.ts'
import type { PackageIndex } from './interface.ts'

export interface NpmAdvisory {
  /** 1 to 2^31-1. Unique in the list, because clients use package and id as a key. */
  id: number
  url: string
  title: string
  severity: 'info' | 'low' | 'moderate' | 'high' | 'critical'
  /** A range of npm's semver. */
  vulnerable_versions: string
  cwe: string[]
  /** CVSS 3. Score 0 and null if the advisory states no such vector. */
  cvss: { score: number; vectorString: string | null }
}

/** An advisory with the versions that it affects, and the ranges that contain them. */
interface Hit extends PackageMatch {
  versions: Set<string>
  ranges: Set<string>
}

/** Returns the advisories that affect a version. A malicious package with a list of versions matches those alone. */
export const affecting = ({ advisories }: PackageEntry, version: string): PackageMatch[] =>
  matchAdvisories(advisories, { ecosystem: 'npm', version }, { preferList: true }).filter(
    ({ matched }) => matched !== null,
  )

/**
 * Returns the advisories that affect any of the versions. `matchesOf` returns those of one version. A set of aliases is
 * reported through its first advisory that affects all its versions; if there is none, through several. A version that is
 * no semver is matched only by ranges of every version and by enumerated versions: clients cannot compare it either.
 */
export function npmAdvisories(
  entry: PackageEntry,
  versions: Iterable<string>,
  aliasesOf: PackageIndex['aliasesOf'],
  matchesOf = (version: string) => affecting(entry, version),
): NpmAdvisory[] {
  const hits = new Map<PackageAdvisory, Hit>()
  for (const version of versions) {
    for (const match of matchesOf(version)) {
      const hit = hits.get(match.advisory) ?? { ...match, versions: new Set(), ranges: new Set() }
      hits.set(match.advisory, hit)
      hit.versions.add(version)
      hit.ranges.add(rangeText(match.matched!))
    }
  }
  const found = [...hits.values()]
  // Most packages have one advisory, and looking up its aliases would cost more than matching it.
  const chosen = found.length < 2 ? found : aliasSets(found, aliasesOf).flatMap(({ matches }) => reported(matches))
  const ids = new Set<number>()
  return chosen
    .sort(compareMatches)
    .flatMap(({ advisory, ranges }) => [...ranges].sort().map((range) => itemOf(advisory, range, ids)))
}

/** Returns the first hit with all versions of the set; else hits until each version is contained. */
function reported(set: Hit[]): Hit[] {
  const sorted = set.sort(compareMatches)
  const all = new Set(sorted.flatMap(({ versions }) => [...versions]))
  const whole = sorted.find(({ versions }) => versions.size === all.size)
  if (whole) return [whole]
  return sorted.filter(({ versions }) => {
    const before = all.size
    for (const version of versions) all.delete(version)
    return all.size < before
  })
}

/** npm's `>=0.0.0` excludes the pre-releases of 0.0.0, also where the client includes pre-releases. */
const EVERYTHING = '>=0.0.0-0'

function rangeText(matched: RangeMatch | VersionMatch): string {
  if (matched.kind === 'version') return `=${matched.version}`
  const { introduced, fixed, last_affected } = matched
  const bounds = [
    ...(introduced === '0' ? [] : [`>=${fullVersion(introduced)}`]),
    ...(fixed === null ? [] : [`<${fullVersion(fixed)}`]),
    ...(last_affected === null ? [] : [`<=${fullVersion(last_affected)}`]),
  ]
  return bounds.length === 0 ? EVERYTHING : bounds.join(' ')
}

/** Adds missing numbers: npm reads `<=1.3` as `<1.4.0`. */
function fullVersion(version: string): string {
  const [, core = '', rest = ''] = /^v?([\d.]+)(.*)$/s.exec(version) ?? []
  return core === ''
    ? version
    : [...core.split('.'), '0', '0'].slice(0, Math.max(3, core.split('.').length)).join('.') + rest
}

function itemOf(advisory: PackageAdvisory, range: string, ids: Set<number>): NpmAdvisory {
  const cvss = advisory.cvss.find(({ version }) => version.startsWith('3'))
  return {
    id: freeId(`${advisory.id}\n${advisory.name}\n${range}`, ids),
    url: advisoryUrl(advisory.id),
    title: advisory.summary ?? (advisory.is_malware ? `Malicious code in ${advisory.name} (npm)` : advisory.id),
    severity: SEVERITIES[advisory.stated_severity ?? advisory.severity ?? 'high'],
    vulnerable_versions: range,
    cwe: advisory.cwe_ids,
    cvss: { score: cvss?.score ?? 0, vectorString: cvss?.vector ?? null },
  }
}

/** npm's client takes an advisory without a severity for a high one. */
const SEVERITIES = { none: 'info', low: 'low', medium: 'moderate', high: 'high', critical: 'critical' } as const

const MAX_ID = 0x7fffffff

/** Returns 31 bits of a digest, or the next number that is free. */
function freeId(name: string, ids: Set<number>): number {
  let id = (Number.parseInt(hash('sha256', name).slice(0, 8), 16) % MAX_ID) + 1
  while (ids.has(id)) id = (id % MAX_ID) + 1
  ids.add(id)
  return id
}
