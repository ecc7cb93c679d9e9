/** How many CVEs name each vendor and product, and how they write them; counted shard by shard, then added up. */
import type { NamedProduct } from '../../model/record.ts'
import { compareText } from '../../model/sources.ts'
import { fold } from '../fold.ts'

/** A name as it was met: by how many CVEs, in which spellings. */
export interface NameCount {
  cves: number
  /** How the first of them writes it; and how many write it how, once there are two ways: most names have one. */
  spelling: string
  spellings: Map<string, number> | null
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
    if (vendor !== last) {
      add(counts.vendors, vendor, 1, vendor_display)
      if (assigner !== null) entryOf(counts.vendorsOfAssigner, fold(assigner), newSet).add(vendor)
    }
    last = vendor
    if (product !== null) add(entryOf(counts.products, vendor, newMap), product, 1, product_display ?? product)
  }
}

/** Spellings with how many CVEs use each: `[spelling, cves, spelling, cves, …]`. */
type Spelled = (string | number)[]

/** Counts on their way between threads: as text they travel five times as fast as Maps do. */
type NamesOnTheWay = [
  vendors: [string, Spelled][],
  products: [string, [string, Spelled][]][],
  vendorsOfAssigner: [string, string[]][],
]

export function encodeNames({ vendors, products, vendorsOfAssigner }: NameCounts): Uint8Array {
  const text: NamesOnTheWay = [
    Array.from(vendors, ([key, count]) => [key, spelled(count)]),
    Array.from(products, ([vendor, own]) => [vendor, Array.from(own, ([key, count]) => [key, spelled(count)])]),
    Array.from(vendorsOfAssigner, ([assigner, own]) => [assigner, [...own]]),
  ]
  return new Uint8Array(Buffer.from(JSON.stringify(text)))
}

const spelled = ({ cves, spelling, spellings }: NameCount): Spelled =>
  spellings ? [...spellings].flat() : [spelling, cves]

/** Adds what `encodeNames` made of another part. */
export function addNames(to: NameCounts, encoded: Uint8Array): void {
  const text = Buffer.from(encoded.buffer, encoded.byteOffset, encoded.length).toString()
  const [vendors, products, vendorsOfAssigner] = JSON.parse(text) as NamesOnTheWay
  for (const [key, count] of vendors) addSpelled(to.vendors, key, count)
  for (const [vendor, own] of products) {
    const all = entryOf(to.products, vendor, newMap)
    for (const [key, count] of own) addSpelled(all, key, count)
  }
  for (const [assigner, own] of vendorsOfAssigner) {
    const all = entryOf(to.vendorsOfAssigner, assigner, newSet)
    for (const vendor of own) all.add(vendor)
  }
}

/** The spelling that most CVEs use; of equal ones the first by code points. */
export function displayOf({ spelling, spellings }: NameCount): string {
  if (!spellings) return spelling
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

function addSpelled(map: Map<string, NameCount>, key: string, count: Spelled): void {
  for (let i = 0; i < count.length; i += 2) add(map, key, count[i + 1] as number, count[i] as string)
}

function add(map: Map<string, NameCount>, key: string, cves: number, spelling: string): void {
  const count = map.get(key)
  if (count === undefined) {
    map.set(key, { cves, spelling, spellings: null })
    return
  }
  if (count.spellings) count.spellings.set(spelling, (count.spellings.get(spelling) ?? 0) + cves)
  else if (count.spelling !== spelling) {
    count.spellings = new Map([
      [count.spelling, count.cves],
      [spelling, cves],
    ])
  }
  count.cves += cves
}
