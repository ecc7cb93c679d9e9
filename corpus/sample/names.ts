/** Names of vendors, products and CNAs. They are invented, and functions of seed and rank. */
import { Random } from './random.ts'
import * as words from './words.ts'

const SYLLABLES = 40
const NAMES = SYLLABLES ** 3

/** Returns the name of the vendor at a rank. Ranks below 64,000 have different names. */
export function vendorRoot(seed: number, rank: number): string {
  // A factor coprime to 40^3 distributes neighboring ranks over all syllables.
  const position = (rank * 27_011 + seed * 7919) % NAMES
  const [first, rest] = [position % SYLLABLES, Math.floor(position / SYLLABLES)]
  const [middle, last] = [rest % SYLLABLES, Math.floor(rest / SYLLABLES)]
  return `${words.FIRST_SYLLABLES[first]}${words.MIDDLE_SYLLABLES[middle]}${words.LAST_SYLLABLES[last]}`
}

export interface Vendor {
  rank: number
  name: string
  /** Host name part, `branabor`. */
  key: string
}

export function vendorOf(seed: number, rank: number): Vendor {
  const root = vendorRoot(seed, rank)
  return { rank, name: root + new Random(seed, rank, 'company').pick(words.COMPANY_WORDS), key: root.toLowerCase() }
}

export type ProductKind = 'product' | 'plugin' | 'package'

/** Returns the name of a vendor's product, always the same for the same arguments. */
export function productOf(seed: number, vendorRank: number, productRank: number, kind: ProductKind): string {
  const random = new Random(seed, vendorRank, productRank, kind)
  if (kind === 'plugin') {
    const name = `${random.pick(words.PLUGIN_FIRST)} ${random.pick(words.PRODUCT_FIRST)} ${random.pick(words.PLUGIN_SECOND)}`
    return random.chance(0.03) ? `${name} – 100% Free` : name
  }
  const first = random.pick(words.PRODUCT_FIRST)
  if (kind === 'package') {
    const second = random.pick(words.PACKAGE_SECOND)
    return random.chance(0.3) ? `${first.toLowerCase()}_${second}` : `${first.toLowerCase()}-${second}`
  }
  const second = random.pick(words.PRODUCT_SECOND)
  const model = random.chance(0.35)
    ? ` ${random.pick(['X', 'DX-', 'S', 'Pro ', 'v'])}${random.between(1, 9) * 100}`
    : ''
  return `${first} ${second}${model}`
}

/** Returns the key in CPEs and the CISA container: lower case, `_` for blanks. */
export function cpeKey(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9.]+/g, '_')
    .replace(/_$/, '')
}
