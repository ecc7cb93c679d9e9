/** Joins the spellings of a vendor or product: `red_hat` and `redhat` are one vendor (rule 27). */
import { VENDOR_ALIASES } from './vendor-aliases.ts'

const isDigit = (text: string) => text >= '0' && text <= '9'

/**
 * Returns a key without everything except letters, digits, `+` and `#`; what is between two digits becomes a dot. `c++`
 * is not `c`, and `1.1` is not `11`.
 */
export function joinedKey(key: string): string {
  let joined = ''
  for (const part of key.split(/[^\p{L}\p{M}\p{N}+#]+/u)) {
    const areDigits = isDigit(joined.slice(-1)) && isDigit(part.slice(0, 1))
    joined += areDigits ? `.${part}` : part
  }
  return joined || key
}

const ALIASES: ReadonlyMap<string, string> = new Map(
  VENDOR_ALIASES.flatMap(([first, ...others]) => others.map((key) => [joinedKey(key), joinedKey(first!)] as const)),
)

const KEYS: ReadonlyMap<string, string> = new Map(VENDOR_ALIASES.map(([first]) => [joinedKey(first!), first!] as const))

/** Returns the key of a vendor in the table, by its joined key. It stays the same whichever spelling is the most frequent. */
export const reviewedKey = (joined: string): string | null => KEYS.get(joined) ?? null

/** Vendors with equal results are one vendor. */
export function joinedVendor(key: string): string {
  const joined = joinedKey(key)
  return ALIASES.get(joined) ?? joined
}

const WORD_END = /[^\p{L}\p{M}\p{N}+#]+/gu

/** Returns the key of a product without its vendor, if it begins with the vendor as whole words: `acme_widget` of `acme`. */
function withoutVendor(vendor: string, product: string): string {
  for (const { index, 0: end } of product.matchAll(WORD_END)) {
    const rest = product.slice(index + end.length)
    // `drupal_7` of `drupal` is not `7`.
    if (!/\p{L}/u.test(rest)) return product
    if (index > 0 && joinedVendor(product.slice(0, index)) === vendor) return rest
    if (index > MAX_VENDOR) break
  }
  return product
}

/** The longest vendor that is looked for in a product, in characters. */
const MAX_VENDOR = 100

/** Products of a vendor with equal results are one product. */
export const joinedProductKey = (vendor: string, product: string): string =>
  joinedKey(withoutVendor(joinedVendor(vendor), product))
