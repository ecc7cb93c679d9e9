/** Packages and advisories: reads the tables when they are needed first, and members one by one. */

import type { CveId } from '../model/ids/cve-id.ts'
import { idSpellings } from '../model/packages/advisory-id.ts'
import { type AffectedRow, affectedRows, type CveFacts } from '../model/packages/affected-row.ts'
import { matchAdvisories, type PackageQuery } from '../model/packages/match.ts'
import { type PackageAdvisory, packageKey } from '../model/packages/package-advisory.ts'
import { type PackageDetail, type PackageEntry, packageDetail } from '../model/packages/package-entry.ts'
import { PurlError, type PurlPackage, packageOfPurl } from '../model/packages/purl.ts'
import { advisoryNames } from '../model/packages/source-package.ts'
import { canonicalEcosystem, ECOSYSTEMS } from '../model/versions/ecosystems.ts'
import { generationalCache } from '../runtime/generational-cache.ts'
import { finished } from '../runtime/steps.ts'
import { type HashedRole, plainBytes } from '../snapshot/index.ts'
import type { AliasLookup } from './alias-lookup.ts'
import type { CveLookup, FoundCore } from './cve-lookup.ts'
import type { HashedLookup } from './hashed-lookup.ts'
import { assertKnown } from './query.ts'
import type { OsvRecord } from './record.ts'
import { parsedJson } from './rows.ts'

/** A package, with or without a version: a package URL, or the parts that it states. */
export type PackageQuestion =
  | string
  | { purl: string }
  | {
      /** In any case. A distribution takes its release: `Debian:12`. */
      ecosystem: string
      /** In any spelling that the ecosystem treats as equal. */
      name: string
      version?: string | null | undefined
      /** The source package of a distribution's package, with its version if it differs: `openssl@1.1.1n-0`. */
      source?: string | null | undefined
    }

export interface Packages {
  /** @throws TypeError, PurlError, SnapshotError, TransferError */
  affected(question: PackageQuestion): Promise<AffectedRow[]>
  /**
   * Returns a package, by an ecosystem in canonical form and a name in any spelling; null for an unknown one.
   * @throws SnapshotError, TransferError
   */
  entry(ecosystem: string, name: string): Promise<PackageDetail | null>
  /** @throws TypeError, SnapshotError, TransferError */
  advisory(id: string): Promise<OsvRecord | null>
}

/** Cache size of parsed packages. */
const PACKAGES_BYTES = 16 * 1024 * 1024
/** Memory of a package per byte of its JSON: parsed, and with parsed versions (`matchAdvisories`). */
const PARSED_BYTES = 4
/** Cache size of facts of CVEs. */
const FACTS_BYTES = 4 * 1024 * 1024
const BYTES_PER_CVE = 200

