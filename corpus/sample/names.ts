/** Names of vendors, products and packages. They are invented, and functions of seed and rank. */
import { Random } from './random.ts'

/** Syllables of vendor names: first, middle, last. They give 40 x 40 x 40 names before a second word is needed. */
const FIRST =
  'Bra Cor Dal Fen Gal Hul Jor Kel Lun Mar Nar Orl Pel Quo Ras Sel Tor Ulm Vel Wes Yar Zel Bri Cas Dro Eld Fro Gri Hav Ist Jan Kru Lor Mil Nev Osk Pry Ril Ska Tam'.split(
    ' ',
  )
const MIDDLE =
  'ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo za be ci do fu ga he ji ko lu ma ne pi ro su ta ve wi xo zu bi'.split(
    ' ',
  )
const LAST =
  'bor cen dal fer gon hart jin kar lem mont nis pol quist rand sen tal vik wen xon yard zer bant crest dorf fall gard holm jord kamp lund mark nord port rok stad thal vang wick zell dane'.split(
    ' ',
  )
const COMPANIES =
  '|||| Systems| Software| Labs| Networks| Project| Inc.| GmbH| AB| Technologies| Foundation| Ltd.'.split('|')
export const PRODUCT_FIRST =
  'Harbor Quill Lantern Meadow Anvil Cobalt Juniper Saffron Tundra Beacon Drift Ember Falcon Granite Heron Indigo Kestrel Larch Mosaic Nimbus Onyx Prairie Raven Sable Thistle Umber Willow Zephyr Amber Birch Copper Delta'.split(
    ' ',
  )
const PRODUCT_SECOND =
  'Gateway Server Manager Console Agent Router Studio Library Portal Firmware Scheduler Viewer Backup Identity Mail Camera Toolkit Proxy Desk Cloud Broker Player Driver SDK'.split(
    ' ',
  )
const PLUGIN_FIRST = 'Simple Easy Advanced Smart Ultimate Instant Quick Pretty Responsive Wonder'.split(' ')
const PLUGIN_SECOND =
  'Gallery|Contact Form|Booking Calendar|Slider|Popup|Member Directory|Price Table|Newsletter|Page Builder|Shop Filter|Event List|FAQ Block|Social Share'.split(
    '|',
  )
export const PACKAGE_SECOND = 'parser router client core utils auth yaml queue http template image sql'.split(' ')

const NAMES = FIRST.length ** 3

/** Returns the name of the vendor at a rank. Ranks below 64,000 have different names. */
export function vendorRoot(seed: number, rank: number): string {
  // A factor coprime to 40^3 distributes neighboring ranks over all syllables.
  const position = (rank * 27_011 + seed * 7919) % NAMES
  const rest = Math.floor(position / FIRST.length)
  return `${FIRST[position % FIRST.length]}${MIDDLE[rest % MIDDLE.length]}${LAST[Math.floor(rest / MIDDLE.length)]}`
}

export interface Vendor {
  rank: number
  name: string
  /** Host name part, `branabor`. */
  key: string
}

export function vendorOf(seed: number, rank: number): Vendor {
  const root = vendorRoot(seed, rank)
  return { rank, name: root + new Random(seed, rank, 'company').pick(COMPANIES), key: root.toLowerCase() }
}

export type ProductKind = 'product' | 'plugin' | 'package'

/** Returns the name of a vendor's product, always the same for the same arguments. */
export function productOf(seed: number, vendorRank: number, productRank: number, kind: ProductKind): string {
  const random = new Random(seed, vendorRank, productRank, kind)
  if (kind === 'plugin') {
    const name = `${random.pick(PLUGIN_FIRST)} ${random.pick(PRODUCT_FIRST)} ${random.pick(PLUGIN_SECOND)}`
    return random.chance(0.03) ? `${name} – 100% Free` : name
  }
  const first = random.pick(PRODUCT_FIRST)
  if (kind === 'package') {
    const second = random.pick(PACKAGE_SECOND)
    return random.chance(0.3) ? `${first.toLowerCase()}_${second}` : `${first.toLowerCase()}-${second}`
  }
  const second = random.pick(PRODUCT_SECOND)
  if (!random.chance(0.35)) return `${first} ${second}`
  return `${first} ${second} ${random.pick(['X', 'DX-', 'S', 'Pro ', 'v'])}${random.between(1, 9) * 100}`
}

/** Returns the login of a person on a forge. */
export function loginOf(random: Random): string {
  const root = random.pick(FIRST) + random.pick(MIDDLE)
  return `${root.toLowerCase()}${random.pick(['', 'sec', '-labs', '0x'])}${random.int(1000)}`
}

/** Returns the key in CPEs and the CISA container: lower case, `_` for blanks. */
export function cpeKey(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9.]+/g, '_')
    .replace(/_$/, '')
}

/** Returns the key with hyphens, as package names and URLs have it. */
export const slugOf = (name: string) => cpeKey(name).replaceAll(/[_.]/g, '-')
