/** The `versions` of an affected entry, in the forms that CNAs use (rule 24). */
import { choice } from '../distribution.ts'
import { VERSIONS_LISTED } from '../figures.ts'
import type { Random } from '../random.ts'

export interface Version {
  version: string
  status: 'affected' | 'unaffected' | 'unknown'
  lessThan?: string
  lessThanOrEqual?: string
  versionType?: string
  changes?: { at: string; status: 'affected' | 'unaffected' }[]
}

export interface Versions {
  versions?: Version[]
  defaultStatus?: 'affected' | 'unaffected' | 'unknown'
}

/** A release as three numbers, so that a later one can be derived. */
export type Release = readonly [major: number, minor: number, patch: number]

export const releaseOf = (random: Random): Release => [random.int(13), random.int(16), random.int(25)]

/** Returns a release after another one of the same major version. */
export function laterRelease([major, minor, patch]: Release, random: Random): Release {
  if (random.chance(0.5)) return [major, minor, patch + random.between(1, 9)]
  return [major, minor + random.between(1, 4), random.int(9)]
}

/**
 * Versions with their weights: `version;lessThan;lessThanOrEqual;versionType;fixed in`. A is a release, B a later one of
 * the same major version, M the first release of that version, and G and H are commits.
 */
const NOTATIONS = {
  placeholder: choice('n/a:90|unspecified:4|All:3'),
  listed: choice('A:1'),
  comparator: choice('< B:2|>= A, < B:1|<= B:1|= B:1'),
  branches: choice('M;B;;custom:56|M;B;;semver:26|n/a;B;;custom:9|M;B;;custom;B:4'),
  upTo: choice('0;;B;semver:2|n/a;;B;custom:2|A;;B;custom:1|*;;A;semver:2|n/a;;A;custom;B:3'),
  from0: choice('0;A;;semver:24|0;A;;maven:24|0;A;;python:23|0;*;;custom:5'),
  rpm: choice('0:A-1.el8;*;;rpm:1|0:A-17.el9;*;;rpm:1'),
  git: choice('H;G;;git:1'),
  adp: choice('0;;*;custom:35|A:30|0;B;;custom:10|A;B;;custom:8|0;;B;custom:14|*:3'),
}

/** Forms of version statements. */
export type VersionStyle = Exclude<keyof typeof NOTATIONS, 'adp'> | 'none'

/** Returns a version in a notation. */
export function versionIn(style: keyof typeof NOTATIONS, random: Random, from = releaseOf(random)): Version {
  const releases = { A: from.join('.'), B: laterRelease(from, random).join('.'), M: `${from[0]}.0.0` }
  const values: Record<string, string> = { ...releases, G: random.hex(12), H: random.hex(12) }
  const given = NOTATIONS[style](random.float()).replaceAll(/[ABGHM]\b/g, (letter) => values[letter]!)
  const [version, lessThan, lessThanOrEqual, versionType, fixed] = given.split(';')
  return {
    version: version!,
    status: style === 'rpm' ? 'unaffected' : 'affected',
    ...(lessThan ? { lessThan } : {}),
    ...(lessThanOrEqual ? { lessThanOrEqual } : {}),
    ...(versionType ? { versionType } : {}),
    ...(fixed ? { changes: [{ at: fixed, status: 'unaffected' }] } : {}),
  }
}

export function versionsOf(style: VersionStyle, random: Random): Versions {
  if (style === 'none') return { defaultStatus: 'unknown' }
  const [major, minor, patch] = releaseOf(random)
  // Long lists are typical for old firmware, with versions that differ only in the last number.
  if (style === 'listed') {
    const count = Math.floor(VERSIONS_LISTED(random.float()))
    return { versions: Array.from({ length: count }, (_, i) => versionIn(style, random, [major, minor, patch + i])) }
  }
  const count = style === 'git' ? random.between(1, 7) : style === 'branches' ? random.pick([1, 1, 1, 2, 3]) : 1
  const versions = Array.from({ length: count }, (_, i) => versionIn(style, random, [major + i, minor, patch]))
  if (style === 'rpm') return { versions, defaultStatus: 'affected' }
  return style === 'upTo' || style === 'from0' || style === 'git'
    ? { versions, defaultStatus: 'unaffected' }
    : { versions }
}

/** A range of releases: its start, its end without and with the end itself. Or a single release. */
export type Bounds = { exact: string } | { from: string | null; before: string | null; upTo: string | null }

const isRelease = (text: string | undefined): text is string => text !== undefined && /^\d[\w.]*$/.test(text)

/** Returns null for anything but affected releases: git, placeholders, text, unaffected versions. */
export function boundsOf({ version, status, lessThan, lessThanOrEqual, versionType }: Version): Bounds | null {
  if (status !== 'affected' || versionType === 'git') return null
  const from = isRelease(version) && version !== '0' ? version : null
  if (isRelease(lessThan)) return { from, before: lessThan, upTo: null }
  if (isRelease(lessThanOrEqual)) return { from, before: null, upTo: lessThanOrEqual }
  const [, since = null, operator, to] = /^(?:>= (\S+), )?(<=?|=) (\S+)$/.exec(version) ?? []
  if (operator === '=') return { exact: to! }
  if (operator) return { from: since, before: operator === '<' ? to! : null, upTo: operator === '<' ? null : to! }
  return from !== null && lessThan === undefined && lessThanOrEqual === undefined ? { exact: from } : null
}
