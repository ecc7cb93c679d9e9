/**
 * The CVEs of a constraint as a bitmap of positions in an order, so that a scan tests 32 positions at once. Cached by
 * snapshot, order and value.
 */
import { generationalCache } from '../../runtime/generational-cache.ts'
import type { CveSort } from '../cursor/order.ts'
import { FACETS, facetTest } from '../derive/facets.ts'
import { FLAGS, NO_SEVERITY, SEVERITIES } from '../derive/facts.ts'
import type { CveTables } from '../record/cve-tables.ts'
import { BITMAPS_BYTES } from './bounds.ts'
import { type Constraint, nameOf } from './filters.ts'
import { perSnapshot, snapshotNumber } from './per-snapshot.ts'

/** A set of numbers, 32 per word: 44 KB for 350,000 CVEs. */
export type Bitmap = Uint32Array

/** Returns an empty set for the numbers below `size`. */
export const emptyBitmap = (size: number): Bitmap => new Uint32Array((size + 31) >>> 5)

export function addBit(bits: Bitmap, number: number): void {
  bits[number >>> 5]! |= 1 << (number & 31)
}

export const hasBit = (bits: Bitmap, number: number): boolean => (bits[number >>> 5]! & (1 << (number & 31))) !== 0

/** Returns one word of the intersection of `sets`; all ones without sets. Fastest with the smallest set first. */
export function wordOf(sets: readonly Bitmap[], at: number): number {
  let word = -1
  for (let i = 0; i < sets.length && word !== 0; i++) word &= sets[i]![at]!
  return word
}

/** Returns a word with only the bits from `low` up to, not including, `high`. Both may be outside of the word. */
export function cutWord(word: number, at: number, low: number, high: number): number {
  const first = at << 5
  if (low >= first + 32 || high <= first) return 0
  if (low > first) word &= -1 << (low - first)
  if (high < first + 32) word &= 2 ** (high - first) - 1
  return word
}

/** Memory of an entry without key and words, in bytes. */
const ENTRY_BYTES = 300

/** Flags and severities have 43 values, so their bitmaps are never evicted: at most 8 MB at 350,000 CVEs. */
const ofFacets = perSnapshot(() => new Map<string, Bitmap>())

/** Shared by all snapshots, so that the limit applies to the process. */
const ofLists = generationalCache<string, Bitmap>(BITMAPS_BYTES, (bits, key) => {
  return bits.byteLength + key.length * 2 + ENTRY_BYTES
})

/** Returns the positions, in the descending order `sort`, of the CVEs that satisfy a constraint. */
export function positionBitmap(snapshot: CveTables, constraint: Constraint, sort: CveSort): Bitmap {
  const cache = isCommon(constraint) ? ofFacets(snapshot) : ofLists
  const key = `${snapshotNumber(snapshot)} ${sort} ${nameOf(constraint)}`
  let bits = cache.get(key)
  if (!bits) {
    bits = buildBitmap(snapshot, constraint, sort)
    cache.set(key, bits)
  }
  return bits
}

const isCommon = (constraint: Constraint): boolean =>
  constraint.kind === 'flag' || (constraint.kind === 'severity' && !constraint.bands.includes('unscored'))

/** Takes up to one ms at 350,000 CVEs. */
function buildBitmap({ columns, orders, positions }: CveTables, constraint: Constraint, sort: CveSort): Bitmap {
  switch (constraint.kind) {
    case 'flag': {
      const mask = FLAGS[constraint.flag]
      return bitmapWhere(orders[sort].ordinals, columns.flags, (flags) => ((flags & mask) !== 0) === constraint.wanted)
    }
    case 'severity': {
      const codes = constraint.bands.map((band) => (band === 'unscored' ? NO_SEVERITY : SEVERITIES.indexOf(band)))
      return bitmapWhere(orders[sort].ordinals, columns.severity, (code) => codes.includes(code))
    }
    case 'facet': {
      const { facet, values } = constraint
      return bitmapWhere(orders[sort].ordinals, columns[FACETS[facet].column], facetTest(facet, values))
    }
    case 'list':
      return bitmapAt(positions[sort], constraint.ordinals)
    case 'range':
      return bitmapAt(positions[sort], orders[constraint.sort].ordinals.subarray(constraint.from, constraint.to))
  }
}

/** Returns the positions in `ordinals` of the CVEs whose value passes `test`. */
function bitmapWhere(ordinals: Uint32Array, values: Uint8Array, test: (value: number) => boolean): Bitmap {
  const passes = Uint8Array.from({ length: 256 }, (_, value) => (test(value) ? 1 : 0))
  const bits = emptyBitmap(ordinals.length)
  for (let position = 0; position < ordinals.length; position++) {
    bits[position >>> 5]! |= passes[values[ordinals[position]!]!]! << (position & 31)
  }
  return bits
}

function bitmapAt(positions: Uint32Array, ordinals: Uint32Array): Bitmap {
  const bits = emptyBitmap(positions.length)
  for (let i = 0; i < ordinals.length; i++) addBit(bits, positions[ordinals[i]!]!)
  return bits
}

/** Returns the number of set bits of the intersection of `sets`, which is not empty. */
export function countCommon(sets: readonly Bitmap[]): number {
  let count = 0
  for (let at = 0; at < sets[0]!.length; at++) {
    let word = wordOf(sets, at)
    word -= (word >>> 1) & 0x55555555
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333)
    count += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
  }
  return count
}
