/** Which changes concern which names. */
import { MAX_NAME_LENGTH, nameKey } from '../../../model/affected/products.ts'
import { splitPackage } from '../../../model/packages/name.ts'
import type { Changes } from '../data/answers.ts'
import {
  identityOf,
  packageIdentity,
  productIdentity,
  splitProduct,
  vendorIdentity,
  type WatchEntry,
} from './entries.ts'

export type NamedRow = Pick<Changes['data'][number], 'cve_id' | 'vendors' | 'products' | 'packages' | 'names_complete'>

/** Returns the identities of the names in a row: those that watched entries and filters are compared with. */
export function identitiesOf({ cve_id: id, vendors = [], products = [], packages = [] }: NamedRow): string[] {
  return [
    id,
    ...vendors.map(vendorIdentity),
    ...products.map((name) => productIdentity(...splitProduct(name))),
    ...packages.flatMap((text) => {
      const named = splitPackage(text)
      return named ? [packageIdentity(named.ecosystem, named.name)] : []
    }),
  ]
}

/** Returns the entries that a row concerns. */
export function entriesOf(row: NamedRow, entries: readonly WatchEntry[]): WatchEntry[] {
  const identities = new Set(identitiesOf(row))
  return entries.filter((entry) => identities.has(identityOf(entry)))
}

/** What a page asks for: null is any. Texts are names in any spelling, as users type them. */
export interface NameFilters {
  vendor: string | null
  product: string | null
  /** Null for all CVEs, else those that one of these concerns. */
  watched: readonly WatchEntry[] | null
}

/**
 * Returns a test of rows. A product is `<vendor>/<product>`; without a slash, a product of this name of any vendor.
 */
export function rowTest({ vendor, product, watched }: NameFilters): (row: NamedRow) => boolean {
  const tests: ((row: NamedRow, identities: ReadonlySet<string>) => boolean)[] = []
  const key = (text: string) => nameKey(text.slice(0, MAX_NAME_LENGTH)) ?? text
  if (vendor) {
    const wanted = vendorIdentity(key(vendor))
    tests.push((_, identities) => identities.has(wanted))
  }
  if (product?.includes('/')) {
    const [maker, name] = splitProduct(product)
    const wanted = productIdentity(key(maker), key(name))
    tests.push((_, identities) => identities.has(wanted))
  } else if (product) {
    tests.push(({ products = [] }, identities) =>
      products.some((one) => identities.has(productIdentity(splitProduct(one)[0], key(product)))),
    )
  }
  if (watched) {
    const wanted = new Set(watched.map(identityOf))
    tests.push((_, identities) => identities.values().some((one) => wanted.has(one)))
  }
  if (tests.length === 0) return () => true
  return (row) => {
    const identities = new Set(identitiesOf(row))
    return tests.every((test) => test(row, identities))
  }
}
