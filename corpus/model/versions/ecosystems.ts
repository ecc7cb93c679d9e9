/** The ecosystems of the OSV schema ("Defined ecosystems"), and their releases. */
import { memberOf } from '../values/closed-set.ts'

interface Family {
  ecosystems: readonly string[]
  /** Distributions with releases, such as `Debian:12`. The others have one release, such as Wolfi. */
  distributions?: readonly string[]
}

/** The ecosystems with the same order of versions. */
const NAMES = {
  semver: {
    ecosystems: [
      ...['Bioconductor', 'Bitnami', 'ConanCenter', 'crates.io', 'GHC', 'GitHub Actions', 'Hex', 'Julia'],
      ...['Kubernetes', 'npm', 'SwiftURL', 'VSCode'],
    ],
  },
  go: { ecosystems: ['Go'] },
  cran: { ecosystems: ['CRAN'] },
  hackage: { ecosystems: ['Hackage'] },
  maven: { ecosystems: ['Maven'] },
  nuget: { ecosystems: ['NuGet'] },
  packagist: { ecosystems: ['Packagist'] },
  pub: { ecosystems: ['Pub'] },
  pypi: { ecosystems: ['PyPI'] },
  rubygems: { ecosystems: ['RubyGems'] },
  debian: { ecosystems: ['Echo'], distributions: ['Debian', 'Ubuntu'] },
  alpine: {
    ecosystems: ['Chainguard', 'MinimOS', 'Wolfi'],
    distributions: ['Alpaquita', 'Alpine', 'BellSoft Hardened Containers'],
  },
  rpm: {
    ecosystems: [],
    distributions: [
      ...['AlmaLinux', 'Azure Linux', 'Mageia', 'openEuler', 'openSUSE', 'Photon OS', 'Red Hat', 'Rocky Linux', 'SUSE'],
    ],
  },
} satisfies Record<string, Family>

export type FamilyName = keyof typeof NAMES

const FAMILIES = Object.entries<Family>(NAMES) as [FamilyName, Family][]

/** The family of each ecosystem whose versions have an order. */
export const FAMILY_OF: ReadonlyMap<string, FamilyName> = new Map(
  FAMILIES.flatMap(([family, { ecosystems, distributions = [] }]) =>
    [...ecosystems, ...distributions].map((name) => [name, family] as const),
  ),
)

/** Ecosystems of the schema whose versions have no defined order. */
const UNORDERED = ['Android', 'CleanStart', 'Docker Hardened Images', 'FreeBSD', 'Linux', 'opam', 'OSS-Fuzz', 'Root']

/** All ecosystems of the OSV schema that name packages, without suffixes. In any case, ascending. */
export const ECOSYSTEMS: readonly string[] = [...FAMILY_OF.keys(), ...UNORDERED].sort((a, b) =>
  a.toLowerCase() < b.toLowerCase() ? -1 : 1,
)

/** Returns all ecosystems of the schema, and those of `more` that it does not have. */
export const knownEcosystems = (more: readonly string[]): string[] => [...new Set([...ECOSYSTEMS, ...more])]

const DISTRIBUTIONS: ReadonlySet<string> = new Set(FAMILIES.flatMap(([, { distributions = [] }]) => distributions))

/** Returns the name before the suffix: `Debian` of `Debian:12`, `Maven` of `Maven:https://repo.example`. */
export function baseEcosystem(ecosystem: string): string {
  const colon = ecosystem.indexOf(':')
  return colon < 0 ? ecosystem : ecosystem.slice(0, colon)
}

/**
 * Returns an ecosystem in its canonical spelling; null for an unknown one. Accepts those of the schema and `more`, in any
 * case. A suffix such as `:12` stays as it is.
 */
export function canonicalEcosystem(text: string, more: readonly string[]): string | null {
  const base = baseEcosystem(text)
  const member = memberOf(knownEcosystems(more), base)
  return member === null ? null : member + text.slice(base.length)
}

/** A tag of an action such as `v4` or `v4.1` moves with each release (GitHub, "Releasing and maintaining actions"). */
const FLOATING_TAG = /^v?(?:(\d+)\.)?(\d+)$/

/** Returns the version that follows all releases that a floating version can mean; null for another version. */
export function endOfFloating(ecosystem: string, version: string): string | null {
  if (baseEcosystem(ecosystem) !== 'GitHub Actions') return null
  const [, major, last] = FLOATING_TAG.exec(version) ?? []
  if (last === undefined) return null
  const next = String(BigInt(last) + 1n)
  // `-0` precedes every other pre-release.
  return major === undefined ? `${next}.0.0-0` : `${major}.${next}.0-0`
}

/** Returns true for a distribution: its versions have an order within one release only. */
export function hasReleases(ecosystem: string): boolean {
  return DISTRIBUTIONS.has(baseEcosystem(ecosystem))
}

/**
 * Returns the release that a suffix names, such as `12` of `Debian:12`; null without one. Variants of an Ubuntu release
 * count as the release: `22.04:LTS`, `Pro:22.04:LTS` (osv.dev, `remove_variants`). So do repositories of a Red Hat product
 * (`enterprise_linux:8::baseos`), and the products and modules of a service pack of SUSE Linux Enterprise (`15 SP4`).
 */
export function releaseOf(ecosystem: string): string | null {
  const [base, ...suffix] = ecosystem.split(':')
  if (base === 'Red Hat') return suffix.slice(0, 2).join(':') || null
  const release = base === 'Ubuntu' ? suffix.filter((part) => part !== 'Pro' && part !== 'LTS') : suffix
  const text = release.join(':')
  if (base === 'SUSE') return SUSE_PRODUCT.exec(text)?.[1] ?? (text || null)
  return text || null
}

/** What a snapshot has advisories of. */
export interface IndexedEcosystems {
  /** Without suffixes, ascending. */
  readonly ecosystems: readonly string[]
  /** The releases of each distribution among them, as `releaseOf` names them, ascending. */
  readonly releases: Readonly<Record<string, readonly string[]>>
}

/**
 * Whether a snapshot can have advisories for packages of the ecosystem. False for a release that none of them names:
 * an empty answer would not mean that the package is not affected. So is OSS-Fuzz: its advisories are those of one tool
 * on some projects, and `pkg:generic` names any package.
 */
export function isIndexed(ecosystem: string, { ecosystems, releases }: IndexedEcosystems): boolean {
  const base = baseEcosystem(ecosystem)
  if (base === 'OSS-Fuzz') return false
  const release = releaseOf(ecosystem)
  if (!ecosystems.includes(base)) return false
  return release === null || !hasReleases(base) || releases[base]!.includes(release)
}

/** Not Micro, whose numbers are its own. A package that only a module states is in that module on every system. */
const SUSE_PRODUCT = /^Linux Enterprise (?!Micro|Real).*?\b(\d+(?: SP\d+)?)(?:[- ].*)?$/s

/**
 * Whether a version of one ecosystem can be a version of the other: false for another ecosystem, or for another release
 * of a distribution; null if one of them names no release of its distribution.
 */
export function isSameRelease(a: string, b: string): boolean | null {
  if (baseEcosystem(a) !== baseEcosystem(b)) return false
  if (!hasReleases(a)) return true
  const [x, y] = [releaseOf(a), releaseOf(b)]
  return x === null || y === null ? null : x === y
}
