/** The `versions` of an affected entry, in every form that CNAs use (rule 24). */
import type { VersionStyle } from '../cnas.ts'
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
type Release = [major: number, minor: number, patch: number]

function release(random: Random): Release {
  return [random.between(0, 12), random.int(16), random.int(25)]
}

function later([major, minor, patch]: Release, random: Random): Release {
  return random.chance(0.5)
    ? [major, minor, patch + random.between(1, 9)]
    : [major, minor + random.between(1, 4), random.int(9)]
}

const text = (of: Release) => of.join('.')
const unaffectedByDefault = { defaultStatus: 'unaffected' } as const

const STYLES: Record<VersionStyle, (random: Random) => Versions> = {
  placeholder: (random) => ({
    versions: [
      { version: random.chance(0.9) ? 'n/a' : random.pick(['unspecified', '-', 'unknown']), status: 'affected' },
    ],
  }),
  listed: (random) => {
    const count = Math.max(1, Math.floor(VERSIONS_LISTED(random.float())))
    const [major, minor, patch] = release(random)
    // Long lists are typical for old firmware, with versions that differ only in the last number.
    const versions = Array.from(
      { length: count },
      (_, i): Version => ({ version: text([major, minor, patch + i]), status: 'affected' }),
    )
    if (random.chance(0.04)) versions.push({ version: text([major, minor, patch + count]), status: 'unaffected' })
    return { versions }
  },
  all: (random) => ({ versions: [{ version: random.pick(['All', 'all versions', '*']), status: 'affected' }] }),
  git: (random) => kernelVersions(random)[0],
  comparator: (random) => {
    const from = release(random)
    const to = text(later(from, random))
    const range = random.pick([`< ${to}`, `< ${to}`, `>= ${text(from)}, < ${to}`, `<= ${to}`, `= ${to}`])
    return { versions: [{ version: range, status: 'affected' }] }
  },
  branches: (random) => {
    const [major] = release(random)
    const versions = Array.from({ length: random.pick([1, 1, 1, 2, 3]) }, (_, i): Version => {
      const from: Release = [major + i, 0, 0]
      const to = text(later(from, random))
      const version = random.chance(0.18) ? random.pick(['unspecified', 'n/a']) : text(from)
      const changes = random.chance(0.04) ? { changes: [{ at: to, status: 'unaffected' as const }] } : {}
      return {
        version,
        status: 'affected',
        lessThan: to,
        versionType: random.pick(['custom', 'custom', 'semver']),
        ...changes,
      }
    })
    return random.chance(0.4) ? { versions, ...unaffectedByDefault } : { versions }
  },
  upTo: (random) => {
    const from = release(random)
    const version = random.pick(['0', 'n/a', text(from), 'unspecified'])
    return {
      versions: [
        {
          version,
          status: 'affected',
          lessThanOrEqual: text(later(from, random)),
          versionType: random.pick(['custom', 'semver']),
        },
      ],
      ...unaffectedByDefault,
    }
  },
  upToChanged: (random) => {
    const last = release(random)
    const fixed = text(later(last, random))
    return {
      versions: [
        {
          version: 'n/a',
          status: 'affected',
          lessThanOrEqual: text(last),
          versionType: 'custom',
          changes: [{ at: fixed, status: 'unaffected' }],
        },
      ],
      ...unaffectedByDefault,
    }
  },
  upToFromStar: (random) => ({
    versions: [{ version: '*', status: 'affected', lessThanOrEqual: text(release(random)), versionType: 'semver' }],
    ...unaffectedByDefault,
  }),
  from0: (random) => {
    const to = text(release(random))
    const open = random.chance(0.05) ? '*' : to
    return {
      versions: [
        {
          version: '0',
          status: 'affected',
          lessThan: open,
          versionType: random.pick(['semver', 'custom', 'maven', 'python']),
        },
      ],
      ...unaffectedByDefault,
    }
  },
  rpm: (random) => ({
    versions: [
      {
        version: `0:${text(release(random))}-${random.between(1, 40)}.el${random.between(7, 9)}`,
        status: 'unaffected',
        lessThan: '*',
        versionType: 'rpm',
      },
    ],
    defaultStatus: 'affected',
  }),
  none: () => ({ defaultStatus: 'unknown' }),
}

export function versionsOf(style: VersionStyle, random: Random): Versions {
  return STYLES[style](random)
}

/** Returns the two entries of a kernel record: commit ranges, and the releases that contain the commits. */
export function kernelVersions(random: Random): [commits: Versions, releases: Versions] {
  const branches = random.between(1, 7)
  const introduced = random.hex(12)
  const commits = Array.from(
    { length: branches },
    (): Version => ({
      version: introduced,
      status: 'affected',
      lessThan: random.hex(12),
      versionType: 'git',
    }),
  )
  const first = random.between(10, 19)
  const since = `4.${first}`
  const stable = Array.from({ length: branches - 1 }, (_, i): Version => {
    const branch = `5.${4 + 5 * i}`
    return {
      version: `${branch}.${random.between(1, 250)}`,
      status: 'unaffected',
      lessThanOrEqual: `${branch}.*`,
      versionType: 'custom',
    }
  })
  return [
    { versions: commits, ...unaffectedByDefault },
    {
      versions: [
        { version: since, status: 'affected' },
        { version: '0', status: 'unaffected', lessThan: since, versionType: 'custom' },
        ...stable,
        {
          version: `6.${random.between(7, 15)}`,
          status: 'unaffected',
          lessThanOrEqual: '*',
          versionType: 'original_commit_for_fix',
        },
      ],
      defaultStatus: 'affected',
    },
  ]
}

export type Bounds = { exact: string } | { from: string | null; before: string | null; upTo: string | null }

const RELEASE = /^\d[\w.]*$/

/** Returns null for anything but affected releases: git, placeholders, text, unaffected versions. */
export function boundsOf({ version, status, lessThan, lessThanOrEqual, versionType }: Version): Bounds | null {
  if (status !== 'affected' || versionType === 'git') return null
  const from = isRelease(version) && version !== '0' ? version : null
  if (isRelease(lessThan)) return { from, before: lessThan, upTo: null }
  if (isRelease(lessThanOrEqual)) return { from, before: null, upTo: lessThanOrEqual }
  const compared = /^(?:>= (\S+), )?(<=?|=) (\S+)$/.exec(version)
  if (compared) {
    const [, since = null, operator, to] = compared
    if (operator === '=') return { exact: to! }
    return operator === '<' ? { from: since, before: to!, upTo: null } : { from: since, before: null, upTo: to! }
  }
  return from !== null && lessThan === undefined && lessThanOrEqual === undefined ? { exact: from } : null
}

function isRelease(text: string | undefined): text is string {
  return text !== undefined && RELEASE.test(text)
}
