/** The `versions` of an affected entry, in every form that CNAs use (rule 24). */
import type { VersionStyle } from '../cnas.ts'
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
 * the same major version, M the first release of that version.
 */
const NOTATIONS: Record<Exclude<VersionStyle, 'listed' | 'git' | 'none'> | 'adp', (even: number) => string> = {
  placeholder: choice('n/a:90|unspecified:4|-:3|unknown:3'),
  all: choice('all:1|all versions:1|*:1'),
  comparator: choice('< B:2|>= A, < B:1|<= B:1|= B:1'),
  branches: choice('M;B;;custom:56|M;B;;semver:26|unspecified;B;;custom:9|n/a;B;;custom:9|M;B;;custom;B:4'),
  upTo: choice('0;;B;custom:1|0;;B;semver:1|n/a;;B;custom:2|A;;B;custom:1|A;;B;semver:1|unspecified;;B;custom:2'),
  upToChanged: choice('n/a;;A;custom;B:1'),
  upToFromStar: choice('*;;A;semver:1'),
  from0: choice('0;A;;semver:24|0;A;;custom:24|0;A;;maven:24|0;A;;python:23|0;*;;custom:5'),
  rpm: choice('0:A-1.el8;*;;rpm:1|0:A-17.el9;*;;rpm:1'),
  adp: choice('0;;*;custom:35|A:30|0;B;;custom:10|A;B;;custom:8|0;;B;custom:14|*:3'),
}

/** Returns a version in a notation. */
export function versionIn(style: keyof typeof NOTATIONS, random: Random, from = releaseOf(random)): Version {
  const notation = NOTATIONS[style](random.float())
  const [a, b] = [from.join('.'), laterRelease(from, random).join('.')]
  const given = notation.replaceAll(/[ABM]/g, (letter) => (letter === 'A' ? a : letter === 'B' ? b : `${from[0]}.0.0`))
  const [version, lessThan, lessThanOrEqual, versionType, fixed] = given.split(';')
  return {
    version: version === 'all' ? 'All' : version!,
    status: style === 'rpm' ? 'unaffected' : 'affected',
    ...(lessThan ? { lessThan } : {}),
    ...(lessThanOrEqual ? { lessThanOrEqual } : {}),
    ...(versionType ? { versionType } : {}),
    ...(fixed ? { changes: [{ at: fixed, status: 'unaffected' }] } : {}),
  }
}

export function versionsOf(style: VersionStyle, random: Random): Versions {
  if (style === 'none') return { defaultStatus: 'unknown' }
  if (style === 'git') return kernelVersions(random)[0]
  const [major, minor, patch] = releaseOf(random)
  if (style === 'listed') {
    // Long lists are typical for old firmware, with versions that differ only in the last number.
    const count = Math.max(1, Math.floor(VERSIONS_LISTED(random.float())))
    const version = (i: number) => [major, minor, patch + i].join('.')
    const versions = Array.from({ length: count }, (_, i): Version => ({ version: version(i), status: 'affected' }))
    if (random.chance(0.04)) versions.push({ version: version(count), status: 'unaffected' })
    return { versions }
  }
  const count = style === 'branches' ? random.pick([1, 1, 1, 2, 3]) : 1
  const versions = Array.from({ length: count }, (_, i) => versionIn(style, random, [major + i, minor, patch]))
  if (style === 'rpm') return { versions, defaultStatus: 'affected' }
  const isOnly = /^(upTo|from0)/.test(style) || (style === 'branches' && random.chance(0.4))
  return isOnly ? { versions, defaultStatus: 'unaffected' } : { versions }
}

/** Returns the two entries of a kernel record: commit ranges, and the releases that contain the commits. */
export function kernelVersions(random: Random): [commits: Versions, releases: Versions] {
  const branches = random.between(1, 7)
  const [version, since] = [random.hex(12), `4.${random.between(10, 19)}`]
  const commits = Array.from({ length: branches }, (): Version => {
    return { version, status: 'affected', lessThan: random.hex(12), versionType: 'git' }
  })
  const unaffected = (version: string, more: Partial<Version>): Version => ({ version, status: 'unaffected', ...more })
  const releases = [
    { version: since, status: 'affected' as const },
    unaffected('0', { lessThan: since, versionType: 'custom' }),
    ...Array.from({ length: branches - 1 }, (_, i) => {
      const branch = `5.${4 + 5 * i}`
      const end = { lessThanOrEqual: `${branch}.*`, versionType: 'custom' }
      return unaffected(`${branch}.${random.between(1, 250)}`, end)
    }),
    unaffected(`6.${random.between(7, 15)}`, { lessThanOrEqual: '*', versionType: 'original_commit_for_fix' }),
  ]
  return [
    { versions: commits, defaultStatus: 'unaffected' },
    { versions: releases, defaultStatus: 'affected' },
  ]
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
