/**
 * Counts the CVEs of each vendor and product, with spellings. Shard counts are added up.
 */
import type { NamedProduct } from '../../model/record.ts'
import { compareText } from '../../model/sources.ts'
import { fold } from '../codec/fold.ts'

/** The number of CVEs with a name, and its spellings. */
export interface NameCount {
  cves: number
  /**
   * The first spelling. `spellings` has the CVE count per spelling; null while there is only one, as for most names.
   */
  spelling: string
  spellings: Map<string, number> | null
}

export interface NameCounts {
  /** By vendor key. */
  vendors: Map<string, NameCount>
  /** By vendor key and product key. */
  products: Map<string, Map<string, NameCount>>
  /** By folded short name of the assigner: the number of its CVEs per vendor key. */
  vendorsOfAssigner: Map<string, Map<string, number>>
}

export const noNames = (): NameCounts => ({
  vendors: new Map(),
  products: new Map(),
  vendorsOfAssigner: new Map(),
})

export function countNames(counts: NameCounts, named: readonly NamedProduct[], assigner: string | null): void {
  let last: string | null = null
  for (const { vendor, product, vendor_display, product_display } of named) {
    // Each vendor counts once per CVE, with the spelling of its first product.
    if (vendor !== last) {
      add(counts.vendors, vendor, 1, vendor_display)
      if (assigner !== null) addTo(entryOf(counts.vendorsOfAssigner, fold(assigner), newCounts), vendor, 1)
    }
    last = vendor
    if (product !== null) add(entryOf(counts.products, vendor, newMap), product, 1, product_display ?? product)
  }
}

/** CVE counts per spelling: `[spelling, cves, spelling, cves, …]`. */
type Spelled = (string | number)[]

/** CVE counts per text: `[text, cves, text, cves, …]`. */
type Counted = (string | number)[]

/** Counts as JSON between threads: five times as fast as transferring Maps. */
type NamesOnTheWay = [
  vendors: [string, Spelled][],
  products: [string, [string, Spelled][]][],
  vendorsOfAssigner: [string, Counted][],
]

export function encodeNames({ vendors, products, vendorsOfAssigner }: NameCounts): Uint8Array {
  const text: NamesOnTheWay = [
    Array.from(vendors, ([key, count]) => [key, spelled(count)]),
    Array.from(products, ([vendor, own]) => [vendor, Array.from(own, ([key, count]) => [key, spelled(count)])]),
    Array.from(vendorsOfAssigner, ([assigner, own]) => [assigner, [...own].flat()]),
  ]
  return new Uint8Array(Buffer.from(JSON.stringify(text)))
}

const spelled = ({ cves, spelling, spellings }: NameCount): Spelled =>
  spellings ? [...spellings].flat() : [spelling, cves]

/** Adds counts encoded by `encodeNames`. */
export function addNames(counts: NameCounts, encoded: Uint8Array): void {
  const text = Buffer.from(encoded.buffer, encoded.byteOffset, encoded.length).toString()
  const [vendors, products, vendorsOfAssigner] = JSON.parse(text) as NamesOnTheWay
  for (const [key, count] of vendors) addSpelled(counts.vendors, key, count)
  for (const [vendor, own] of products) {
    const all = entryOf(counts.products, vendor, newMap)
    for (const [key, count] of own) addSpelled(all, key, count)
  }
  for (const [assigner, own] of vendorsOfAssigner) {
    addCounted(entryOf(counts.vendorsOfAssigner, assigner, newCounts), own)
  }
}

/** Returns the spelling that most CVEs use; ties go to the first by code points. */
export function displayOf({ spelling, spellings }: NameCount): string {
  if (!spellings) return spelling
  const [best] = [...spellings].sort(([a, x], [b, y]) => y - x || compareText(a, b))
  return best![0]
}

const newMap = () => new Map<string, NameCount>()
const newCounts = () => new Map<string, number>()

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

function addCounted(map: Map<string, number>, counted: Counted): void {
  for (let i = 0; i < counted.length; i += 2) addTo(map, counted[i] as string, counted[i + 1] as number)
}

const addTo = (map: Map<string, number>, key: string, cves: number): void =>
  void map.set(key, (map.get(key) ?? 0) + cves)

function add(map: Map<string, NameCount>, key: string, cves: number, spelling: string): void {
  const count = map.get(key)
  if (count === undefined) {
    map.set(key, { cves, spelling, spellings: null })
    return
  }
  if (count.spellings) addTo(count.spellings, spelling, cves)
  else if (count.spelling !== spelling) {
    count.spellings = new Map([
      [count.spelling, count.cves],
      [spelling, cves],
    ])
  }
  count.cves += cves
}
