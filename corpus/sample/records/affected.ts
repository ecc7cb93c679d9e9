/** The `affected` entries and the references of a record. All URLs use the reserved names of RFC 2606. */
import {
  ADP_ENTRIES,
  ADP_VERSIONS,
  AFFECTED_ENTRIES,
  REFERENCE_NAMED,
  REFERENCE_TAGS,
  REFERENCES,
  WIDE_ENTRIES,
  WIDE_RANKS,
  WIDE_SHARES,
} from '../figures.ts'
import { cpeKey, productOf, slugOf } from '../names.ts'
import type { Random } from '../random.ts'
import { filled, word } from '../text.ts'
import type { Facts } from '../world.ts'
import { kernelVersions, releaseOf, type Version, type Versions, versionIn, versionsOf } from './versions.ts'

export interface Affected extends Versions {
  vendor?: string
  product?: string
  cpes?: string[]
  [other: string]: unknown
}

const PLATFORMS = 'x64-based Systems|32-bit Systems|ARM64-based Systems|Windows|Linux|MacOS|Android|Unknown'.split('|')

export function cnaAffected(seed: number, facts: Facts, random: Random): Affected[] {
  const { cna, productKind } = facts
  const vendor = facts.vendor.name
  if (cna.kind === 'root') {
    const stated = versionsOf(cna.styles(random.float()), random)
    return [
      random.chance(0.99)
        ? { vendor: 'n/a', product: 'n/a', ...stated }
        : { vendor, product: facts.product, ...stated },
    ]
  }
  if (cna.kind === 'kernel') {
    const programFiles = [`${word('area', random)}/core.c`]
    const shared = {
      vendor,
      product: facts.product,
      repo: 'https://git.kernhold.example/stable/kernel.git',
      programFiles,
    }
    return kernelVersions(random).map((stated) => ({ ...shared, ...stated }))
  }
  const wide = random.chance(cna.rank < WIDE_RANKS ? (WIDE_SHARES[cna.kind] ?? 0) : 0)
  const count = Math.floor((wide ? WIDE_ENTRIES : AFFECTED_ENTRIES)(random.float()))
  const style = cna.styles(random.float())
  const platforms = cna.kind === 'platform' || random.chance(0.1)
  const withCpes = cna.kind === 'platform' || random.chance(0.08)
  return Array.from({ length: count }, (_, i) => {
    const product = i === 0 ? facts.product : editionOf(seed, facts, i)
    // As in real records, the entries of a long list are short.
    const stated = versionsOf(count >= 20 && style === 'listed' ? 'comparator' : style, random)
    const entry: Affected = { vendor, product }
    if (platforms) entry.platforms = [random.pick(PLATFORMS)]
    if (withCpes) entry.cpes = [cpeOf(vendor, product, '*')]
    if (productKind === 'plugin') {
      Object.assign(entry, { collectionURL: 'https://plugins.example.org/plugins', packageName: slugOf(product) })
    }
    return Object.assign(entry, stated)
  })
}

/** Returns the i-th further product of a record: another product of the vendor, later its editions. */
function editionOf(seed: number, facts: Facts, i: number): string {
  const product = productOf(seed, facts.vendor.rank, i % 12, facts.productKind)
  return i < 12 ? product : `${product} Edition ${i}`
}

export function adpAffected(seed: number, facts: Facts, random: Random): Affected[] {
  const vendor = cpeKey(facts.vendor.name)
  return Array.from({ length: Math.floor(ADP_ENTRIES(random.float())) }, (_, i): Affected => {
    const product = cpeKey(i === 0 ? facts.product : editionOf(seed, facts, i))
    const first = versionIn('adp', random)
    const further = Array.from({ length: ADP_VERSIONS(random.float()) - 1 }, (_, i) => ({
      ...first,
      version: `${i}.9`,
    }))
    const { version } = first
    const cpes = [cpeOf(vendor, product, version === '*' || version === '0' ? '*' : version)]
    const defaultStatus = random.chance(0.935) ? 'unknown' : random.chance(0.65) ? 'unaffected' : 'affected'
    return { cpes, vendor, product, versions: [first, ...further], defaultStatus }
  })
}

