/** Packages, their versions in the notation of their ecosystem, and the branches of releases that a flaw affects. */
import { choice, quantiles, zipf } from './distribution.ts'
import { BRANCHES } from './figures.ts'
import { cpeKey, PACKAGE_SECOND, PRODUCT_FIRST, slugOf, vendorRoot } from './names.ts'
import { Random } from './random.ts'
import type { Bounds, Release } from './records/versions.ts'
import type { Facts, World } from './world.ts'

export type Ecosystem = 'Maven' | 'Packagist' | 'PyPI' | 'Go' | 'npm' | 'NuGet' | 'RubyGems' | 'crates.io'

export interface Package {
  ecosystem: Ecosystem
  name: string
  purl: string
  repository: string
}

/** Weights: `affected` entries of reviewed advisories. */
const ECOSYSTEMS = choice<Ecosystem>(
  'Maven:491|Packagist:390|PyPI:316|Go:216|npm:204|NuGet:148|RubyGems:65|crates.io:45',
)
/** Ecosystems of the showcases in turn, so that a small sample has each of them. */
const ROUND: readonly Ecosystem[] = ['Go', 'npm', 'PyPI', 'Maven', 'npm', 'Go', 'PyPI', 'Packagist']

/** Package names and package URL types of the ecosystems. */
const NAMES: Record<Ecosystem, [purl: string, name: (vendor: string, product: string) => string]> = {
  Maven: ['maven', (vendor, product) => `example.${vendor}:${product}`],
  Packagist: ['composer', (vendor, product) => `${vendor}/${product}`],
  PyPI: ['pypi', (_, product) => product],
  Go: ['golang', (vendor, product) => `forge.example.com/${vendor}/${product}`],
  npm: ['npm', (vendor, product) => (vendor.length % 3 === 0 ? `@${vendor}/${product}` : product)],
  NuGet: ['nuget', (vendor, product) => `${vendor}.${product.replaceAll('-', '.')}`],
  RubyGems: ['gem', (_, product) => product],
  'crates.io': ['cargo', (_, product) => product],
}

/** Returns the package of a vendor's product. `repository` is the last part of its address. */
function packageNamed(ecosystem: Ecosystem, vendor: string, product: string, repository = product): Package {
  const [type, name] = NAMES[ecosystem]
  const full = name(vendor, product)
  const purl = `pkg:${type}/${full.replace('@', '%40').replace(':', '/')}`
  return { ecosystem, name: full, purl, repository: `https://forge.example.com/${vendor}/${repository}` }
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
/** The first project has about 5 % of the advisories of its ecosystem, as in upstream Go, and less in a large sample. */
const POPULARITY_SHIFT = 4
const ADVISORIES_PER_SHIFT = 25_000

/** Returns the package of a random project. The first ranks have the most advisories. */
export function popularProject({ seed, advisories }: World, ecosystem: Ecosystem, random: Random): Package {
  const shift = Math.max(POPULARITY_SHIFT, advisories / ADVISORIES_PER_SHIFT)
  return projectAt(seed, zipf(60_000, 1.2, shift)(random.float()), ecosystem)
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

/** Endings of pre-releases, and of releases that are not written as three numbers. */
const ENDINGS: Record<Ecosystem, { early: string[]; other: string[] }> = {
  npm: { early: ['-alpha.1', '-beta.2', '-rc.3'], other: [] },
  'crates.io': { early: ['-alpha.1', '-beta.2', '-rc.3'], other: [] },
  Go: { early: ['-rc.1', '-0.20240611125900-0123456789ab'], other: ['+incompatible'] },
  PyPI: { early: ['a1', 'b2', 'rc1', '.dev0', '.post1'], other: ['.0'] },
  Maven: { early: ['-M1', '-beta-2', '-RC1', '-SNAPSHOT', '-alpha1'], other: ['.Final', '.RELEASE', '-jre', '.GA'] },
  Packagist: { early: ['-RC1', '-beta2', '-alpha.1', '-p1'], other: ['v'] },
  RubyGems: { early: ['.rc1', '.beta2', '.pre', '.a'], other: ['.1', '.2'] },
  NuGet: { early: ['-preview.1', '-preview.4'], other: ['.1', '.7'] },
}
/** No version of any ecosystem. */
const UNREADABLE = ['unspecified', 'trunk', 'next release', 'see-advisory']
const UNREADABLE_SHARE = 0.006
const EARLY_SHARE = 0.03
const OTHER_SHARE = 0.1
/** Releases in `versions` of 1,731 entries of PyPI's database. */
const LISTED = quantiles('0:1 0.1:1 0.25:4 0.5:23 0.75:61 0.9:102 0.99:274 1:400')
const [PATCHES, MINORS] = [10, 20]

function written(ecosystem: Ecosystem, release: Release, random: Random): string {
  const [even, text] = [random.float(), release.join('.')]
  if (even < UNREADABLE_SHARE) return random.pick(UNREADABLE)
  const { early, other } = ENDINGS[ecosystem]
  if (even < UNREADABLE_SHARE + EARLY_SHARE) return text + random.pick(early)
  if (even > UNREADABLE_SHARE + EARLY_SHARE + OTHER_SHARE || other.length === 0) return text
  const ending = random.pick(other)
  return ending === 'v' ? `v${text}` : text + ending
}

/** Returns the newest major version of a package. All its advisories are about versions up to it. */
const newestMajor = (seed: number, { name, ecosystem }: Package) =>
  new Random(seed, ecosystem, name, 'releases').between(1, 6)

/** Returns the affected branches, each with its own bounds, as GitHub states them. */
export function affectedBranches(seed: number, one: Package, random: Random): Bounds[] {
  const newest = newestMajor(seed, one)
  if (random.chance(0.03))
    return [{ exact: [random.int(newest + 1), random.int(MINORS), random.int(PATCHES)].join('.') }]
  return branchesFrom(one.ecosystem, newest, 1 + Math.floor(BRANCHES(random.float())), random)
}

/** Returns affected releases, as PyPI's database lists them. */
export const listedReleases = (random: Random): string[] =>
  Array.from({ length: Math.ceil(LISTED(random.float())) }, (_, i) => `0.${i >> 4}.${i & 15}`)

function branchesFrom(ecosystem: Ecosystem, newest: number, count: number, random: Random): Bounds[] {
  const first = random.int(newest + 1)
  return Array.from({ length: count }, (_, i): Bounds => {
    const end: Release = [first + i, random.int(MINORS), random.between(1, PATCHES - 1)]
    const from = i > 0 || random.chance(0.4) ? written(ecosystem, [first + i, 0, 0], random) : null
    const even = i === count - 1 ? random.float() : 0
    if (even > 0.95) return { from, before: null, upTo: null }
    const text = written(ecosystem, end, random)
    return even > 0.8 ? { from, before: null, upTo: text } : { from, before: text, upTo: null }
  })
}
