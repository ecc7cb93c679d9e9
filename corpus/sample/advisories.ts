/** The facts of advisories about a CVE. GHSA publishes them, and OSV's exports repeat them. */
import { cutOf, DAY_MS, FIRST_NIGHT, HOUR_MS } from './calendar.ts'
import { coverageOf } from './changes.ts'
import { affectedBranches, type Ecosystem, type Package, packageIn, packageOf } from './packages.ts'
import type { Random } from './random.ts'
import { cnaAffected } from './records/affected.ts'
import { type Bounds, boundsOf } from './records/versions.ts'
import { type Facts, publishedFrom, type World, withNext } from './world.ts'

/** The nights of publication, change and withdrawal. Null for never. */
export interface Nights {
  from: number
  changedIn: number | null
  withdrawnIn: number | null
}

export interface Advisory extends Nights {
  id: string
  /** Number among the advisories of its CVE: 0 to 3, or 4 for one that is only in OSV's exports. */
  position: number
  /** Reviewed advisories name packages. The others copy NVD's text. */
  reviewed: boolean
  /** CVE ids. Empty for an advisory without a CVE. */
  aliases: string[]
  packages: { package: Package; bounds: Bounds }[]
  publishedAt: number
}

/**
 * Shares of CVEs: of those that a forge assigned, of others, and of unreviewed advisories. Upstream has 21,197 reviewed
 * advisories for about 300,000 CVEs. The sample has few of its unreviewed ones.
 */
const FORGE_SHARE = 0.95
const OTHER_SHARE = 0.02
const UNREVIEWED_SHARE = 0.06
const WITHOUT_CVE = 0.004
/** Start of the advisory database. */
const SINCE = Date.UTC(2017, 9, 1)

export function* advisoriesOf(world: World, facts: Facts): Generator<Advisory> {
  const isCovered = facts.publishedAt >= SINCE
  const share = facts.cna.kind === 'forge' ? FORGE_SHARE : isCovered ? OTHER_SHARE : 0
  const coverage = coverageOf(world, facts, 'ghsa', share)
  const unreviewed = coverage ? null : coverageOf(world, facts, 'ghsa-unreviewed', isCovered ? UNREVIEWED_SHARE : 0)
  const isAlone =
    world.random(facts.id, 'advisory-without-cve').chance(WITHOUT_CVE) || (facts.showcase ?? -1) % 10 === 5
  if (!coverage && !unreviewed && !isAlone) return
  const random = world.random(facts.id, 'advisory')
  const first = packageOf(world, facts)
  const other: Ecosystem = first.ecosystem === 'npm' ? 'Maven' : 'npm'
  if (coverage) {
    const { from, changedIn, retractedIn: withdrawnIn } = coverage
    const publishedAt = publishedIn(facts, from, random)
    const packages = boundsIn(world, facts, first, random).map((bounds) => ({ package: first, bounds }))
    // One flaw in two packages: the project exists in another ecosystem too.
    if (random.chance(0.12)) packages.push({ package: packageIn(facts, other), bounds: packages[0]!.bounds })
    const common = {
      reviewed: true,
      aliases: [facts.id] as string[],
      packages,
      publishedAt,
      from,
      changedIn,
      withdrawnIn,
    }
    yield { id: advisoryId(random), position: 0, ...common }
    if (!coverage.several) return
    // A second advisory on the same CVE, which also covers the next CVE.
    const second = packageIn(facts, other)
    const bounds = affectedBranches(world.seed, second, random)[0]!
    const latest = from > 0 ? cutOf(from) - HOUR_MS : FIRST_NIGHT
    const later = Math.min(publishedAt + random.between(1, 20) * DAY_MS, latest)
    const own = { aliases: withNext(world, facts), packages: [{ package: second, bounds }], publishedAt: later }
    yield { id: advisoryId(random), position: 1, ...common, ...own }
    yield { id: advisoryId(random), position: 2, ...common, packages: [], reviewed: false }
  } else if (unreviewed) {
    const { from, changedIn, retractedIn: withdrawnIn } = unreviewed
    const common = { reviewed: false, aliases: [facts.id], packages: [], from, changedIn, withdrawnIn }
    yield { id: advisoryId(random), position: 0, ...common, publishedAt: publishedIn(facts, from, random) }
  }
  if (publishedFrom(facts) === 0 && isAlone) {
    const packages = [{ package: first, bounds: affectedBranches(world.seed, first, random)[0]! }]
    const common = { reviewed: true, aliases: [], packages, from: 0, changedIn: null, withdrawnIn: null }
    yield { id: advisoryId(random), position: 3, ...common, publishedAt: publishedIn(facts, 0, random) }
  }
}

/** Returns an id in the alphabet of upstream's ids. */
export function advisoryId(random: Random): string {
  const four = () => Array.from({ length: 4 }, () => '23456789cfghjmpqrvwx'[random.int(20)]).join('')
  return `GHSA-${four()}-${four()}-${four()}`
}

export function publishedIn(facts: Facts, from: number, random: Random): number {
  if (from > 0) return cutOf(from) - random.between(2, 10) * HOUR_MS
  return Math.min(Math.max(facts.publishedAt, SINCE) + random.int(10 * DAY_MS), FIRST_NIGHT)
}

/** Returns the CNA's bounds if a package can have them, and other bounds in some cases. */
function boundsIn(world: World, facts: Facts, one: Package, random: Random): Bounds[] {
  const stated = cnaAffected(world.seed, facts, world.random(facts.id, 'affected'))[0]?.versions ?? []
  const bounds = stated.map(boundsOf).find((one) => one !== null)
  return bounds && !random.chance(0.15) ? [bounds] : affectedBranches(world.seed, one, random)
}

export type OsvEvent = { introduced: string } | { fixed: string } | { last_affected: string }

/** Returns null for a single version, which OSV lists instead. */
export function eventsOf(bounds: Bounds): OsvEvent[] | null {
  if ('exact' in bounds) return null
  const { from, before, upTo } = bounds
  const end: OsvEvent[] = before !== null ? [{ fixed: before }] : upTo !== null ? [{ last_affected: upTo }] : []
  return [{ introduced: from ?? '0' }, ...end]
}

type Dated = Nights & Pick<Advisory, 'publishedAt'>

const latestOf = (from: number) => (from > 0 ? cutOf(from) - HOUR_MS / 2 : FIRST_NIGHT)

export function withdrawnAt({ publishedAt, from, withdrawnIn }: Dated, night: number): number | null {
  if (withdrawnIn === null || withdrawnIn > night) return null
  return withdrawnIn > from ? cutOf(withdrawnIn) - HOUR_MS : Math.min(publishedAt + DAY_MS, latestOf(from))
}

export function modifiedAt({ publishedAt, from, changedIn, withdrawnIn }: Dated, night: number): number {
  const news = Math.max(
    ...[changedIn, withdrawnIn].map((one) => (one !== null && one > from && one <= night ? one : -1)),
  )
  if (news > 0) return cutOf(news) - HOUR_MS / 2
  return Math.max(Math.min(publishedAt + 30 * DAY_MS, latestOf(from)), publishedAt)
}

/** Returns the nights in which the text of an advisory changes, ascending. */
export function advisoryNights({ from, changedIn, withdrawnIn }: Nights): number[] {
  return [...new Set([from, changedIn, withdrawnIn])].filter((night) => night !== null).sort((a, b) => a - b)
}
