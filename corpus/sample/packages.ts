/** Packages, their versions in the notation of their ecosystem, and the branches of releases that a flaw affects. */
import { choice, zipf } from './distribution.ts'
import { BRANCHES } from './figures.ts'
import { cpeKey, PACKAGE_SECOND, PRODUCT_FIRST, slugOf, vendorRoot } from './names.ts'
import { Random } from './random.ts'
import type { Bounds } from './records/versions.ts'
import type { Facts, World } from './world.ts'

export type Ecosystem = 'Maven' | 'Packagist' | 'PyPI' | 'Go' | 'npm' | 'NuGet' | 'RubyGems' | 'crates.io'

export interface Package {
  ecosystem: Ecosystem
  name: string
  purl: string
  repository: string
}

/** Weights: `affected` entries of reviewed advisories. */
const ECOSYSTEMS = choice<Ecosystem>('Maven:26|Packagist:21|PyPI:17|Go:12|npm:11|NuGet:8|RubyGems:3|crates.io:2')
/** Ecosystems of the showcases in turn, so that a small sample has each of them. */
const ROUND: readonly Ecosystem[] = ['Go', 'npm', 'PyPI', 'Maven', 'npm', 'Go', 'PyPI', 'Packagist']

/** Type of the package URLs, package name (V is the vendor, P the product), and endings of versions. */
const NOTATIONS: Record<Ecosystem, [type: string, name: string, endings: string]> = {
  Maven: ['maven', 'example.V:P', '-M1 -RC1 -SNAPSHOT .Final .RELEASE -jre'],
  Packagist: ['composer', 'V/P', '-RC1 -beta2 -p1'],
  PyPI: ['pypi', 'P', 'a1 b2 rc1 .dev0 .post1 .0'],
  Go: ['golang', 'forge.example.com/V/P', '-rc.1 -0.20240611125900-0123456789ab +incompatible'],
  npm: ['npm', '@V/P', '-alpha.1 -beta.2 -rc.3'],
  NuGet: ['nuget', 'V.P', '-preview.1 -preview.4 .1'],
  RubyGems: ['gem', 'P', '.rc1 .pre .a .1'],
  'crates.io': ['cargo', 'P', '-alpha.1 -beta.2 -rc.3'],
}

/** Returns the package of a vendor's product. `repository` is the last part of its address. */
function packageNamed(ecosystem: Ecosystem, vendor: string, product: string, repository = product): Package {
  const [type, notation] = NOTATIONS[ecosystem]
  // Few npm packages have a scope.
  const isPlain = ecosystem === 'npm' && vendor.length % 3 !== 0
  const name = isPlain ? product : notation.replace('V', vendor).replace('P', product)
  const purl = `pkg:${type}/${name.replace('@', '%40').replace(':', '/')}`
  return { ecosystem, name, purl, repository: `https://forge.example.com/${vendor}/${repository}` }
}

export function packageIn({ vendor, product }: Facts, ecosystem: Ecosystem): Package {
  return packageNamed(ecosystem, vendor.key, slugOf(product), cpeKey(product))
}

/** Returns the package of a CVE. A product is the same package in every feed. */
export function packageOf(world: World, facts: Facts): Package {
  const drawn = ECOSYSTEMS(new Random(world.seed, facts.vendor.rank, facts.product, 'ecosystem').float())
  const turn = facts.showcase !== null && facts.showcase % 2 === 0 ? facts.showcase / 2 : null
  return packageIn(facts, turn === null ? drawn : ROUND[turn % ROUND.length]!)
}

/** The best known projects of every ecosystem. They are easy to type, for examples. */
const KNOWN = 'lantern-http juniper-parser cobalt-yaml saffron-auth thistle-router falcon-template'.split(' ')

/**
 * Returns the package of a random project. The first one has about 5 % of the advisories of its ecosystem, as in
 * upstream Go, and less in a large sample.
 */
export function popularProject({ seed, advisories }: World, ecosystem: Ecosystem, random: Random): Package {
  return projectAt(seed, zipf(60_000, 1.2, Math.max(4, advisories / 25_000))(random.float()), ecosystem)
}

export const knownProject = (seed: number, ecosystem: Ecosystem, random: Random) =>
  projectAt(seed, random.int(KNOWN.length), ecosystem)

/** Returns the package of the project at a rank: words for the first 384, syllables for the others. */
function projectAt(seed: number, rank: number, ecosystem: Ecosystem): Package {
  const isCombined = rank < PRODUCT_FIRST.length * PACKAGE_SECOND.length
  const first = isCombined ? PRODUCT_FIRST[rank % PRODUCT_FIRST.length]! : vendorRoot(seed, rank)
  const second = PACKAGE_SECOND[(isCombined ? Math.floor(rank / PRODUCT_FIRST.length) : rank) % PACKAGE_SECOND.length]
  const name = KNOWN[rank] ?? `${first.toLowerCase()}-${second}`
  return packageNamed(ecosystem, name.slice(0, name.indexOf('-')), name)
}

/** Returns a version. A few are pre-releases or have other endings, and very few are no version of any ecosystem. */
function written(ecosystem: Ecosystem, release: readonly number[], random: Random): string {
  const even = random.float()
  if (even < 0.006) return random.pick(['unspecified', 'trunk', 'next release', 'see-advisory'])
  return release.join('.') + (even < 0.1 ? random.pick(NOTATIONS[ecosystem][2].split(' ')) : '')
}

/** Returns the affected branches, each with its own bounds, as GitHub states them. */
export function affectedBranches(seed: number, { ecosystem, name }: Package, random: Random): Bounds[] {
  // All advisories of a package are about versions up to its newest major version.
  const newest = new Random(seed, ecosystem, name, 'releases').between(1, 6)
  const first = random.int(newest + 1)
  if (random.chance(0.03)) return [{ exact: `${first}.${random.int(20)}.${random.int(10)}` }]
  const count = Math.floor(BRANCHES(random.float()))
  return Array.from({ length: count }, (_, i): Bounds => {
    const from = i > 0 || random.chance(0.4) ? written(ecosystem, [first + i, 0, 0], random) : null
    const end = written(ecosystem, [first + i, random.int(20), random.between(1, 9)], random)
    const even = i === count - 1 ? random.float() : 0
    if (even > 0.95) return { from, before: null, upTo: null }
    return even > 0.8 ? { from, before: null, upTo: end } : { from, before: end, upTo: null }
  })
}
