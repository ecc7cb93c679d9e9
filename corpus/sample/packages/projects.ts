/** Projects of package ecosystems. The first ones have many advisories, most have one. */
import { type Ecosystem, type Package, packageNamed } from '../advisories/package.ts'
import { zipf } from '../distribution.ts'
import { vendorRoot } from '../names.ts'
import { Random } from '../random.ts'
import { PACKAGE_SECOND, PRODUCT_FIRST } from '../words.ts'
import type { World } from '../world.ts'

/** The best known projects of every ecosystem. They are easy to type, for examples. */
export const KNOWN = [
  'lantern-http',
  'juniper-parser',
  'cobalt-yaml',
  'saffron-auth',
  'thistle-router',
  'falcon-template',
]
const COMBINED = PRODUCT_FIRST.length * PACKAGE_SECOND.length
const PROJECTS = 60_000
const POPULARITY_EXPONENT = 1.2
/** The first project has about 5 % of the advisories of its ecosystem, as in upstream Go. Packagist has 8 %, PyPI 10 %. */
const POPULARITY_SHIFT = 4
/**
 * The share of the first project decreases with the number of advisories. Upstream, it has 22 advisories in npm, 241 in
 * Packagist, 275 in Go and 481 in PyPI; here about 250 of 500,000.
 */
const ADVISORIES_PER_SHIFT = 25_000

/** Returns the rank of a random project. The first ranks have the most advisories. */
export function projectRank({ advisories }: Pick<World, 'advisories'>, random: Random): number {
  const shift = Math.max(POPULARITY_SHIFT, advisories / ADVISORIES_PER_SHIFT)
  return zipf(PROJECTS, POPULARITY_EXPONENT, shift)(random.float())
}

/** A version as three numbers. */
export type Release = readonly [major: number, minor: number, patch: number]

/** Returns the package of the project at a rank: words for the first 384, syllables for the others. */
export function projectAt(seed: number, rank: number, ecosystem: Ecosystem): Package {
  const name =
    KNOWN[rank] ??
    (rank < COMBINED
      ? combined(rank)
      : `${vendorRoot(seed, rank).toLowerCase()}-${PACKAGE_SECOND[rank % PACKAGE_SECOND.length]}`)
  return packageNamed(ecosystem, name.slice(0, name.indexOf('-')), name)
}

const combined = (rank: number) =>
  `${PRODUCT_FIRST[rank % PRODUCT_FIRST.length]!.toLowerCase()}-${PACKAGE_SECOND[Math.floor(rank / PRODUCT_FIRST.length)]}`

/** Returns the newest major version of a package. All its advisories are about versions up to it. */
export function newestMajor(seed: number, { name, ecosystem }: Package): number {
  return new Random(seed, ecosystem, name, 'releases').between(1, 6)
}

const capitalized = (text: string) =>
  text.replaceAll(/(^|[-./])([a-z])/g, (_, before, letter) => before + letter.toUpperCase())

/** Other spellings that a registry takes for the same package. */
const SPELLINGS: Partial<Record<Ecosystem, readonly ((name: string) => string)[]>> = {
  PyPI: [(name) => name.replaceAll('-', '_'), (name) => name.replaceAll('-', '.'), capitalized],
  Packagist: [capitalized],
  NuGet: [capitalized],
  npm: [capitalized],
  'crates.io': [(name) => name.replaceAll('-', '_')],
}

/** Returns the package, in some cases spelled otherwise. The purl keeps the normal name. */
export function spelled(one: Package, random: Random): Package {
  const others = SPELLINGS[one.ecosystem]
  const share = one.ecosystem === 'npm' ? 0.01 : 0.1
  // Names with a scope were never allowed to have upper case letters.
  if (!random.chance(share) || !others || one.name.startsWith('@')) return one
  return { ...one, name: random.pick(others)(one.name) }
}
