/** Flaws of packages: GitHub's advisory, and its copy in the database of the ecosystem. */
import { type Advisory, advisoryId, publishedIn } from '../advisories/advisory.ts'
import { type Ecosystem, type Package, packageOf } from '../advisories/package.ts'
import { weighted } from '../distribution.ts'
import { Random } from '../random.ts'
import { type Facts, publishedFrom, type World } from '../world.ts'
import { type Item, isExample } from './items.ts'
import { KNOWN, newestMajor, projectAt, projectRank, spelled } from './projects.ts'
import { affectedBranches, combinedBranches } from './releases.ts'

/** Weights: reviewed advisories of each ecosystem. Those of which a database of the ecosystem has a copy count twice. */
const ECOSYSTEMS = weighted<Ecosystem>([
  ['npm', 27],
  ['Maven', 20],
  ['Packagist', 17],
  ['PyPI', 10],
  ['NuGet', 6],
  ['RubyGems', 6],
  ['crates.io', 5],
  ['Go', 4],
])
const CVE_SHARE = 0.85
/** Share of the projects that are the product of the CVE. The others are those of `projectAt`. */
const PRODUCT_SHARE = 0.4
const TWO_PACKAGES_SHARE = 0.08

export interface Flaw {
  ecosystem: Ecosystem
  /** GitHub's advisory. */
  advisory: Advisory
  /** The same flaw in the database of the ecosystem, if it has one. */
  database: Advisory | null
}

/** Returns one flaw if a database of the ecosystem has a copy, otherwise one for each item. */
export function flawsOf(world: World, facts: Facts, [first, second]: readonly Item[]): { flaw: Flaw; items: Item[] }[] {
  const { seed } = world
  const example = isExample(facts)
  const random = new Random(seed, first!.number, 'package-flaw')
  const ecosystem = ECOSYSTEMS(random.float())
  const flawIn = (one: Ecosystem, item: Item, isKnown: boolean) => flawOf(world, facts, one, item, isKnown)
  if (!example && WITH_DATABASE.has(ecosystem) && second) {
    return [{ flaw: flawIn(ecosystem, first!, false), items: [first!, second] }]
  }
  const own = WITH_DATABASE.has(ecosystem) ? 'npm' : ecosystem
  return [first!, second].flatMap((item) => {
    if (!item) return []
    const isKnown = example && item === first
    return [{ flaw: flawIn(isKnown ? 'npm' : own, item, isKnown), items: [item] }]
  })
}

/** Ecosystems with a database of their own, whose entries repeat GitHub's advisories. */
const WITH_DATABASE: ReadonlySet<Ecosystem> = new Set<Ecosystem>(['PyPI', 'Go', 'crates.io'])

function flawOf(world: World, facts: Facts, ecosystem: Ecosystem, item: Item, isKnown: boolean): Flaw {
  const { seed } = world
  const random = new Random(seed, item.number, 'flaw')
  const project = projectOf(world, facts, ecosystem, random, isKnown)
  const withCve = isKnown || (publishedFrom(facts) === facts.born && random.chance(CVE_SHARE))
  const newest = newestMajor(seed, project)
  const bounds = affectedBranches(ecosystem, newest, random)
  const named = spelled(project, random)
  const packages: Advisory['packages'] = bounds.map((one) => ({ package: named, bounds: one }))
  // The core of a project is a package of its own.
  if (random.chance(TWO_PACKAGES_SHARE)) packages.push({ package: coreOf(named), bounds: bounds[0]! })
  const { from, changedIn, withdrawnIn } = item
  const advisory: Advisory = {
    id: advisoryId(random),
    position: 0,
    reviewed: true,
    aliases: withCve ? [facts.id] : [],
    packages,
    publishedAt: publishedIn(facts, from, random),
    from,
    changedIn,
    withdrawnIn,
  }
  if (!WITH_DATABASE.has(ecosystem)) return { ecosystem, advisory, database: null }
  const combined = { package: spelled(project, random), bounds: combinedBranches(ecosystem, newest, random) }
  return { ecosystem, advisory, database: { ...advisory, packages: [combined] } }
}

function projectOf(world: World, facts: Facts, ecosystem: Ecosystem, random: Random, isKnown: boolean): Package {
  if (isKnown) return projectAt(world.seed, random.int(KNOWN.length), ecosystem)
  const rank = projectRank(world, random)
  if (!random.chance(PRODUCT_SHARE)) return projectAt(world.seed, rank, ecosystem)
  const own = packageOf(world, facts)
  return own.ecosystem === ecosystem ? own : projectAt(world.seed, rank, ecosystem)
}

function coreOf(one: Package): Package {
  return { ...one, name: `${one.name}-core`, purl: `${one.purl}-core` }
}

/** Returns the advisory before its change, which states the fix of the newest branch. */
export function beforeChange(advisory: Advisory): Advisory {
  const [last, ...others] = advisory.packages.toReversed()
  if (!last || 'exact' in last.bounds || 'branches' in last.bounds) return advisory
  const open = { package: last.package, bounds: { ...last.bounds, before: null, upTo: null } }
  return { ...advisory, packages: [...others.reverse(), open] }
}
