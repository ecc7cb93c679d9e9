/**
 * Advisories of packages besides those that GitHub's repository has. Their number is an option, they are spread over
 * the CVEs, and they come in pairs: two databases state one flaw, or each has its own.
 */
import { weighted } from '../distribution.ts'
import { Random } from '../random.ts'
import type { Facts, World } from '../world.ts'

export type Kind = 'flaw' | 'malware' | 'Debian'

/** One of the further advisories. */
export interface Item {
  /** Unique, ascending with the CVEs. */
  number: number
  kind: Kind
  /** The nights of publication, change and withdrawal. Null for never. */
  from: number
  changedIn: number | null
  withdrawnIn: number | null
}

/** Shares of OSV's exports in 2026: most records are malicious packages. Distributions have only a few here. */
const KINDS = weighted<Kind>([
  ['malware', 80],
  ['flaw', 17],
  ['Debian', 3],
])
const CHANGED_SHARE = 0.01
const WITHDRAWN_SHARE = 0.006

/** Returns the number of an item that is withdrawn in each night after the first, with its night. */
export function withdrawals({ seed, nights, advisories }: World): Map<number, number> {
  const found = new Map<number, number>()
  for (let night = 1; advisories > 0 && night < nights; night++) {
    found.set(new Random(seed, night, 'withdrawn-package-advisory').int(advisories), night)
  }
  return found
}

/** Returns the pairs of items at a CVE; the last pair of a night may be a single item. */
export function pairsAt(world: World, facts: Facts, withdrawn: ReadonlyMap<number, number>): Item[][] {
  const pairs = Math.ceil(world.advisories / 2)
  const pairsBefore = (index: number) => Math.floor((index * pairs) / world.cves)
  const [first, end] = [pairsBefore(facts.index), pairsBefore(facts.index + 1)]
  return Array.from({ length: end - first }, (_, i) => {
    const pair = first + i
    const kind = isExample(facts) && i === 0 ? 'flaw' : KINDS(new Random(world.seed, pair, 'package-advisory').float())
    const count = pair === pairs - 1 && world.advisories % 2 === 1 ? 1 : 2
    return Array.from({ length: count }, (_, half) => itemOf(world, facts, kind, 2 * pair + half, withdrawn))
  })
}

function itemOf(
  world: World,
  { born: from }: Facts,
  kind: Kind,
  number: number,
  withdrawn: ReadonlyMap<number, number>,
): Item {
  const random = new Random(world.seed, number, 'package-advisory-nights')
  const last = world.nights - 1
  const changed = last > from && random.chance(CHANGED_SHARE * (last - from))
  const changedIn = changed ? random.between(from + 1, last) : null
  const withdrawnIn = withdrawn.get(number) ?? (random.chance(WITHDRAWN_SHARE) ? from : null)
  return { number, kind, from, changedIn, withdrawnIn }
}

/** The CVEs in KEV from the first night on have an advisory of a known npm package, for examples. */
export const isExample = ({ kevNight }: Facts) => kevNight === 0
