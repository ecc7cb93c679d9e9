/** The `affected` entries and the references of a record. All URLs use the reserved names of RFC 2606. */
import { choice } from '../distribution.ts'
import { ADP_ENTRIES, AFFECTED_ENTRIES, REFERENCES, WIDE_ENTRIES, WIDE_RANKS, WIDE_SHARES } from '../figures.ts'
import { cpeKey, productOf, slugOf } from '../names.ts'
import type { Random } from '../random.ts'
import { filled } from '../text.ts'
import type { Facts } from '../world.ts'
import { releaseOf, type Version, type Versions, versionIn, versionsOf } from './versions.ts'

export interface Affected extends Versions {
  vendor?: string
  product?: string
  cpes?: string[]
  [other: string]: unknown
}

const PLATFORMS = ['x64-based Systems', '32-bit Systems', 'ARM64-based Systems', 'Windows', 'Linux', 'MacOS', 'Android']

export function cnaAffected(seed: number, facts: Facts, random: Random): Affected[] {
  const { cna, productKind } = facts
  const vendor = facts.vendor.name
  const style = cna.styles(random.float())
  if (cna.kind === 'root') return [{ vendor: 'n/a', product: 'n/a', ...versionsOf(style, random) }]
  const isWide = random.chance(cna.rank < WIDE_RANKS ? (WIDE_SHARES[cna.kind] ?? 0) : 0)
  const count = Math.floor((isWide ? WIDE_ENTRIES : AFFECTED_ENTRIES)(random.float()))
  const platforms = cna.kind === 'platform' || random.chance(0.1)
  return Array.from({ length: count }, (_, i) => {
    const product = productAt(seed, facts, i)
    const entry: Affected = { vendor, product }
    if (platforms) Object.assign(entry, { platforms: [random.pick(PLATFORMS)], cpes: [cpeOf(vendor, product, '*')] })
    if (cna.kind === 'kernel') entry.repo = 'https://git.kernhold.example/stable/kernel.git'
    if (productKind === 'plugin') {
      Object.assign(entry, { collectionURL: 'https://plugins.example.org/plugins', packageName: slugOf(product) })
    }
    // As in real records, the entries of a long list are short.
    return Object.assign(entry, versionsOf(count >= 20 && style === 'listed' ? 'comparator' : style, random))
  })
}

/** Returns the i-th product of a record: its own, other products of the vendor, later their editions. */
function productAt(seed: number, facts: Facts, i: number): string {
  if (i === 0) return facts.product
  const product = productOf(seed, facts.vendor.rank, i % 12, facts.productKind)
  return i < 12 ? product : `${product} Edition ${i}`
}

export function adpAffected(seed: number, facts: Facts, random: Random): Affected[] {
  const vendor = cpeKey(facts.vendor.name)
  return Array.from({ length: Math.floor(ADP_ENTRIES(random.float())) }, (_, i): Affected => {
    const product = cpeKey(productAt(seed, facts, i))
    const first = versionIn('adp', random)
    const cpes = [cpeOf(vendor, product, first.version === '0' ? '*' : first.version)]
    return { cpes, vendor, product, versions: [first], defaultStatus: random.chance(0.94) ? 'unknown' : 'unaffected' }
  })
}

export function cpeOf(vendor: string, product: string, version: string, part = 'a'): string {
  return `cpe:2.3:${part}:${cpeKey(vendor)}:${cpeKey(product)}:${version}:*:*:*:*:*:*:*`
}

/** Returns the entries of a supplier, which ships the product of another vendor in packages of its own. */
export function supplierAffected(facts: Facts, supplier: string, random: Random): Affected[] {
  return Array.from({ length: random.between(1, 4) }, (_, i): Affected => {
    const named = { vendor: supplier, product: `${supplier} Linux ${7 + i}`, packageName: slugOf(facts.product) }
    const source = {
      cpes: [`cpe:/o:${cpeKey(supplier)}:linux:${7 + i}`],
      collectionURL: 'https://packages.example.org',
    }
    if (random.chance(0.3)) return { ...named, ...source, defaultStatus: 'unaffected' }
    const version = `0:${releaseOf(random).join('.')}-${random.between(1, 40)}.el${7 + i}`
    const versions: Version[] = [{ version, status: 'unaffected', lessThan: '*', versionType: 'rpm' }]
    return { ...named, ...source, versions, defaultStatus: 'affected' }
  })
}

export interface Reference {
  url: string
  name?: string
  tags?: string[]
}

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
  'https://support.{vendor}.example/kb/HT{int6}?lang=en%5FUS',
  'https://code.example.org/browser/{slug}/includes/admin/class-{slug}-{function}.php?rev={int7}#L{int3}',
]
/** The usual first reference by kind of CNA. Other CNAs begin with the vendor's advisory. */
const FIRST: Partial<Record<Facts['cna']['kind'], string>> = {
  kernel: 'https://git.kernhold.example/stable/c/{hex40}',
  database: LEDGER,
  root: RESEARCH,
  forge: FORGED,
  plugins: 'https://plugwarden.example.net/database/vulnerability/{slug}-{hex6}?_source=cve',
}
/** Tags, separated by commas. `x_refsource_` tags were used until about 2022. */
const TAGS = choice(
  ':58|vdb-entry,technical-description:7|vendor-advisory:8|x_refsource_MISC:6|exploit:3|third-party-advisory:3|patch:2|mailing-list:1',
)

export function cnaReferences({ id, cna, vendor, product }: Facts, random: Random): Reference[] {
  const first = FIRST[cna.kind] ?? 'https://advisories.{vendor}.example/{id}'
  const values = { id, vendor: vendor.key, product: cpeKey(product), slug: slugOf(product) }
  const addresses = Array.from({ length: REFERENCES(random.float()) }, (_, i) =>
    filled(i === 0 ? first : random.pick(ADDRESSES), random, values),
  )
  // Without duplicates, because the schema requires unique list items.
  return [...new Set(addresses)].map((url) => {
    const name = random.chance(0.2) ? { name: url.split('/').at(-1) || url } : {}
    const tags = TAGS(random.float())
    return { url, ...name, ...(tags ? { tags: tags.split(',') } : {}) }
  })
}
