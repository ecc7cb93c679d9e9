/** An entry of the package index: a package with what all advisories state about it. */
import { compareText } from '../sources.ts'
import type { PackageAdvisory } from './package-advisory.ts'

export interface PackageEntry {
  /** Without suffix. */
  ecosystem: string
  /** As most advisories spell it, else the first by code points. */
  name: string
  /** Without a version. Null if the ecosystem has no such form. */
  purl: string | null
  /** Ascending. */
  spellings: string[]
  /** By id. */
  advisories: PackageAdvisory[]
  /**
   * Statements of advisories that do not fit into a snapshot: their number, and the sum of their hashes. As many of them
   * as fit are among the advisories, without versions (`is_too_large`). Absent if all fit.
   */
  omitted?: { count: number; sum: string }
}

/** A row of the list of packages. */
export interface PackageRow extends Pick<PackageEntry, 'ecosystem' | 'name' | 'purl'> {
  /** Advisories that alias each other count once. */
  advisory_count: number
}

/** A package as `/packages/{ecosystem}/{name}` answers it. */
export interface PackageDetail extends PackageRow {
  /** All spellings of the name, ascending. */
  spellings: string[]
  /** ISO 8601. Null if no advisory states its publication. */
  latest_advisory_at: string | null
}

/** Returns the answer for a package. `aliasesOf` returns all ids of the alias set of an id. */
export function packageDetail(
  { ecosystem, name, purl, spellings, advisories }: PackageEntry,
  aliasesOf: (id: string) => readonly string[] | null,
): PackageDetail {
  // One look-up for each set, which can have thousands of ids.
  const counted = new Set<string>()
  let advisory_count = 0
  for (const { id } of advisories) {
    if (counted.has(id)) continue
    advisory_count++
    for (const one of aliasesOf(id) ?? [id]) counted.add(one)
  }
  const published = advisories.flatMap(({ published }) => published ?? []).sort()
  return {
    ecosystem,
    name,
    purl,
    advisory_count,
    spellings,
    latest_advisory_at: published.at(-1) ?? null,
  }
}

/** Returns the entry of the package with this key (`packageKey`). */
export function packageEntry(
  key: string,
  purl: string | null,
  advisories: PackageAdvisory[],
  omitted?: PackageEntry['omitted'],
): PackageEntry {
  const counts = new Map<string, number>()
  for (const { name } of advisories) counts.set(name, (counts.get(name) ?? 0) + 1)
  const spellings = [...counts.keys()].sort(compareText)
  const name = spellings.toSorted((a, b) => counts.get(b)! - counts.get(a)!)[0]!
  const ecosystem = key.slice(0, key.indexOf('/'))
  return { ecosystem, name, purl, spellings, advisories, ...(omitted && { omitted }) }
}
