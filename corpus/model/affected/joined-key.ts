/** Joins the spellings of a vendor or product: `red_hat` and `redhat` are one vendor (rule 27). */
import { VENDOR_ALIASES } from './vendor-aliases.ts'

const isDigit = (text: string) => text >= '0' && text <= '9'

/**
 * Returns a key without everything except letters, digits, `+` and `#`; what is between two digits becomes a dot. `c++`
 * is not `c`, and `1.1` is not `11`. Products with equal results are one product.
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

/** Vendors with equal results are one vendor. */
export function joinedVendor(key: string): string {
  const joined = joinedKey(key)
  return ALIASES.get(joined) ?? joined
}