export function cpeOf(vendor: string, product: string, version: string, part = 'a'): string {
  return `cpe:2.3:${part}:${cpeKey(vendor)}:${cpeKey(product)}:${version}:*:*:*:*:*:*:*`
}

/** Returns the entries of a supplier, which ships the product of another vendor in packages of its own. */
export function supplierAffected(facts: Facts, supplier: string, random: Random): Affected[] {
  const packageName = slugOf(facts.product)
  return Array.from({ length: random.between(1, 4) }, (_, i): Affected => {
    const product = `${supplier} Linux ${7 + i}`
    const cpes = [`cpe:/o:${cpeKey(supplier)}:linux:${7 + i}`]
    const common = { vendor: supplier, product, packageName, cpes, collectionURL: 'https://packages.example.org' }
    if (random.chance(0.3)) return { ...common, defaultStatus: 'unaffected' }
    const version = `0:${releaseOf(random).join('.')}-${random.between(1, 40)}.el${7 + i}`
    const versions: Version[] = [{ version, status: 'unaffected', lessThan: '*', versionType: 'rpm' }]
    return { ...common, versions, defaultStatus: 'affected' }
  })
}

export interface Reference {
  url: string
  name?: string
  tags?: string[]
}

const CODE =
  'https://code.example.org/browser/{slug}/tags/{version}/includes/admin/class-{slug}-{function}.php?rev={int7}#L{int3}'
const FORGED = 'https://forge.example.com/{vendor}/{product}/security/advisories/FHSA-{hex4}-{hex4}'
const LEDGER = 'https://vulnledger.example.org/?id.{int6}'
const RESEARCH = 'https://research.example.net/notes/2023/{product}-{hex6}.md'
const ADDRESSES = [
  'https://advisories.{vendor}.example/notice/{hex8}',
  FORGED,
  'https://forge.example.com/{vendor}/{product}/commit/{hex40}',
  LEDGER,
  RESEARCH,
  'https://lists.example.org/archives/list/announce/{hex32}/',
  'https://bugs.example.com/show_bug.cgi?id={int6}',
  'https://support.{vendor}.example/kb/HT{int6}?lang=en%5FUS',
  // Links to lines of code are the longest URLs.
  CODE,
  CODE,
]
/** The usual first reference by kind of CNA. Other CNAs begin with the vendor's advisory. */
const FIRST: Partial<Record<Facts['cna']['kind'], string>> = {
  kernel: 'https://git.kernhold.example/stable/c/{hex40}',
  database: LEDGER,
  root: RESEARCH,
  forge: FORGED,
  plugins: 'https://plugwarden.example.net/database/vulnerability/{slug}-{hex6}?_source=cve',
}

export function cnaReferences({ id, cna, vendor, product }: Facts, random: Random): Reference[] {
  const isKernel = cna.kind === 'kernel'
  const first = FIRST[cna.kind] ?? 'https://advisories.{vendor}.example/{id}'
  const version = () => releaseOf(random).join('.')
  const values = { id, vendor: vendor.key, product: cpeKey(product), slug: slugOf(product), version }
  const addresses = Array.from({ length: REFERENCES(random.float()) }, (_, i) =>
    filled(i === 0 || isKernel ? first : random.pick(ADDRESSES), random, values),
  )
  // Without duplicates, because the schema requires unique list items.
  return [...new Set(addresses)].map((url) => {
    const name = !isKernel && random.chance(REFERENCE_NAMED) ? { name: url.split('/').at(-1) || url } : {}
    const tags = isKernel ? '' : REFERENCE_TAGS(random.float())
    return { url, ...name, ...(tags ? { tags: tags.split(',') } : {}) }
  })
}
