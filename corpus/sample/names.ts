/** Names of vendors, products and CNAs, each a function of seed and rank: all invented. */
import { Random } from './random.ts'
import * as words from './words.ts'

const SYLLABLES = 40
const NAMES = SYLLABLES ** 3

/** The bare name of the vendor of a rank; ranks below 64,000 have different ones. */
export function vendorRoot(seed: number, rank: number): string {
  // Multiplying by a number prime to 40^3 scatters neighbouring ranks over all syllables.
  const place = (rank * 27_011 + seed * 7919) % NAMES
  const [first, rest] = [place % SYLLABLES, Math.floor(place / SYLLABLES)]
  const [middle, last] = [rest % SYLLABLES, Math.floor(rest / SYLLABLES)]
  return `${words.FIRST_SYLLABLES[first]}${words.MIDDLE_SYLLABLES[middle]}${words.LAST_SYLLABLES[last]}`
}

export interface Vendor {
  rank: number
  name: string
  /** Host part, `branabor`. */
  key: string
}

export function vendorOf(seed: number, rank: number): Vendor {
  const root = vendorRoot(seed, rank)
  return { rank, name: root + new Random(seed, rank, 'company').pick(words.COMPANY_WORDS), key: root.toLowerCase() }
}

export type ProductKind = 'product' | 'plugin' | 'package'

/** The name of a vendor's product, the same each time it is asked for. */
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

/** The key that CPE and the CISA container use: lower case, `_` for blanks. */
export function cpeKey(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9.]+/g, '_')
    .replace(/_$/, '')
}
