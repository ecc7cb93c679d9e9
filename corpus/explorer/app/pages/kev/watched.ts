/** Which entries of a catalog the watch list concerns. */
import { nameKey } from '../../../../model/affected/products.ts'
import type { KevRow } from '../../data/answers.ts'
import { productFilter } from '../../parts/names.ts'
import type { WatchEntry } from '../../watch/entries.ts'
import { entriesOf } from '../../watch/matching.ts'

type Named = Pick<KevRow, 'cve_id' | 'vendor_project' | 'product'>

/** Whether the watch list has the CVE, or the vendor or product as the catalog names it. */
export function isWatched({ cve_id, vendor_project, product }: Named, watched: readonly WatchEntry[]): boolean {
  const vendor = vendor_project === null ? null : nameKey(vendor_project)
  const name = product === null ? null : nameKey(product)
  const products = vendor === null || name === null ? [] : [productFilter(vendor, name)]
  return entriesOf({ cve_id, vendors: vendor === null ? [] : [vendor], products }, watched).length > 0
}
