/** Matches of advisories as rows of `/affected`: advisories that alias each other are one row. */

import { type Budget, spend } from '../budget.ts'
import { type CveId, compareCveIds, parseCveId } from '../ids/cve-id.ts'
import type { Severity } from '../record.ts'
import { compareText } from '../sources.ts'
import { askedVersion, rememberedKeys } from '../versions/affected.ts'
import { comparatorOf } from '../versions/comparator.ts'
import { isSameRelease } from '../versions/ecosystems.ts'
import { compareLeading } from '../versions/leading-numbers.ts'
import {
  affectedBy,
  MAX_ADVISORY_VERSIONS,
  type PackageMatch,
  type PackageQuery,
  type RowComparison,
  sizeOf,
} from './match.ts'
import type { PackageAdvisory, PackageRanges } from './package-advisory.ts'

/** The values of a CVE record that a row shows. */
export interface CveFacts {
  severity: Severity | null
  cvss_score: number | null
  kev: boolean
  has_exploit: boolean
  epss: number | null
}

export interface AffectedRow extends CveFacts {
  advisory_id: string
  /** All other ids of the advisory, sorted. */
  aliases: string[]
  cve_ids: CveId[]
  summary: string | null
  /** The highest rating that the advisories state, if it differs from `severity`. */
  stated_severity: Severity | null
  /** `unimportant` if Debian states it for each entry that matches. */
  urgency: 'unimportant' | null
  verdict: 'affected' | 'undecided'
  /** Why there is no verdict. Null if affected. */
  undecided_reason: PackageMatch['reason']
  matched_by: {
    kind: 'range' | 'version' | 'cpe'
    introduced: string | null
    fixed: string | null
    last_affected: string | null
    /** Id of the advisory that states it. For `cpe`: `nvd`, `cna` or `adp`. */
    source: string
  } | null
  /**
   * Versions that fix it, above the version asked for if that can be compared. None is affected by the advisories of the
   * row. Ascending, unique. Fixes are compared up to a bound (`MAX_ROW_COMPARISONS`).
   */
  fixed_versions: string[]
  published_at: string | null
  modified_at: string | null
}

export interface RowSources {
  /** All advisories of the packages that the matches are of. */
  advisories: readonly (readonly PackageAdvisory[])[]
  /** Returns all ids of the alias set of an id, or null if the id has no alias. */
  aliasesOf(id: string): readonly string[] | null
  /** Returns null if the snapshot has no record of the CVE. */
  cve(id: CveId): CveFacts | null
}

/**
 * Returns the rows of the matches by severity, then KEV, EPSS and id. The affected advisory of a set precedes an
 * undecided one; among equals, GitHub's precedes others, then the lowest id. Summary and severity are those of the first
 * that has one. A CVE with a severity precedes them: severity and score are those of the CVE with the highest score.
 * Yields after each row, and after each fix that is compared.
 */
export function* affectedRows(
  matches: readonly PackageMatch[],
  query: PackageQuery,
  { advisories, aliasesOf, cve }: RowSources,
  budget: Budget = { left: MAX_FIX_COMPARISONS },
): Generator<undefined, AffectedRow[]> {
  const fixedVersions = fixesFor(query)
  const comparisonOf = affectedBy(query.ecosystem, advisories)
  const rows: AffectedRow[] = []
  for (const set of aliasSets(matches, aliasesOf)) {
    const row = rowOf(set, fixedVersions, cve)
    const fixes = row.fixed_versions
    row.fixed_versions = []
    const ofRow: Budget = { left: Math.min(MAX_ROW_COMPARISONS, budget.left) }
    const { cost, isAffected } = fixes.length === 0 ? NO_COMPARISON : comparisonOf(set.ids)
    for (const version of fixes) {
      if (!spend(ofRow, cost)) break
      budget.left -= cost
      if (!isAffected(version)) row.fixed_versions.push(version)
      yield
    }
    rows.push(row)
    yield
  }
  return rows.sort(compareRows)
}

/**
 * Comparisons of the fixes of a row with its entries, and of all rows of an answer, about 1 µs each. Publishers state up to
 * 60 fixes, and up to 16 advisories alias each other. Further fixes are left out.
 */
export const MAX_ROW_COMPARISONS = 20_000
export const MAX_FIX_COMPARISONS = 2_000_000

const NO_COMPARISON: RowComparison = { cost: 0, isAffected: () => false }

interface AliasSet<Match> {
  matches: Match[]
  ids: Set<string>
}

/** Joins matches that share an id: directly, through the alias table, or through others. */
export function aliasSets<Match extends Pick<PackageMatch, 'advisory'>>(
  matches: readonly Match[],
  aliasesOf: RowSources['aliasesOf'],
): AliasSet<Match>[] {
  // A forest: each id points to another of its set, the root to itself.
  const parents = new Map<string, string>()
  const rootOf = (id: string): string => {
    let root = id
    for (let next = parents.get(root); next !== undefined && next !== root; next = parents.get(root)) root = next
    for (let one = id; one !== root; ) {
      const next = parents.get(one)!
      parents.set(one, root)
      one = next
    }
    return root
  }
  const join = (ids: readonly string[]) => {
    const root = rootOf(ids[0]!)
    for (const id of ids) parents.set(rootOf(id), root)
  }
  for (const { advisory } of matches) {
    for (const id of [advisory.id, ...advisory.aliases]) {
      if (parents.has(id)) continue
      const listed = aliasesOf(id)
      if (listed) join([id, ...listed])
    }
    join([advisory.id, ...advisory.aliases])
  }
  const sets = new Map<string, AliasSet<Match>>()
  for (const match of matches) {
    const root = rootOf(match.advisory.id)
    const set = sets.get(root) ?? { matches: [], ids: new Set() }
    set.matches.push(match)
    sets.set(root, set)
  }
  for (const id of parents.keys()) sets.get(rootOf(id))!.ids.add(id)
  return [...sets.values()]
}

