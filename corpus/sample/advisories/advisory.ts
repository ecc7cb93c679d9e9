/** The facts of advisories about a CVE. GHSA publishes them, and OSV's exports repeat them. */
import { cutOf, DAY_MS, FIRST_NIGHT, HOUR_MS } from '../calendar.ts'
import { coverageOf } from '../coverage.ts'
import { quantiles } from '../distribution.ts'
import type { Random } from '../random.ts'
import { cnaAffected } from '../record/affected.ts'
import { type Bounds, boundsOf } from '../record/versions.ts'
import { type Facts, publishedFrom, type World } from '../world.ts'
import { type Ecosystem, type Package, packageIn, packageOf } from './package.ts'

export interface Advisory {
  id: string
  /** Number among the advisories of its CVE, 0 to 3. */
  position: number
  /** Reviewed advisories name packages. The others copy NVD's text. */
  reviewed: boolean
  /** CVE ids. Empty for an advisory without a CVE. */
  aliases: string[]
  packages: { package: Package; bounds: Bounds | Branches }[]
  publishedAt: number
  /** The nights of publication, change and withdrawal. Null for never. */
  from: number
  changedIn: number | null
  withdrawnIn: number | null
}

/** Release branches in one range, as databases of ecosystems state them. GitHub has an entry for each branch. */
export interface Branches {
  /** Ascending. */
  branches: Bounds[]
  /** End of the range, in addition to that of its last branch. */
  limit: string | null
  /** The affected releases. */
  versions: string[]
}

/** Upstream has 21,197 reviewed advisories for about 300,000 CVEs. The sample has few of its unreviewed ones. */
const FORGE_SHARE = 0.95
const OTHER_SHARE = 0.02
const UNREVIEWED_SHARE = 0.06
const WITHOUT_CVE = 0.004
/** Entries of `affected` after the first, in 1,025 reviewed advisories. */
export const BRANCHES = quantiles('0:0 0.66:0.9 0.75:1.4 0.9:3.2 0.95:4.4 0.99:11.5 1:23')
/** Start of the advisory database, in 2017. */
export const SINCE = Date.UTC(2017, 9, 1)
/** The alphabet of upstream's ids. */
const LETTERS = '23456789cfghjmpqrvwx'

export function* advisoriesOf(world: World, facts: Facts): Generator<Advisory> {
  const share = facts.cna.kind === 'forge' ? FORGE_SHARE : facts.publishedAt >= SINCE ? OTHER_SHARE : 0
  const coverage = coverageOf(world, facts, 'ghsa', share)
  if (coverage) {
    const { from, changedIn, retractedIn } = coverage
    const random = world.random(facts.id, 'advisory')
    const first = packageOf(world, facts)
    const publishedAt = publishedIn(facts, from, random)
    const bounds = boundsIn(world, facts, random)
    const packages: Advisory['packages'] = [{ package: first, bounds }]
    // One flaw in two packages: the project exists in another ecosystem too.
    if (random.chance(0.12)) packages.push({ package: packageIn(facts, other(first.ecosystem)), bounds })
    packages.push(...branchesOf(world, facts, first))
    const reviewed = { reviewed: true, packages, publishedAt, from, changedIn, withdrawnIn: retractedIn }
    yield { id: advisoryId(random), position: 0, aliases: [facts.id], ...reviewed }
    if (coverage.several) {
      // A second advisory on the same CVE, which also covers the next CVE.
      const second = { package: packageIn(facts, other(first.ecosystem)), bounds: ownBounds(random) }
      const later = Math.min(publishedAt + random.between(1, 20) * DAY_MS, latest(from))
      const aliases = [facts.id, ...nextOf(world, facts)]
      yield { id: advisoryId(random), position: 1, ...reviewed, aliases, packages: [second], publishedAt: later }
      yield { id: advisoryId(random), position: 2, ...reviewed, aliases: [facts.id], packages: [], reviewed: false }
    }
  } else {
    const unreviewed = coverageOf(world, facts, 'ghsa-unreviewed', facts.publishedAt >= SINCE ? UNREVIEWED_SHARE : 0)
    if (unreviewed) {
      const { from, changedIn, retractedIn } = unreviewed
      const random = world.random(facts.id, 'unreviewed-advisory')
      const publishedAt = publishedIn(facts, from, random)
      const known = { publishedAt, from, changedIn, withdrawnIn: retractedIn }
      yield { id: advisoryId(random), position: 0, reviewed: false, aliases: [facts.id], packages: [], ...known }
    }
  }
  yield* withoutCve(world, facts)
}