export function openPackages(
  members: HashedLookup,
  cves: CveLookup,
  aliases: AliasLookup,
  ecosystems: readonly string[],
): Packages {
  const entries = generationalCache<string, { entry: PackageEntry; bytes: number }>(
    PACKAGES_BYTES,
    ({ bytes }) => bytes,
  )
  const facts = generationalCache<CveId, { cve: CveFacts | null }>(FACTS_BYTES, () => BYTES_PER_CVE)

  /** Returns the JSON of a member; null without one. */
  async function textOf(role: HashedRole, key: string): Promise<string | null> {
    const member = await members.member(role, key)
    return member && plainBytes(member.bytes, member.segments[0]!).toString()
  }

  async function packageOf(ecosystem: string, name: string): Promise<PackageEntry | null> {
    const key = packageKey(ecosystem, name)
    const known = entries.get(key)
    if (known) return known.entry
    const text = await textOf('packages', key)
    if (text === null) return null
    const entry = parsedJson(text) as PackageEntry
    entries.set(key, { entry, bytes: text.length * PARSED_BYTES })
    return entry
  }

  /** Null for a CVE without a record. */
  async function factsOf(ids: readonly CveId[]): Promise<Map<CveId, CveFacts | null>> {
    const unknown = ids.filter((id) => !facts.get(id))
    const found = new Map(ids.map((id) => [id, facts.get(id)?.cve ?? null]))
    const cores = await cves.cores(unknown)
    for (const id of unknown) {
      const cve = factsIn(cores.get(id))
      facts.set(id, { cve })
      found.set(id, cve)
    }
    return found
  }

  /** Returns the alias sets of advisories, by each id that has one. */
  async function aliasSets(advisories: readonly PackageAdvisory[]): Promise<Map<string, readonly string[]>> {
    const sets = await aliases.sets([...new Set(advisories.map(({ id }) => id))])
    // The set of an advisory contains its aliases, unless they are malformed.
    const others = advisories.flatMap((advisory) => advisory.aliases.filter((id) => !sets.has(id)))
    for (const [id, set] of await aliases.sets([...new Set(others)])) sets.set(id, set)
    return sets
  }

  return {
    async affected(question) {
      const { ecosystem, ...asked } = askedPackage(question, ecosystems)
      if (ecosystem === null) return []
      const { names, version } = advisoryNames({ ecosystem, ...asked })
      const query: PackageQuery = { ecosystem, version }
      const entries = await Promise.all(names.map((name) => packageOf(ecosystem, name)))
      const advisories = entries.flatMap((entry) => (entry ? [entry.advisories] : []))
      const matches = advisories.flatMap((list) => matchAdvisories(list, query, { preferList: true }))
      if (matches.length === 0) return []
      const sets = await aliasSets(matches.map(({ advisory }) => advisory))
      const rows = (cve: (id: CveId) => CveFacts | null) =>
        finished(affectedRows(matches, query, { advisories, aliasesOf: (id) => sets.get(id) ?? null, cve }))
      // The first pass names the CVEs.
      const found = await factsOf([...new Set(rows(() => null).flatMap(({ cve_ids }) => cve_ids))])
      return rows((id) => found.get(id) ?? null)
    },

    async entry(ecosystem, name) {
      const entry = await packageOf(ecosystem, name)
      if (!entry) return null
      const sets = await aliasSets(entry.advisories)
      return packageDetail(entry, (id) => sets.get(id) ?? null)
    },

    async advisory(id) {
      if (typeof id !== 'string' || id === '') {
        throw new TypeError(
          `the id of an advisory must be a string such as GHSA-35jh-r3h4-6jhm, not ${JSON.stringify(id)}`,
        )
      }
      for (const spelling of idSpellings(id)) {
        const text = await textOf('advisories', spelling)
        if (text !== null) return parsedJson(text) as OsvRecord
      }
      return null
    },
  }
}

function factsIn(found: FoundCore | undefined): CveFacts | null {
  if (!found) return null
  const { severity, cvss_score, kev, has_exploit } = found.core
  return { severity, cvss_score, kev: kev.listed, has_exploit, epss: found.epss?.score ?? null }
}

/**
 * Returns the package of a question. The ecosystem is null if none has the type of the purl.
 * @throws TypeError, PurlError
 */
function askedPackage(question: PackageQuestion, ecosystems: readonly string[]): PurlPackage {
  if (typeof question === 'string') return parsedPurl(question)
  assertKnown(['purl', 'ecosystem', 'name', 'version', 'source'], question)
  const given: Partial<Record<'purl' | 'ecosystem' | 'name' | 'version' | 'source', unknown>> = question
  if (given.purl !== undefined) {
    const other = (['ecosystem', 'name', 'version', 'source'] as const).find((option) => given[option] !== undefined)
    if (other !== undefined) throw new TypeError(`option '${other}' cannot be combined with 'purl'; the purl states it`)
    return parsedPurl(packageText('purl', given.purl))
  }
  const [ecosystem, name] = [packageText('ecosystem', given.ecosystem), packageText('name', given.name)]
  const canonical = canonicalEcosystem(ecosystem, ecosystems)
  if (canonical === null) {
    const known = [...new Set([...ECOSYSTEMS, ...ecosystems])].join(', ')
    throw new TypeError(`option 'ecosystem' has an unknown ecosystem '${ecosystem}'; known ecosystems are ${known}`)
  }
  const { version = null, source = null } = given
  return {
    ecosystem: canonical,
    name,
    version: version === null ? null : packageText('version', version),
    source: source === null ? null : packageText('source', source),
  }
}

function packageText(option: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  throw new TypeError(`option '${option}' must be a string that is not empty, not ${JSON.stringify(value)}`)
}

/** @throws PurlError that repeats the purl */
function parsedPurl(purl: string): PurlPackage {
  try {
    return packageOfPurl(purl)
  } catch (error) {
    if (!(error instanceof PurlError)) throw error
    const message = `'${purl}' is not a package URL such as pkg:npm/%40angular/core@17.0.0: ${error.message}`
    throw new PurlError(error.code, message, { cause: error })
  }
}
