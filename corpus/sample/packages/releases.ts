/** Versions of packages in the notation of their ecosystem, and the branches of releases that a flaw affects. */
import { BRANCHES, type Branches } from '../advisories/advisory.ts'
import type { Ecosystem } from '../advisories/package.ts'
import { quantiles } from '../distribution.ts'
import type { Random } from '../random.ts'
import type { Bounds } from '../record/versions.ts'
import type { Release } from './projects.ts'

type Notation = (release: Release, random: Random) => string

const text = (release: Release) => release.join('.')
const semantic: Notation = (release, random) =>
  `${text(release)}-${random.pick(['alpha', 'beta', 'rc'])}.${random.between(1, 9)}`

/** Pre-releases. */
const EARLY: Record<Ecosystem, Notation> = {
  npm: semantic,
  'crates.io': semantic,
  Go: (release, random) =>
    release[0] > 0
      ? semantic(release, random)
      : `0.0.0-202${random.int(6)}0${random.between(1, 9)}1${random.int(10)}12${random.between(10, 59)}00-${random.hex(12)}`,
  PyPI: (release, random) => text(release) + random.pick(['a1', 'b2', 'rc1', 'rc2', '.dev0', '.post1']),
  Maven: (release, random) => text(release) + random.pick(['-M1', '-beta-2', '-RC1', '-rc-2', '-SNAPSHOT', '-alpha1']),
  Packagist: (release, random) => text(release) + random.pick(['-RC1', '-beta2', '-alpha.1', '-p1']),
  RubyGems: (release, random) => text(release) + random.pick(['.rc1', '.beta2', '.pre', '.a']),
  NuGet: (release, random) => `${text(release)}-preview.${random.between(1, 9)}`,
}
/** Notations of a release, other than three numbers. */
const OTHER: Partial<Record<Ecosystem, Notation>> = {
  PyPI: ([major, minor, patch]) => (patch % 3 === 0 ? `${major}.${minor}` : `${major}.${minor}.${patch}.0`),
  Maven: (release, random) => text(release) + random.pick(['.Final', '.RELEASE', '-jre', '.GA']),
  Packagist: (release) => `v${text(release)}`,
  NuGet: (release, random) => `${text(release)}.${random.int(9)}`,
  RubyGems: (release, random) => `${text(release)}.${random.between(1, 4)}`,
  Go: (release) => `${text(release)}+incompatible`,
}
const EARLY_SHARE = 0.03
const OTHER_SHARE = 0.1
/** No version of any ecosystem. */
const UNREADABLE = ['unspecified', 'trunk', 'next release', 'see-advisory']
const UNREADABLE_SHARE = 0.006
const LIMIT_SHARE = 0.02
/** Pairs of events after the first in a range of PyPI's and Go's databases. */
const FURTHER_PAIRS = quantiles('0:0 0.7:0.9 0.85:1.5 0.99:2.9 1:6')
/** Releases in `versions` of 1,731 entries of PyPI's database. */
const LISTED = quantiles('0:1 0.1:1 0.25:4 0.5:23 0.75:61 0.9:102 0.99:274 1:400')
const PATCHES = 10
const MINORS = 20

function written(ecosystem: Ecosystem, release: Release, random: Random): string {
  const even = random.float()
  if (even < UNREADABLE_SHARE) return random.pick(UNREADABLE)
  if (even < UNREADABLE_SHARE + EARLY_SHARE) return EARLY[ecosystem](release, random)
  const other = OTHER[ecosystem]
  return other && even < UNREADABLE_SHARE + EARLY_SHARE + OTHER_SHARE ? other(release, random) : text(release)
}

/**
 * Returns the affected branches of a package whose newest major version is `newest`. Either entries for each branch, as
 * GitHub states them, or one range.
 */
export function affectedBranches(ecosystem: Ecosystem, newest: number, random: Random): Bounds[] {
  if (random.chance(0.03)) return [{ exact: text([random.int(newest + 1), random.int(MINORS), random.int(PATCHES)]) }]
  return branchesFrom(ecosystem, newest, 1 + Math.floor(BRANCHES(random.float())), random)
}

/** Returns one range with all branches, and the releases in it. */
export function combinedBranches(ecosystem: Ecosystem, newest: number, random: Random): Branches {
  const count = 1 + Math.floor(FURTHER_PAIRS(random.float()))
  const branches = branchesFrom(ecosystem, newest, count, random)
  // One range never has both fixes and last affected versions (OSV schema).
  const joined = branches.map((one) => (count > 1 && 'upTo' in one ? { ...one, upTo: null } : one))
  const limit = random.chance(LIMIT_SHARE) ? text([newest + count + 1, 0, 0]) : null
  return { branches: joined, limit, versions: listed(joined, Math.ceil(LISTED(random.float()))) }
}

function branchesFrom(ecosystem: Ecosystem, newest: number, count: number, random: Random): Bounds[] {
  const first = random.int(newest + 1)
  return Array.from({ length: count }, (_, i): Bounds => {
    const major = first + i
    const end: Release = [major, random.int(MINORS), random.between(1, PATCHES - 1)]
    const from = i > 0 || random.chance(0.4) ? written(ecosystem, [major, 0, 0], random) : null
    const even = random.float()
    const last = i === count - 1
    if (last && even > 0.95) return { from, before: null, upTo: null }
    if (last && even > 0.8) return { from, before: null, upTo: written(ecosystem, end, random) }
    return { from, before: written(ecosystem, end, random), upTo: null }
  })
}

const RELEASE = /^\d+\.\d+\.\d+$/

/** Returns up to `count` releases inside the branches, in order. Branches without plain bounds have none. */
function listed(branches: readonly Bounds[], count: number): string[] {
  const found: string[] = []
  for (const branch of branches) {
    if ('exact' in branch) continue
    const end = branch.before ?? branch.upTo
    if (end === null || !RELEASE.test(end)) continue
    const [major, minor, patch] = end.split('.').map(Number) as [number, number, number]
    for (let i = 0; i <= minor; i++) {
      for (let j = 0; j < (i < minor ? PATCHES / 2 : patch); j++) {
        if (found.length < count) found.push(text([major, i, j]))
      }
    }
  }
  // A list is never empty.
  return found.length > 0 ? found : ['0.1.0', '0.1.1']
}
