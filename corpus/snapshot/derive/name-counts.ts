/** How many CVEs name each vendor and product, and how they write them; counted shard by shard, then added up. */
import type { NamedProduct } from '../../model/record.ts'
import { compareText } from '../../model/sources.ts'
import { fold } from '../fold.ts'

/** A name as it was met: by how many CVEs, in which spellings. */
export interface NameCount {
  cves: number
  spellings: Map<string, number>
}

export interface NameCounts {
  /** By key. */
  vendors: Map<string, NameCount>
  /** By vendor and product key. */
  products: Map<string, Map<string, NameCount>>
  /** Vendor keys by folded short name of the assigner. */
  vendorsOfAssigner: Map<string, Set<string>>
}

export const noNames = (): NameCounts => ({ vendors: new Map(), products: new Map(), vendorsOfAssigner: new Map() })

/** Counts one CVE. */
export function countNames(counts: NameCounts, named: readonly NamedProduct[], assigner: string | null): void {
  let last: string | null = null
  for (const { vendor, product, vendor_display, product_display } of named) {
    // They come by vendor: each counts once for a CVE, spelled as its first product has it.
    if (vendor !== last) add(counts.vendors, vendor, 1, vendor_display)
    last = vendor
    if (product !== null) add(entryOf(counts.products, vendor, newMap), product, 1, product_display ?? product)
    if (assigner !== null) entryOf(counts.vendorsOfAssigner, fold(assigner), newSet).add(vendor)
  }
}

/** Adds what another part counted. */
export function addNames(to: NameCounts, from: NameCounts): void {
  addAll(to.vendors, from.vendors)
  for (const [vendor, products] of from.products) addAll(entryOf(to.products, vendor, newMap), products)
  for (const [assigner, vendors] of from.vendorsOfAssigner) {
    const all = entryOf(to.vendorsOfAssigner, assigner, newSet)
    for (const vendor of vendors) all.add(vendor)
  }
}

/** The spelling that most CVEs use; of equal ones the first by code points. */
export function displayOf({ spellings }: NameCount): string {
  const [best] = [...spellings].sort(([a, x], [b, y]) => y - x || compareText(a, b))
  return best![0]
}

const newMap = () => new Map<string, NameCount>()
const newSet = () => new Set<string>()

function entryOf<V>(map: Map<string, V>, key: string, make: () => V): V {
  let value = map.get(key)
  if (value === undefined) {
    value = make()
    map.set(key, value)
  }
  return value
}

function add(map: Map<string, NameCount>, key: string, cves: number, spelling: string): void {
  const count = entryOf(map, key, () => ({ cves: 0, spellings: new Map() }))
  count.cves += cves
  count.spellings.set(spelling, (count.spellings.get(spelling) ?? 0) + cves)
}

function addAll(to: Map<string, NameCount>, from: Map<string, NameCount>): void {
  for (const [key, { cves, spellings }] of from) {
    const count = entryOf(to, key, () => ({ cves: 0, spellings: new Map() }))
    count.cves += cves
    for (const [spelling, times] of spellings) {
      count.spellings.set(spelling, (count.spellings.get(spelling) ?? 0) + times)
    }
  }
}
