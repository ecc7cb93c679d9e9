/** Advisories of a package in the form of a Composer repository: one item for each set of aliases. */
import { parseCveId } from '../../corpus/model/ids/cve-id.ts'
import { aliasSets, compareMatches } from '../../corpus/model/packages/affected-row.ts'
import { matchAdvisories } from '../../corpus/model/packages/match.ts'
import type { PackageAdvisory } from '../../corpus/model/packages/package-advisory.ts'
import type { PackageEntry } from '../../corpus/model/packages/package-entry.ts'
import type { Severity } from '../../corpus/model/record.ts'
import { type evaluationKey, rememberedKeys } from '../../corpus/model/versions/affected.ts'
import { advisoryUrl } from './advisory-url.ts'
import { composerAlternatives, EVERYTHING } from './composer-constraint.ts'
import type { PackageIndex } from './interface.ts'

export const PACKAGIST = 'Packagist'

export interface ComposerAdvisory {
  advisoryId: string
  packageName: string
  remoteId: string
  title: string
  link: string
  cve: string | null
  /** A constraint of `composer/semver`. Clients compare it with their versions. */
  affectedVersions: string
  source: string
  /** All advisories of the set, the preferred one first. */
  sources: { name: string; remoteId: string }[]
  /** RFC 3339. */
  reportedAt: string
  /** Where the package is published. */
  composerRepository: string
  severity: Severity | null
}

/**
 * Returns the advisories of a package, whatever versions they affect. A set of aliases is one item, whose constraint
 * contains the versions of all of them. A set without a version that a constraint can state is left out.
 * `updatedSince`, a time in ms, leaves out sets without a change since then.
 */
export function composerAdvisories(
  { name, advisories }: PackageEntry,
  aliasesOf: PackageIndex['aliasesOf'],
  updatedSince: number | null = null,
): ComposerAdvisory[] {
  const all = matchAdvisories(advisories, { ecosystem: PACKAGIST, version: null }, { preferList: true })
  const sets = all.length < 2 ? all.map((only) => ({ matches: [only], ids: [] })) : aliasSets(all, aliasesOf)
  const keyOf = rememberedKeys()
  return sets
    .map(({ matches, ids }) => ({ found: matches.sort(compareMatches), ids }))
    .sort((a, b) => compareMatches(a.found[0]!, b.found[0]!))
    .flatMap(({ found, ids }) => {
      const set = found.map(({ advisory }) => advisory)
      return updatedSince === null || isUpdated(set, updatedSince) ? (itemOf(name, set, ids, keyOf) ?? []) : []
    })
}

/** An advisory without a date may have changed. */
const isUpdated = (set: readonly PackageAdvisory[], since: number): boolean =>
  set.some(({ modified }) => modified === null || Date.parse(modified) >= since)

function itemOf(
  name: string,
  set: readonly PackageAdvisory[],
  ids: Iterable<string>,
  keyOf: typeof evaluationKey,
): ComposerAdvisory | null {
  const stated = set.map((advisory) => ({ advisory, alternatives: alternativesOf(advisory, keyOf) }))
  const stating = stated.filter(({ alternatives }) => alternatives.length > 0)
  const first = stating[0]?.advisory
  if (!first) return null
  const alternatives = new Set(stating.flatMap((one) => one.alternatives))
  const summary = set.find((one) => one.summary !== null)?.summary
  const [source, ...others] = stating.map(({ advisory: { id } }) => ({ name: sourceOf(id), remoteId: id }))
  return {
    advisoryId: first.id,
    packageName: name,
    remoteId: first.id,
    title: summary ?? (first.is_malware ? `Malicious code in ${name}` : first.id),
    link: advisoryUrl(first.id),
    cve: set.flatMap(({ cve_ids }) => cve_ids)[0] ?? Array.from(ids, parseCveId).find((id) => id !== null) ?? null,
    affectedVersions: alternatives.has(EVERYTHING) ? EVERYTHING : [...alternatives].join('|'),
    source: source!.name,
    sources: [source!, ...others],
    reportedAt: reportedAt(set),
    composerRepository: repositoryOf(first),
    severity: ratingOf(set),
  }
}

const alternativesOf = ({ affected, is_malware }: PackageAdvisory, keyOf: typeof evaluationKey): string[] =>
  affected.flatMap((entry) => composerAlternatives(entry, { preferList: is_malware, keyOf }))

/** The name that Packagist gives the source. */
const sourceOf = (id: string) => (id.startsWith('GHSA-') ? 'GitHub' : 'OSV')

/** Composer requires a date. */
function reportedAt(set: readonly PackageAdvisory[]): string {
  const dates = set.flatMap(({ published, modified }) => published ?? modified ?? []).sort()
  return `${(dates[0] ?? new Date(0).toISOString()).slice(0, 19)}+00:00`
}

/** The suffix of an ecosystem such as `Packagist:https://packages.drupal.org/8` is its repository. */
const repositoryOf = ({ affected }: PackageAdvisory): string =>
  affected[0]?.ecosystem.slice(PACKAGIST.length + 1) || 'https://packagist.org'

/** As packagist.org: the publisher's own rating. */
function ratingOf(set: readonly PackageAdvisory[]): ComposerAdvisory['severity'] {
  const ratings = set.map(({ severity, stated_severity }) => stated_severity ?? severity)
  return ratings.find((rating) => rating !== null) ?? null
}
