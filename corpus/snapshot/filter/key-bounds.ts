/**
 * Finds where keys of a descending order fall below a bound. Searches contiguous samples first: a full binary search
 * would read eighteen scattered positions in three tables each.
 */

import type { CveSort } from '../cursor/order.ts'
import type { CveTables } from '../record/cve-tables.ts'
import { fromBillionths } from '../record/epss.ts'
import { perSnapshot } from './per-snapshot.ts'

type BoundedSort = Exclude<CveSort, 'cvss'>

/** Returns the first position with a key below `least`. Never counts positions without a key. */
export const firstBelow = (snapshot: CveTables, sort: BoundedSort, least: number): number =>
  firstBeyond(snapshot, sort, least, false)

export const firstNotAbove = (snapshot: CveTables, sort: BoundedSort, most: number): number =>
  firstBeyond(snapshot, sort, most, true)

/** Samples one key in 64. At 350,000 CVEs the samples of an order take 44 KB. */
const STEP = 64

/** The keys at positions 0, `STEP`, 2 `STEP`, … of each order; computed lazily. */
const samples = perSnapshot((): Partial<Record<BoundedSort, Float64Array>> => ({}))

function samplesOf(snapshot: CveTables, sort: BoundedSort): Float64Array {
  const made = samples(snapshot)
  let keys = made[sort]
  if (!keys) {
    keys = new Float64Array(Math.ceil(snapshot.orders[sort].keyed / STEP))
    for (let at = 0; at < keys.length; at++) keys[at] = keyAt(snapshot, sort, at * STEP)
    made[sort] = keys
  }
  return keys
}

/** Returns the first position with a key below `bound`, or equal to it when `equal`. */
function firstBeyond(snapshot: CveTables, sort: BoundedSort, bound: number, equal: boolean): number {
  const keys = samplesOf(snapshot, sort)
  let from = 0
  let to = keys.length
  while (from < to) {
    const middle = (from + to) >>> 1
    if (isBeyond(keys[middle]!, bound, equal)) to = middle
    else from = middle + 1
  }
  // The result is after the last sample that is not beyond, up to the next sample.
  to = Math.min(from * STEP, snapshot.orders[sort].keyed)
  from = Math.max(0, (from - 1) * STEP)
  while (from < to) {
    const middle = (from + to) >>> 1
    if (isBeyond(keyAt(snapshot, sort, middle), bound, equal)) to = middle
    else from = middle + 1
  }
  return from
}

const isBeyond = (key: number, bound: number, equal: boolean): boolean => key < bound || (equal && key === bound)

function keyAt({ orders, columns, epss }: CveTables, sort: BoundedSort, position: number): number {
  const ordinal = orders[sort].ordinals[position]!
  return sort === 'epss' ? fromBillionths(epss.scores[columns.row[ordinal]!]!) : columns[sort][ordinal]!
}
