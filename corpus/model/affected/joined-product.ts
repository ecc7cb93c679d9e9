/** A product by its vendor and name, in any spelling (rule 27). */
import { joinedProductKey, joinedVendor } from './joined-key.ts'
import { nameKey } from './products.ts'

/** A product in the form in which all its spellings are equal (rule 27). */
export type JoinedProduct = string

/** Returns the product that a vendor and a product, in any spelling, name. Null if one of them names nothing. */
export function joinedProduct(vendor: string | null, product: string | null): JoinedProduct | null {
  const keys = [vendor, product].map((name) => (name === null ? null : nameKey(name)))
  const [vendorKey = null, productKey = null] = keys
  if (vendorKey === null || productKey === null) return null
  return `${joinedVendor(vendorKey)}\n${joinedProductKey(vendorKey, productKey)}`
}
