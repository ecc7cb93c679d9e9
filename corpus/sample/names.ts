/** Names of vendors, products and packages. They are invented, and functions of seed and rank. */
import { Random } from './random.ts'

/** Syllables of vendor names: first, middle, last. They give 40 x 40 x 40 names before a second word is needed. */
const FIRST =
  `Bra Cor Dal Fen Gal Hul Jor Kel Lun Mar Nar Orl Pel Quo Ras Sel Tor Ulm Vel Wes Yar Zel Bri Cas Dro Eld Fro Gri
Hav Ist Jan Kru Lor Mil Nev Osk Pry Ril Ska Tam`.split(/\s/)
const MIDDLE =
  `ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo za be ci do fu ga he ji ko lu ma ne pi ro su ta ve wi
xo zu bi`.split(/\s/)
const LAST =
  `bor cen dal fer gon hart jin kar lem mont nis pol quist rand sen tal vik wen xon yard zer bant crest dorf fall
gard holm jord kamp lund mark nord port rok stad thal vang wick zell dane`.split(/\s/)
const COMPANIES =
  '|||| Systems| Software| Labs| Networks| Project| Inc.| GmbH| AB| Technologies| Foundation| Ltd.'.split('|')
export const PRODUCT_FIRST =
  `Harbor Quill Lantern Meadow Anvil Cobalt Juniper Saffron Tundra Beacon Drift Ember Falcon Granite Heron Indigo
Kestrel Larch Mosaic Nimbus Onyx Prairie Raven Sable Thistle Umber Willow Zephyr Amber Birch Copper Delta`.split(/\s/)
const PRODUCT_SECOND =
  `Gateway Server Manager Console Agent Router Studio Library Portal Firmware Scheduler Viewer Backup Identity Mail
Camera Toolkit Proxy Desk Cloud Broker Player Driver SDK`.split(/\s/)
const PLUGIN_SECOND = ['Gallery', 'Contact Form', 'Booking Calendar', 'Slider', 'Newsletter', 'Page Builder']
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

const SECONDS = { product: PRODUCT_SECOND, plugin: PLUGIN_SECOND, package: PACKAGE_SECOND }
export type ProductKind = keyof typeof SECONDS

/** Returns the name of a vendor's product, always the same for the same arguments. */
export function productOf(seed: number, vendorRank: number, productRank: number, kind: ProductKind): string {
  const random = new Random(seed, vendorRank, productRank, kind)
  const [first, second] = [random.pick(PRODUCT_FIRST), random.pick(SECONDS[kind])]
  if (kind === 'package') return `${first.toLowerCase()}-${second}`
  const model = kind === 'product' && random.chance(0.35) ? ` ${random.between(1, 9) * 100}` : ''
  return `${first} ${second}${model}`
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
