/** The package of a CVE, if it has one. A product is the same package in every feed. */
import { weighted } from '../distribution.ts'
import { cpeKey } from '../names.ts'
import { Random } from '../random.ts'
import type { Facts, World } from '../world.ts'

export type Ecosystem = 'Maven' | 'Packagist' | 'PyPI' | 'Go' | 'npm' | 'NuGet' | 'RubyGems' | 'crates.io'

export interface Package {
  ecosystem: Ecosystem
  name: string
  purl: string
  repository: string
}

/** Weights: `affected` entries of 1,025 reviewed advisories of 2025-02. */
const ECOSYSTEMS = weighted<Ecosystem>([
  ['Maven', 491],
  ['Packagist', 390],
  ['PyPI', 316],
  ['Go', 216],
  ['npm', 204],
  ['NuGet', 148],
  ['RubyGems', 65],
  ['crates.io', 45],
])
/** Ecosystems of the showcases in turn, so that a small sample has each of them. */
const ROUND: readonly Ecosystem[] = ['Go', 'npm', 'PyPI', 'Maven', 'npm', 'Go', 'PyPI', 'Packagist']

/** Package names and package URL types of the ecosystems. */
const NAMES: Record<Ecosystem, { purl: string; name: (vendor: string, product: string) => string }> = {
  Maven: { purl: 'maven', name: (vendor, product) => `example.${vendor}:${product}` },
  Packagist: { purl: 'composer', name: (vendor, product) => `${vendor}/${product}` },
  PyPI: { purl: 'pypi', name: (_, product) => product },
  Go: { purl: 'golang', name: (vendor, product) => `forge.example.com/${vendor}/${product}` },
  npm: { purl: 'npm', name: (vendor, product) => (vendor.length % 3 === 0 ? `@${vendor}/${product}` : product) },
  NuGet: { purl: 'nuget', name: (vendor, product) => `${vendor}.${product.replaceAll('-', '.')}` },
  RubyGems: { purl: 'gem', name: (_, product) => product },
  'crates.io': { purl: 'cargo', name: (_, product) => product },
}

export function packageOf(world: World, facts: Facts): Package {
  const random = new Random(world.seed, facts.vendor.rank, facts.product, 'ecosystem')
  const drawn = ECOSYSTEMS(random.float())
  const turn = facts.showcase !== null && facts.showcase % 2 === 0 ? facts.showcase / 2 : null
  return packageIn(facts, turn === null ? drawn : ROUND[turn % ROUND.length]!)
}

export function packageIn({ vendor, product }: Facts, ecosystem: Ecosystem): Package {
  const key = cpeKey(product)
  return packageNamed(ecosystem, vendor.key, key.replaceAll(/[_.]/g, '-'), key)
}

/** Returns the package of a vendor's product. `repository` is the last part of its address. */
export function packageNamed(ecosystem: Ecosystem, vendor: string, product: string, repository = product): Package {
  const { purl, name } = NAMES[ecosystem]
  const full = name(vendor, product)
  const path = full.replace('@', '%40').replace(':', '/')
  return {
    ecosystem,
    name: full,
    purl: `pkg:${purl}/${path}`,
    repository: `https://forge.example.com/${vendor}/${repository}`,
  }
}
