/** The keys of vendors and products as filters name them (API 9.19 and 9.20). */
import { MAX_NAME_LENGTH, nameKey } from '../../model/affected/products.ts'
import { productId } from '../cursor/lists.ts'

/** Completes "must be …". */
export const PRODUCT_FORM = `of the form <vendor>/<product>, such as microsoft/windows_10; write '/' in a key as %2F`

/** Returns the key of a vendor's name or key; null if it is too long. Placeholders such as `n/a` stay: no vendor has them. */
export function readVendor(text: string): string | null {
  return text.length > MAX_NAME_LENGTH ? null : (nameKey(text) ?? text.trim())
}

/** Returns `<vendor>/<product>` with the keys of both; null if a part is missing or too long. */
export function readProduct(text: string): string | null {
  const slash = text.indexOf('/')
  const [vendor, product] = [text.slice(0, Math.max(slash, 0)), text.slice(slash + 1)].map(readPart)
  return vendor && product ? productId(vendor, product) : null
}

const readPart = (text: string) => readVendor(text.replaceAll('%2F', '/'))
