/** The CNAs of the sample: nine with the profiles of the largest real ones, the rest by rank. */
import { choice, quantiles, weighted } from './distribution.ts'
import { type Vendor, vendorOf, vendorRoot } from './names.ts'
import { Random } from './random.ts'
import type { VersionStyle } from './records/versions.ts'

/**
 * The way a CNA writes its records. `root` names neither vendor nor product. `kernel` states commits and no score.
 * `plugins` and `forge` assign for others. `database` states every CVSS version. `platform` has one entry per edition
 * of a product.
 */
export type CnaKind = 'root' | 'kernel' | 'plugins' | 'forge' | 'database' | 'platform' | 'researcher' | 'vendor'

export interface Cna {
  rank: number
  shortName: string
  organisation: string
  orgId: string
  kind: CnaKind
  /** The vendor of all its records. Null if it assigns for any vendor. */
  vendor: Vendor | null
  styles: (even: number) => VersionStyle
}

/** The largest CNAs: short name, organisation, kind, records among 4,148 without the root CNA's, and version styles. */
const PROFILES: readonly [string, string, CnaKind, number, string][] = [
  ['mirador', 'The Mirador Numbering Office', 'root', 0, 'placeholder:97|listed:3'],
  ['Plugwarden', 'Plugwarden OÜ', 'plugins', 437, 'upTo:100'],
  ['Kernhold', 'Kernhold', 'kernel', 287, 'git:100'],
  ['Blockhound', 'Blockhound', 'plugins', 281, 'upTo:97|listed:3'],
  ['VulnLedger', 'VulnLedger', 'database', 251, 'listed:96|placeholder:4'],
  ['ForgeHub_M', 'ForgeHub (maintainers)', 'forge', 232, 'comparator:100'],
  ['brightpane', 'Brightpane Corporation', 'platform', 190, 'branches:100'],
  ['nilday', 'Nilday Initiative', 'researcher', 100, 'listed:100'],
  ['@pressscan', 'PressScan', 'plugins', 68, 'from0:100'],
]
const OTHER_STYLES = choice<VersionStyle>(
  'listed:44|branches:22|upTo:14|from0:10|placeholder:7|git:1|comparator:1|rpm:2|none:1.5',
)
/** Records of the CNAs after the profiles, by rank. */
const WEIGHTS = quantiles('0:68 0.03:36 0.06:25 0.11:10 0.16:7 0.24:3 0.36:2 0.5:1 0.6:0.4 0.75:0.1 1:0.02')
const CNA_COUNT = 412

/** Returns every CNA of the list, by rank. */
export function cnaList(seed: number): Cna[] {
  return Array.from({ length: CNA_COUNT }, (_, rank) => {
    const orgId = new Random(seed, 'cna', rank).uuid()
    const profile = PROFILES[rank]
    if (profile) {
      const [shortName, organisation, kind, , styles] = profile
      // The kernel and the platform have an own vendor. The other profiles assign for any vendor.
      const isVendor = kind === 'kernel' || kind === 'platform'
      const vendor = isVendor ? { rank, name: organisation, key: organisation.toLowerCase().replaceAll(' ', '') } : null
      return { rank, orgId, shortName, organisation, kind, vendor, styles: choice<VersionStyle>(styles) }
    }
    const root = vendorRoot(seed, rank)
    const shortName = rank % 4 ? root.toLowerCase() : root
    const common = { rank, orgId, shortName, organisation: root, styles: OTHER_STYLES }
    if (rank % 23 === 0) return { ...common, kind: 'researcher', vendor: null }
    return { ...common, kind: 'vendor', vendor: vendorOf(seed, rank) }
  })
}

export function hostOf({ organisation }: Cna): string {
  const letters = organisation.toLowerCase().replaceAll(/[^a-z]/g, '')
  return `${letters.slice(0, 24)}.example`
}

/** Returns the address that identifies a CNA in NVD. */
export const contactOf = (cna: Cna) => `security@${hostOf(cna)}`

/** Returns a function that chooses a CNA other than the root, weighted by its number of records. */
export function cnaChoice(cnas: readonly Cna[]): (even: number) => Cna {
  const rest = CNA_COUNT - PROFILES.length
  return weighted(cnas.map((cna) => [cna, PROFILES[cna.rank]?.[3] ?? WEIGHTS((cna.rank - PROFILES.length) / rest)]))
}