const isGithub = ({ advisory }: PackageMatch) => advisory.id.startsWith('GHSA-')

/** The order of preference in a set of aliases. */
export function compareMatches(a: PackageMatch, b: PackageMatch): number {
  return (
    Number(b.verdict === 'affected') - Number(a.verdict === 'affected') ||
    Number(isGithub(b)) - Number(isGithub(a)) ||
    compareText(a.advisory.id, b.advisory.id)
  )
}

function rowOf(
  { matches, ids }: AliasSet<PackageMatch>,
  fixedVersions: (affected: readonly PackageRanges[]) => string[],
  cve: RowSources['cve'],
): AffectedRow {
  const sorted = matches.toSorted(compareMatches)
  const { advisory, verdict, matched, reason } = sorted[0]!
  const advisories = sorted.map((one) => one.advisory)
  // An advisory can name its CVE through further ids.
  const aliased = Array.from(ids, parseCveId).filter((id) => id !== null)
  const cve_ids = [...new Set([...advisories.flatMap((one) => one.cve_ids), ...aliased])].sort(compareCveIds)
  const facts = cve_ids.flatMap((id) => cve(id) ?? [])
  const scores = facts.flatMap(({ epss }) => epss ?? [])
  const range = matched?.kind === 'range' ? matched : null
  const rated = severityOf(facts, advisories)
  const stated = highest(advisories.map((one) => one.stated_severity))
  const deciding = sorted.filter((one) => one.verdict === verdict)
  return {
    advisory_id: advisory.id,
    aliases: [...ids].filter((id) => id !== advisory.id).sort(compareText),
    cve_ids,
    summary: advisories.find(({ summary }) => summary !== null)?.summary ?? null,
    ...rated,
    stated_severity: stated === rated.severity ? null : stated,
    kev: facts.some(({ kev }) => kev),
    epss: scores.reduce<number | null>((best, one) => Math.max(best ?? 0, one), null),
    has_exploit: facts.some(({ has_exploit }) => has_exploit),
    urgency: deciding.every(({ urgency }) => urgency === 'unimportant') ? 'unimportant' : null,
    verdict,
    undecided_reason: reason,
    matched_by: matched && {
      kind: matched.kind,
      introduced: range?.introduced ?? null,
      fixed: range?.fixed ?? null,
      last_affected: range?.last_affected ?? null,
      source: advisory.id,
    },
    fixed_versions: fixedVersions(deciding.flatMap((one) => one.advisory.affected)),
    published_at: advisory.published,
    modified_at: advisory.modified,
  }
}

function severityOf(
  facts: readonly CveFacts[],
  advisories: readonly PackageAdvisory[],
): Pick<CveFacts, 'severity' | 'cvss_score'> {
  const rated = facts.filter(({ severity }) => severity !== null)
  const [best] = rated.sort((a, b) => (b.cvss_score ?? -1) - (a.cvss_score ?? -1))
  if (best) return { severity: best.severity, cvss_score: best.cvss_score }
  const first = advisories.find(({ severity }) => severity !== null)
  return { severity: first?.severity ?? null, cvss_score: first?.cvss[0]?.score ?? null }
}

/**
 * Returns a function that returns the fixed versions of entries above the version of the query. Versions that cannot be
 * parsed follow the others. Of equal ones such as `1.0` and `1.0.0`, the first is returned. Entries that state too much
 * have none.
 */
function fixesFor({ ecosystem, version }: PackageQuery): (affected: readonly PackageRanges[]) => string[] {
  const order = comparatorOf(ecosystem)
  const keyOf = rememberedKeys()
  const { key: asked, numbers } = version === null ? { key: null, numbers: null } : askedVersion(ecosystem, version)
  const isBelow = (text: string) => numbers !== null && (compareLeading(numbers, text) ?? 0) > 0
  return (affected) => {
    const budget: Budget = { left: MAX_ADVISORY_VERSIONS }
    const stated = affected
      .filter((entry) => isSameRelease(entry.ecosystem, ecosystem) && spend(budget, sizeOf(entry)))
      .flatMap(({ ranges }) => ranges.flatMap(({ events }) => events.flatMap(({ fixed }) => fixed ?? [])))
    const texts = [...new Set(stated)].filter((text) => !isBelow(text)).sort(compareText)
    if (!order) return texts
    const fixes = texts.map((text) => ({ text, key: keyOf(order, text) }))
    const comparable = fixes
      .filter(({ key }) => key !== null && (asked === null || order.compare(key, asked) > 0))
      .sort((a, b) => order.compare(a.key, b.key))
      .filter(({ key }, i, sorted) => i === 0 || order.compare(sorted[i - 1]!.key, key) !== 0)
    return [...comparable, ...fixes.filter(({ key }) => key === null)].map(({ text }) => text)
  }
}

const SEVERITIES: readonly (Severity | null)[] = [null, 'none', 'low', 'medium', 'high', 'critical']

/** Returns the highest severity; null if all are unknown. */
export const highest = (severities: readonly (Severity | null)[]): Severity | null =>
  SEVERITIES[Math.max(0, ...severities.map((one) => SEVERITIES.indexOf(one)))]!

/** By severity, then KEV, EPSS and id. */
export function compareRows(a: AffectedRow, b: AffectedRow): number {
  return (
    SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity) ||
    Number(b.kev) - Number(a.kev) ||
    (b.epss ?? -1) - (a.epss ?? -1) ||
    compareText(a.advisory_id, b.advisory_id)
  )
}
