/** Vendor and product keys: normalization of names, and the names in a record (rule 27). */
import type { CveClaim } from '../claim.ts'
import type { AffectedEntry, NamedProduct } from '../record.ts'
import { compareText } from '../sources.ts'

const NO_NAME = new Set(['n/a', '*', ''])

/** Returns the key of a vendor, product or CNA name: lower case, `_` for blanks, as in CPE. Null for placeholders. */
export function nameKey(name: string): string | null {
  const folded = name.trim().toLowerCase()
  return NO_NAME.has(folded) ? null : folded.replace(/\s+/g, '_')
}

/** The longest name that has a row, in characters: the schema of CVE records allows 2,048 (rule 27). */
export const MAX_NAME_LENGTH = 2048

/** `n/a` as the name of a vendor or product is null (rule 24). */
export function statedName(name: string | null): string | null {
  return name === null || /^n\/a$/i.test(name) ? null : name
}

/**
 * Returns vendor and product for display, without nulls. The vendor is omitted if the product begins with it as a whole
 * word, in any case. Example: "Cisco" and "Cisco IOS", but not "HP" and "HPE OneView" (rule 19).
 */
export function namesToShow(vendor: string | null, product: string | null): string[] {
  const isRepeated = vendor !== null && product !== null && beginsWithName(product, vendor)
  return [isRepeated ? null : vendor, product].filter((name) => name !== null)
}

function beginsWithName(text: string, name: string): boolean {
  const [start, rest] = [text.slice(0, name.length), text.slice(name.length)]
  return start.toLowerCase() === name.toLowerCase() && !/^[\p{L}\p{M}\p{N}]/u.test(rest)
}

/** Legal forms and versions follow a comma too. */
const NO_PRODUCT = /^(?:(?:inc|ltd|llc|co|corp|gmbh|ag|s\.a)\.?$|[^\p{L}])/iu
const ONE_WORD = /^[^\s\\/()"]+$/

/**
 * Returns the products that a product name lists, as CNAs write them: `Acme Widget, Gadget` (rule 27). A name is a list if
 * each part is one word, without the vendor, or begins with the first part. Other names with commas are one product:
 * `Backup, Restore and Migration`.
 */
export function listedProducts(
  source: AffectedEntry['source'],
  vendor: string | null,
  product: string | null,
): readonly (string | null)[] {
  // NVD names one product in each CPE.
  if (product === null || source === 'nvd' || !product.includes(',')) return [product]
  const parts = product.split(',').map((part) => part.trim())
  const plain = parts.map((part) =>
    vendor !== null && beginsWithName(part, vendor) ? part.slice(vendor.length).trim() : part,
  )
  const [first = ''] = plain
  const isList = plain.every((part, i) => {
    if (part === '' || NO_PRODUCT.test(part)) return false
    if (ONE_WORD.test(part)) return true
    return i === 0 ? part !== parts[0] && !/[\\/()"]/.test(part) : beginsWithName(part, first)
  })
  return isList ? parts : [product]
}

const NAMING_SOURCES: ReadonlySet<AffectedEntry['source']> = new Set(['cna', 'adp', 'nvd'])

const isNamed = (name: string | null): name is string => name !== null && name.length <= MAX_NAME_LENGTH

/** The products that CNA, ADP and NVD name, each pair of keys once, by vendor, then product, those without product first. */
export function namedProducts(claims: readonly CveClaim[]): NamedProduct[] {
  const pairs = new Map<string, NamedProduct>()
  for (const claim of claims) {
    for (const { source, vendor: vendorName, product: productName } of claim.affected) {
      if (!isNamed(vendorName) || !NAMING_SOURCES.has(source)) continue
      const vendor = nameKey(vendorName)
      if (vendor === null) continue
      for (const name of listedProducts(source, vendorName, productName)) {
        const product = isNamed(name) ? nameKey(name) : null
        const key = `${vendor}\n${product ?? ''}`
        if (pairs.has(key)) continue
        const productDisplay = product === null ? null : name!.trim()
        pairs.set(key, { vendor, product, vendor_display: vendorName.trim(), product_display: productDisplay })
      }
    }
  }
  if (pairs.size < 2) return [...pairs.values()]
  return [...pairs.values()].sort(
    (a, b) => compareText(a.vendor, b.vendor) || compareText(a.product ?? '', b.product ?? ''),
  )
}