function* withoutCve(world: World, facts: Facts): Generator<Advisory> {
  const random = world.random(facts.id, 'advisory-without-cve')
  if (publishedFrom(facts) !== 0 || !(random.chance(WITHOUT_CVE) || (facts.showcase ?? -1) % 10 === 5)) return
  const packages = [{ package: packageOf(world, facts), bounds: ownBounds(random) }]
  const publishedAt = publishedIn(facts, 0, random)
  const unchanged = { from: 0, changedIn: null, withdrawnIn: null }
  yield { id: advisoryId(random), position: 3, reviewed: true, aliases: [], packages, publishedAt, ...unchanged }
}

/** Returns further release branches of the package, each with its own bounds. */
function branchesOf(world: World, facts: Facts, first: Package): Advisory['packages'] {
  const random = world.random(facts.id, 'branches')
  const count = Math.floor(BRANCHES(random.float()))
  return Array.from({ length: count }, (_, i) => {
    const major = 10 + i
    const bounds = { from: `${major}.0.0`, before: `${major}.${random.int(20)}.${random.between(1, 20)}`, upTo: null }
    return { package: first, bounds }
  })
}

/** Returns `GHSA-xxxx-xxxx-xxxx`. */
export function advisoryId(random: Random): string {
  const four = () => Array.from({ length: 4 }, () => LETTERS[random.int(LETTERS.length)]).join('')
  return `GHSA-${four()}-${four()}-${four()}`
}

function nextOf(world: World, facts: Facts): string[] {
  const next = facts.index + 1 < world.cves ? world.facts(facts.index + 1) : null
  return next && publishedFrom(next) === 0 ? [next.id] : []
}

function other(ecosystem: Ecosystem): Ecosystem {
  return ecosystem === 'npm' ? 'Maven' : 'npm'
}

const latest = (from: number) => (from > 0 ? cutOf(from) - HOUR_MS : FIRST_NIGHT)

export function publishedIn(facts: Facts, from: number, random: Random): number {
  if (from > 0) return cutOf(from) - random.between(2, 10) * HOUR_MS
  return Math.min(Math.max(facts.publishedAt, SINCE) + random.int(10 * DAY_MS), FIRST_NIGHT)
}

/** Returns the CNA's bounds if a package can have them, and other bounds in some cases. */
function boundsIn(world: World, facts: Facts, random: Random): Bounds {
  const stated = cnaAffected(world.seed, facts, world.random(facts.id, 'affected'))[0]?.versions ?? []
  const bounds = stated.map(boundsOf).find((one) => one !== null)
  return bounds && !random.chance(0.15) ? bounds : ownBounds(random)
}

function ownBounds(random: Random): Bounds {
  const [major, minor] = [random.between(0, 9), random.int(20)]
  const end = `${major}.${minor}.${random.between(1, 20)}`
  const from = random.chance(0.5) ? `${major}.0.0` : null
  const even = random.float()
  if (even < 0.82) return { from, before: end, upTo: null }
  // The rest has no fix or is a single version.
  return even < 0.95 ? { from, before: null, upTo: end } : { exact: end }
}

export type OsvEvent = { introduced: string } | { fixed: string } | { last_affected: string } | { limit: string }

/** Returns null for a single version, which OSV lists instead. */
export function eventsOf(bounds: Bounds | Branches): OsvEvent[] | null {
  if ('exact' in bounds) return null
  if ('branches' in bounds) {
    const events = bounds.branches.flatMap((branch) => eventsOf(branch) ?? [])
    if (bounds.limit !== null) events.push({ limit: bounds.limit })
    return events.length === 0 ? null : events
  }
  const { from, before, upTo } = bounds
  const events: OsvEvent[] = [{ introduced: from ?? '0' }]
  if (before !== null) events.push({ fixed: before })
  else if (upTo !== null) events.push({ last_affected: upTo })
  return events
}
