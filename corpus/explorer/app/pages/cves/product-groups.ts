/** The products of a CVE, each once, with what the first source states about it. */
import { joinedProduct } from '../../../../model/affected/joined-product.ts'
import type { AffectedEntry } from '../../data/answers.ts'

/** In this order, the first source that states versions is shown. */
const SOURCES = ['cna', 'advisory', 'osv', 'nvd', 'adp']

export interface ProductGroup {
  key: string
  /** The entries of all sources. */
  entries: AffectedEntry[]
  /** The entries of the source that is shown. */
  shown: AffectedEntry[]
  /** Whether no entry affects any version. */
  isUnaffected: boolean
}

const statesVersions = ({ affected_ranges, affected_versions, patched_versions }: AffectedEntry) =>
  (affected_ranges?.length ?? 0) + (affected_versions?.length ?? 0) + (patched_versions?.length ?? 0) > 0

const rankOf = ({ source }: AffectedEntry) => (SOURCES.includes(source) ? SOURCES.indexOf(source) : SOURCES.length)

function keyOf({ ecosystem, package_name: name, vendor, product }: AffectedEntry): string {
  if (ecosystem !== null && name !== null) return `package ${ecosystem} ${name.toLowerCase()}`
  return joinedProduct(vendor, product) ?? `named ${vendor} ${product} ${name}`
}

const isNamed = ({ vendor, product, package_name: name }: AffectedEntry) =>
  vendor !== null || product !== null || name !== null

/**
 * Returns the products in the order of the record; those that are not affected come last. Entries without a name and
 * without versions are left out if there are others.
 */
export function productGroups(entries: readonly AffectedEntry[]): ProductGroup[] {
  const groups = [...Map.groupBy(entries, keyOf)].map(([key, members]) => {
    const sorted = members.toSorted((a, b) => rankOf(a) - rankOf(b))
    const first = (sorted.find(statesVersions) ?? sorted[0]!).source
    return {
      key,
      entries: sorted,
      shown: sorted.filter(({ source }) => source === first),
      isUnaffected: members.every((entry) => entry.default_status === 'unaffected' && !statesVersions(entry)),
    }
  })
  const telling = groups.filter(({ entries: [first], shown }) => isNamed(first!) || shown.some(statesVersions))
  return (telling.length > 0 ? telling : groups).sort((a, b) => Number(a.isUnaffected) - Number(b.isUnaffected))
}
