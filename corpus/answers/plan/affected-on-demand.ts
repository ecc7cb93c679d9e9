/** `rowsAffecting` and `rowsAffectingProduct` of pages in a browser: loads the code that compares versions at its first use. */
import { awaited } from '../../runtime/steps.ts'
import type * as packages from './affected.ts'
import type * as products from './affected-product.ts'

export const rowsAffecting: typeof packages.rowsAffecting = function* (snapshot, query) {
  const plan = yield* awaited(import('./affected.ts'))
  return yield* plan.rowsAffecting(snapshot, query)
}

export const rowsAffectingProduct: typeof products.rowsAffectingProduct = function* (snapshot, id, cpe) {
  const plan = yield* awaited(import('./affected-product.ts'))
  return yield* plan.rowsAffectingProduct(snapshot, id, cpe)
}
