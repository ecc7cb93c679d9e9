/** The `affected` entries of a record, by its CNA and by CISA. */
import { ADP_ENTRIES, ADP_VERSIONS, AFFECTED_ENTRIES, WIDE_ENTRIES, WIDE_RANKS, WIDE_SHARES } from '../figures.ts'
import { cpeKey, productOf } from '../names.ts'
import { PLATFORMS } from '../phrases.ts'
import type { Random } from '../random.ts'
import { KERNEL_AREAS } from '../words.ts'
import type { Facts } from '../world.ts'
import { kernelVersions, type Version, type Versions, versionsOf } from './versions.ts'

export interface Affected extends Versions {
  vendor?: string
  product?: string
  platforms?: string[]
  cpes?: string[]
  repo?: string
  programFiles?: string[]
  collectionURL?: string
  packageName?: string
}

export function cnaAffected(seed: number, facts: Facts, random: Random): Affected[] {
  if (facts.cna.kind === 'root') return [rootEntry(facts, random)]
  if (facts.cna.kind === 'kernel') return kernelEntries(facts, random)
  const wide = random.chance(facts.cna.rank < WIDE_RANKS ? (WIDE_SHARES[facts.cna.kind] ?? 0) : 0)
  const count = (wide ? WIDE_ENTRIES : AFFECTED_ENTRIES)(random.float())
  const style = facts.cna.styles(random.float())
  const platforms = facts.cna.kind === 'platform' || random.chance(0.1)
  const withCpes = facts.cna.kind === 'platform' || random.chance(0.08)
  return Array.from({ length: Math.floor(count) }, (_, i): Affected => {
    const product = i === 0 ? facts.product : editionOf(seed, facts, i)
    // As in real records, the entries of a long list are short.
    const stated = versionsOf(count >= 20 && style === 'listed' ? 'comparator' : style, random)
    const entry: Affected = { vendor: facts.vendor.name, product }
    if (platforms) entry.platforms = [random.pick(PLATFORMS)]
    if (withCpes) entry.cpes = [cpeOf(facts.vendor.name, product, '*')]
    if (facts.productKind === 'plugin') {
      entry.collectionURL = 'https://plugins.example.org/plugins'
      entry.packageName = cpeKey(product).replaceAll('_', '-')
    }
    return Object.assign(entry, stated)
  })
}

function rootEntry(facts: Facts, random: Random): Affected {
  const stated = versionsOf(facts.cna.styles(random.float()), random)
  return random.chance(0.99)
    ? { vendor: 'n/a', product: 'n/a', ...stated }
    : { vendor: facts.vendor.name, product: facts.product, ...stated }
}

function kernelEntries(facts: Facts, random: Random): Affected[] {
  const file = `${random.pick(KERNEL_AREAS)}/core.c`
  const shared = {
    vendor: facts.vendor.name,
    product: facts.product,
    repo: 'https://git.kernhold.example/stable/kernel.git',
    programFiles: [file],
  }
  return kernelVersions(random).map((stated) => ({ ...shared, ...stated }))
}

/** Returns the i-th further product of a record: another product of the vendor, later its editions. */
function editionOf(seed: number, facts: Facts, i: number): string {
  const product = productOf(seed, facts.vendor.rank, i % 12, facts.productKind)
  return i < 12 ? product : `${product} Edition ${i}`
}

export function adpAffected(seed: number, facts: Facts, random: Random): Affected[] {
  const vendor = cpeKey(facts.vendor.name)
  const count = Math.floor(ADP_ENTRIES(random.float()))
  return Array.from({ length: count }, (_, i): Affected => {
    const product = cpeKey(i === 0 ? facts.product : editionOf(seed, facts, i))
    const versions = adpVersions(random)
    const { version } = versions[0]!
    return {
      cpes: [cpeOf(vendor, product, version === '*' || version === '0' ? '*' : version)],
      vendor,
      product,
      versions,
      defaultStatus: random.chance(0.935) ? 'unknown' : random.chance(0.65) ? 'unaffected' : 'affected',
    }
  })
}

/** Returns versions without duplicates, because the schema requires unique list items. */
function adpVersions(random: Random): Version[] {
  const found = new Map<string, Version>()
  for (let i = Math.floor(ADP_VERSIONS(random.float())); i > 0; i--) {
    const version = adpVersion(random)
    found.set(JSON.stringify(version), version)
  }
  return [...found.values()]
}

function adpVersion(random: Random): Version {
  const [at, end] = [`${random.between(1, 9)}.${random.int(20)}`, `${random.between(10, 19)}.${random.int(20)}`]
  const even = random.float()
  if (even < 0.35) return { status: 'affected', version: '0', versionType: 'custom', lessThanOrEqual: '*' }
  if (even < 0.65) return { status: 'affected', version: at }
  if (even < 0.75) return { status: 'affected', version: '0', lessThan: end, versionType: 'custom' }
  if (even < 0.83)
    return { status: 'affected', version: at, lessThan: end, versionType: random.pick(['custom', 'semver']) }
  if (even < 0.97) return { status: 'affected', version: '0', versionType: 'custom', lessThanOrEqual: end }
  return { status: 'affected', version: '*' }
}

function cpeOf(vendor: string, product: string, version: string): string {
  return `cpe:2.3:a:${cpeKey(vendor)}:${cpeKey(product)}:${version}:*:*:*:*:*:*:*`
}
