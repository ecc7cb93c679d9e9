/** Version orders of the Semantic Versioning family: SemVer 2.0.0, NuGet and Pub. */
import {
  compareLists,
  compareNumbers,
  comparePrefixes,
  compareTexts,
  isNumber,
  plainNumber,
  type VersionOrder,
} from './order.ts'

const IDENTIFIERS = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*'
const FORM = new RegExp(`^v?(\\d+(?:\\.\\d+)*)(?:-(${IDENTIFIERS}))?(?:\\+(${IDENTIFIERS}))?$`)

/** Shared by keys: packages in memory have many of them. */
const NONE: string[] = []

interface SemverKey {
  core: string[]
  prerelease: string[]
  /** Empty where build metadata does not take part. */
  build: string[]
}

/**
 * SemVer 2.0.0, sections 9 to 11. A prefix `v` is accepted. Events of OSV records and tags may have fewer than three
 * numbers, or more: missing ones are 0.
 */
export const semver: VersionOrder<SemverKey> = {
  parse: parseSemver,
  compare(a, b) {
    return compareLists(a.core, b.core, compareNumbers, '0') || comparePrereleases(a.prerelease, b.prerelease)
  },
}

/**
 * SemVer, and the versions of Go itself, with or without `go`: `go1.22rc1` is `1.22.0-rc.1` (Go, `semverutil` of the
 * vulnerability database).
 */
export const go: VersionOrder<SemverKey> = {
  parse: (text) => parseSemver(text.replace(/^go(?=\d)/, '').replace(/^(\d+(?:\.\d+)*)(beta|rc)(\d+)$/, '$1-$2.$3')),
  compare: semver.compare,
}

/** SemVer without case (NuGet, "Package versioning"; `NuGet.Versioning.VersionComparer`). */
export const nuget: VersionOrder<SemverKey> = {
  parse: (text) => parseSemver(text.toLowerCase()),
  compare: semver.compare,
}

/** SemVer, but build metadata takes part: a build follows its release (Dart, `pub_semver`, `Version.compareTo`). */
export const pub: VersionOrder<SemverKey> = {
  parse(text) {
    const key = parseSemver(text)
    return key && { ...key, build: identifiersOf(FORM.exec(text)?.[3]) }
  },
  compare(a, b) {
    return semver.compare(a, b) || comparePrefixes(a.build, b.build, compareIdentifiers)
  },
}

function parseSemver(text: string): SemverKey | null {
  const match = FORM.exec(text)
  return match && { core: match[1]!.split('.').map(plainNumber), prerelease: identifiersOf(match[2]), build: NONE }
}

function identifiersOf(text: string | undefined): string[] {
  return text?.split('.').map((part) => (/^\d+$/.test(part) ? plainNumber(part) : part)) ?? NONE
}

/** A release follows its pre-releases (section 11.3). */
function comparePrereleases(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return Number(a.length === 0) - Number(b.length === 0)
  return comparePrefixes(a, b, compareIdentifiers)
}

/** Numeric identifiers precede others (section 11.4.3). `4a` and `4-foo` are not numeric. */
function compareIdentifiers(a: string, b: string): number {
  const [x, y] = [isNumeric(a), isNumeric(b)]
  if (x !== y) return x ? -1 : 1
  return x ? compareNumbers(a, b) : compareTexts(a, b)
}

function isNumeric(identifier: string): boolean {
  return isNumber(identifier) && /^\d+$/.test(identifier)
}
