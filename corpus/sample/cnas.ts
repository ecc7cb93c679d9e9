/** The CNAs of the sample: nine with the profiles of the largest real ones, the rest by rank. */

import { weighted } from './distribution.ts'
import { CNA_COUNT, CNA_WEIGHT } from './figures.ts'
import { type Vendor, vendorOf, vendorRoot } from './names.ts'
import { Random } from './random.ts'

/**
 * The way a CNA writes its records. `root` names neither vendor nor product. `kernel` states git and release ranges.
 * `plugins` and `forge` assign for others. `database` states every CVSS version. `platform` has one entry per edition
 * of a product.
 */
export type CnaKind = 'root' | 'kernel' | 'plugins' | 'forge' | 'database' | 'platform' | 'researcher' | 'vendor'

/** Forms of version statements (rule 24). Weights are the shares of the first form in the records. */
export type VersionStyle =
  | 'placeholder'
  | 'listed'
  | 'all'
  | 'git'
  | 'comparator'
  | 'branches'
  | 'upTo'
  | 'upToChanged'
  | 'upToFromStar'
  | 'from0'
  | 'rpm'
  | 'none'

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

interface Profile {
  shortName: string
  organisation: string
  kind: CnaKind
  /** Number of records among those of 2023 and 2024 that are not from the root CNA. */
  weight: number
  styles: [VersionStyle, number][]
}

/** The largest CNAs. Weights are records of 4,148; styles are those of the real CNA at that rank. */
const PROFILES: readonly Profile[] = [
  {
    shortName: 'mirador',
    organisation: 'The Mirador Numbering Office',
    kind: 'root',
    weight: 0,
    styles: [
      ['placeholder', 97],
      ['listed', 3],
    ],
  },
  {
    shortName: 'Plugwarden',
    organisation: 'Plugwarden OÜ',
    kind: 'plugins',
    weight: 437,
    styles: [
      ['upToChanged', 63],
      ['upTo', 37],
    ],
  },
  { shortName: 'Kernhold', organisation: 'Kernhold', kind: 'kernel', weight: 287, styles: [['git', 100]] },
  {
    shortName: 'Blockhound',
    organisation: 'Blockhound',
    kind: 'plugins',
    weight: 281,
    styles: [
      ['upToFromStar', 97],
      ['listed', 3],
    ],
  },
  {
    shortName: 'VulnLedger',
    organisation: 'VulnLedger',
    kind: 'database',
    weight: 251,
    styles: [
      ['listed', 96],
      ['placeholder', 4],
    ],
  },
  {
    shortName: 'ForgeHub_M',
    organisation: 'ForgeHub (maintainers)',
    kind: 'forge',
    weight: 232,
    styles: [['comparator', 100]],
  },
  {
    shortName: 'brightpane',
    organisation: 'Brightpane Corporation',
    kind: 'platform',
    weight: 190,
    styles: [['branches', 100]],
  },
  {
    shortName: 'nilday',
    organisation: 'Nilday Initiative',
    kind: 'researcher',
    weight: 100,
    styles: [['listed', 100]],
  },
  { shortName: '@pressscan', organisation: 'PressScan', kind: 'plugins', weight: 68, styles: [['from0', 100]] },
]

const TAIL_STYLES: readonly [VersionStyle, number][] = [
  ['listed', 44],
  ['branches', 21],
  ['upTo', 11],
  ['from0', 10],
  ['placeholder', 4],
  ['all', 3],
  ['git', 1],
  ['comparator', 1],
  ['upToFromStar', 2],
  ['rpm', 2],
  ['none', 1.5],
  ['upToChanged', 1],
]

/** Returns every CNA of the list, by rank. */
export function cnaList(seed: number): Cna[] {
  const tail = weighted(TAIL_STYLES)
  return Array.from({ length: CNA_COUNT }, (_, rank) => {
    const profile = PROFILES[rank]
    const orgId = new Random(seed, 'cna', rank).uuid()
    if (profile) return { ...profile, rank, orgId, vendor: ownVendor(profile, rank), styles: weighted(profile.styles) }
    const root = vendorRoot(seed, rank)
    const kind = rank % 23 === 0 ? 'researcher' : 'vendor'
    const vendor = kind === 'vendor' ? vendorOf(seed, rank) : null
    return {
      rank,
      orgId,
      kind,
      vendor,
      shortName: rank % 4 ? root.toLowerCase() : root,
      organisation: root,
      styles: tail,
    }
  })
}

export function hostOf({ organisation }: Cna): string {
  const letters = organisation.toLowerCase().replaceAll(/[^a-z]/g, '')
  return `${letters.slice(0, 24)}.example`
}

/** Returns the address that identifies a CNA in NVD. */
export function contactOf(cna: Cna): string {
  return `security@${hostOf(cna)}`
}

/** Returns the own vendor of the kernel and the platform. The other profiles assign for any vendor. */
function ownVendor({ kind, organisation }: Profile, rank: number): Vendor | null {
  if (kind !== 'kernel' && kind !== 'platform') return null
  return { rank, name: organisation, key: organisation.toLowerCase().replaceAll(' ', '') }
}

/** Returns a function that chooses a CNA other than the root, weighted by its number of records. */
export function cnaChoice(cnas: readonly Cna[]): (even: number) => Cna {
  const rest = CNA_COUNT - PROFILES.length
  return weighted(
    cnas.map((cna) => {
      const profile = PROFILES[cna.rank]
      return [cna, profile ? profile.weight : CNA_WEIGHT((cna.rank - PROFILES.length) / rest)]
    }),
  )
}
