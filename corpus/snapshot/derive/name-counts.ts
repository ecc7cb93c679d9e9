/** The vendors and products that CVEs name, with their spellings and CVEs. */
import { joinedProductKey, joinedVendor } from '../../model/affected/joined-key.ts'
import type { NamedProduct } from '../../model/record.ts'
import { compareText } from '../../model/sources.ts'
import { fold } from '../codec/fold.ts'
import { positionIn } from './facts.ts'

/** The names in the CVEs of one shard. */
export interface ShardNames {
  /** The distinct `NamedProduct`s as JSON, joined by line feeds. Fast to transfer and to compare. */
  names: Uint8Array
  /** Positions in `names`, grouped by CVE, and their number per CVE. */
  named: Uint32Array
  namedCounts: Uint32Array
}

/** Collects names CVE by CVE. */
export function shardNameCollector(): { read(products: readonly NamedProduct[]): void; names(): ShardNames } {
  const positions = new Map<string, number>()
  const named: number[] = []
  const counts: number[] = []
  return {
    read(products) {
      for (const { vendor, product, vendor_display, product_display } of products) {
        const name: NamedProduct = { vendor, product, vendor_display, product_display }
        named.push(positionIn(positions, JSON.stringify(name)))
      }
      counts.push(products.length)
    },
    names: () => ({
      names: new Uint8Array(Buffer.from([...positions.keys()].join('\n'))),
      named: Uint32Array.from(named),
      namedCounts: Uint32Array.from(counts),
    }),
  }
}

/** The names in all CVEs. */
export interface Names {
  /** The distinct spellings. */
  names: NamedProduct[]
  /** The names of row `i` are in `named` from `namedAt[i]` up to `namedAt[i + 1]`, as positions in `names`. */
  named: Uint32Array
  namedAt: Uint32Array
}

export const noNamed = (): Names => ({ names: [], named: new Uint32Array(), namedAt: new Uint32Array() })

/** Joins the names of shards, which must be added in id order. */
export function nameCollector(): { add(shard: ShardNames): void; names(): Names } {
  const positions = new Map<string, number>()
  const parts: Pick<ShardNames, 'named' | 'namedCounts'>[] = []
  return {
    add({ names, named, namedCounts }) {
      const text = Buffer.from(names.buffer, names.byteOffset, names.length).toString()
      const own = text === '' ? [] : text.split('\n').map((name) => positionIn(positions, name))
      parts.push({ named: named.map((position) => own[position]!), namedCounts })
    },
    names() {
      const sum = (lengths: number[]) => lengths.reduce((total, length) => total + length, 0)
      const named = new Uint32Array(sum(parts.map((part) => part.named.length)))
      const namedAt = new Uint32Array(sum(parts.map((part) => part.namedCounts.length)) + 1)
      let [row, at] = [0, 0]
      for (const part of parts) {
        named.set(part.named, at)
        for (const count of part.namedCounts) {
          at += count
          namedAt[++row] = at
        }
      }
      return { names: Array.from(positions.keys(), (text) => JSON.parse(text) as NamedProduct), named, namedAt }
    },
  }
}

/** A vendor or product. */
export interface NameCount {
  /** The rows of its CVEs, ascending. */
  rows: number[]
  spellings: Spelling[]
}

export interface Spelling {
  key: string
  text: string
  /** The number of CVEs that use it. */
  cves: number
  /** The row of the last one. */
  last: number
}

export interface NameCounts {
  /** By joined key (rule 27). */
  vendors: Map<string, NameCount>
  /** By joined keys of vendor and product. */
  products: Map<string, Map<string, NameCount>>
  /** By folded short name of the assigner: the joined keys of its vendors. */
  vendorsOfAssigner: Map<string, Set<string>>
}

export const noNames = (): NameCounts => ({
  vendors: new Map(),
  products: new Map(),
  vendorsOfAssigner: new Map(),
})

/** Counts the CVEs of each name, with joined spellings. `assignerOf` returns the assigner of a row. */
export function countNames({ names, named, namedAt }: Names, assignerOf: (row: number) => string | null): NameCounts {
  const counts = noNames()
  const counted = names.map(({ vendor, product, vendor_display, product_display }) => {
    const joined = joinedVendor(vendor)
    const ofVendor = entryOf(counts.vendors, joined, newCount)
    const productsOf = product === null ? null : entryOf(counts.products, joined, newMap)
    const ofProduct = productsOf && entryOf(productsOf, joinedProductKey(vendor, product!), newCount)
    return {
      vendor: joined,
      ofVendor,
      spelling: spellingOf(ofVendor, vendor, vendor_display),
      ofProduct,
      productSpelling: ofProduct && spellingOf(ofProduct, product!, product_display ?? product!),
    }
  })
  const folded = new Map<string, Set<string>>()
  for (let row = 0; row + 1 < namedAt.length; row++) {
    const [from, to] = [namedAt[row]!, namedAt[row + 1]!]
    if (from === to) continue
    const assigner = assignerOf(row)
    const vendors = assigner === null ? null : entryOf(folded, assigner, newSet)
    for (let at = from; at < to; at++) {
      const { vendor, ofVendor, spelling, ofProduct, productSpelling } = counted[named[at]!]!
      add(ofVendor, spelling, row)
      if (ofProduct) add(ofProduct, productSpelling!, row)
      vendors?.add(vendor)
    }
  }
  for (const [assigner, vendors] of folded) {
    const all = entryOf(counts.vendorsOfAssigner, fold(assigner), newSet)
    for (const vendor of vendors) all.add(vendor)
  }
  return counts
}

/** Returns the distinct spellings, ascending. */
export const spellingsOf = ({ spellings }: NameCount): string[] =>
  [...new Set(spellings.map(({ text }) => text))].sort(compareText)

/** Returns the spelling that most CVEs use; ties go to the first by code points. */
export function displayOf({ spellings }: NameCount): Spelling {
  return spellings.reduce((best, one) => (byUse(one, best) < 0 ? one : best))
}

const byUse = (a: Spelling, b: Spelling) => b.cves - a.cves || compareText(a.text, b.text) || compareText(a.key, b.key)

const newCount = (): NameCount => ({ rows: [], spellings: [] })
const newMap = () => new Map<string, NameCount>()
const newSet = () => new Set<string>()

/** Counts a CVE and a spelling once each. */
function add({ rows }: NameCount, spelling: Spelling, row: number): void {
  if (rows.at(-1) !== row) rows.push(row)
  if (spelling.last === row) return
  spelling.last = row
  spelling.cves++
}

function spellingOf({ spellings }: NameCount, key: string, text: string): Spelling {
  const known = spellings.find((one) => one.key === key && one.text === text)
  if (known) return known
  const spelling = { key, text, cves: 0, last: -1 }
  spellings.push(spelling)
  return spelling
}

function entryOf<V>(map: Map<string, V>, key: string, make: () => V): V {
  let value = map.get(key)
  if (value === undefined) {
    value = make()
    map.set(key, value)
  }
  return value
}
