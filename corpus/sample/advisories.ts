/** The facts of advisories about a CVE. GHSA publishes them, and OSV's exports repeat them. */
import { cutOf, DAY_MS, FIRST_NIGHT, HOUR_MS, secondOf } from './calendar.ts'
import { coverageOf } from './changes.ts'
import { affectedBranches, type Package, packageIn, packageOf } from './packages.ts'
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

export interface Dated extends Nights {
  publishedAt: number
}

export interface Advisory extends Dated {
  id: string
  /** CVE ids. Empty for an advisory without a CVE. */
  aliases: string[]
  /** Reviewed advisories name packages. The others copy NVD's text. */
  packages: { package: Package; bounds: Bounds }[]
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
  const reviewed = coverageOf(world, facts, 'ghsa', share)
  const coverage = reviewed ?? coverageOf(world, facts, 'ghsa-unreviewed', isCovered ? UNREVIEWED_SHARE : 0)
  const random = world.random(facts.id, 'advisory')
  const own = packageOf(world, facts)
  // One flaw in two packages: the project exists in another ecosystem too.
  const twin = packageIn(facts, own.ecosystem === 'npm' ? 'Maven' : 'npm')
  const branchesOf = (one: Package) => affectedBranches(world.seed, one, random)
  if (coverage) {
    const { from, changedIn, retractedIn: withdrawnIn, several } = coverage
    const common = { aliases: [facts.id] as string[], from, changedIn, withdrawnIn }
    const advisory = (packages: Advisory['packages']): Advisory => {
      return { ...common, id: advisoryId(random), packages, publishedAt: publishedIn(facts, from, random) }
    }
    const bounds = statedBounds(world, facts) ?? branchesOf(own)
    const packages = bounds.map((one) => ({ package: own, bounds: one }))
    if (random.chance(0.12)) packages.push({ package: twin, bounds: bounds[0]! })
    yield advisory(reviewed ? packages : [])
    if (!several) return
    // A second advisory on the same CVE, which also covers the next CVE, and an unreviewed one.
    yield { ...advisory([{ package: twin, bounds: branchesOf(twin)[0]! }]), aliases: withNext(world, facts) }
    yield advisory([])
  }
  const isAlone = random.chance(WITHOUT_CVE) || (facts.showcase ?? -1) % 10 === 5
  if (publishedFrom(facts) === 0 && isAlone) {
    const dated = { from: 0, changedIn: null, withdrawnIn: null, publishedAt: publishedIn(facts, 0, random) }
    yield { ...dated, id: advisoryId(random), aliases: [], packages: [{ package: own, bounds: branchesOf(own)[0]! }] }
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

/** Returns the CNA's bounds if a package can have them. */
function statedBounds(world: World, facts: Facts): Bounds[] | null {
  const stated = cnaAffected(world.seed, facts, world.random(facts.id, 'affected'))[0]?.versions ?? []
  const bounds = stated.map(boundsOf).find((one) => one !== null)
  return bounds ? [bounds] : null
}

export type OsvEvent = { introduced: string } | { fixed: string } | { last_affected: string }

/** Returns null for a single version, which OSV lists instead. */
export function eventsOf(bounds: Bounds): OsvEvent[] | null {
  if ('exact' in bounds) return null
  const { from, before, upTo } = bounds
  const end: OsvEvent[] = before !== null ? [{ fixed: before }] : upTo !== null ? [{ last_affected: upTo }] : []
  return [{ introduced: from ?? '0' }, ...end]
}

/** Returns the nights in which the text of an advisory changes, ascending. */
export function advisoryNights({ from, changedIn, withdrawnIn }: Nights): number[] {
  return [...new Set([from, changedIn, withdrawnIn])].filter((night) => night !== null).sort((a, b) => a - b)
}

/** Returns the dates as of a night. With `fraction`, the change has microseconds, as in OSV's exports. */
export function datesOf(advisory: Dated, night: number, fraction: number | null = null) {
  const { publishedAt, from, withdrawnIn } = advisory
  const news = advisoryNights(advisory).findLast((one) => one <= night) ?? from
  const latest = from > 0 ? cutOf(from) - HOUR_MS / 2 : FIRST_NIGHT
  const first = Math.max(Math.min(publishedAt + 30 * DAY_MS, latest), publishedAt)
  const modified = secondOf(news > from ? cutOf(news) - HOUR_MS / 2 : first)
  const digits = fraction === null ? '' : `.${String(fraction % 1_000_000).padStart(6, '0')}`
  const dates = { modified: modified.replace('Z', `${digits}Z`), published: secondOf(publishedAt) }
  if (withdrawnIn === null || withdrawnIn > night) return dates
  const early = Math.min(publishedAt + DAY_MS, latest)
  return { ...dates, withdrawn: secondOf(withdrawnIn > from ? cutOf(withdrawnIn) - HOUR_MS : early) }
}
