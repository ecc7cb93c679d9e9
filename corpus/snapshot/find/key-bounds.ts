/**
 * Where in a descending order keys fall below a bound. A search by halves through all of it would look at eighteen places,
 * each of three tables that lie all over the memory: it begins among samples, which lie together.
 */

import type { CveTables } from '../cve-tables.ts'
import { fromBillionths } from '../epss.ts'
import type { CveSort } from '../order.ts'
import { perSnapshot } from './per-snapshot.ts'

/** The sorts that filters have bounds of. */
type BoundedSort = Exclude<CveSort, 'cvss'>

/** The first place whose key is below `least`; those without a key never count. */
export const firstBelow = (snapshot: CveTables, sort: BoundedSort, least: number): number =>
  firstBeyond(snapshot, sort, least, false)

/** The first place whose key is not above `most`. */
export const firstNotAbove = (snapshot: CveTables, sort: BoundedSort, most: number): number =>
  firstBeyond(snapshot, sort, most, true)

/** Every so manyth key is a sample: at 350,000 CVEs those of an order take 44 KB. */
const STEP = 64

/** The keys of the places 0, `STEP`, 2 `STEP` and so on of each order, made when first needed. */
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

/** The first place whose key is below `bound`, or equal to it where `equal`. */
function firstBeyond(snapshot: CveTables, sort: BoundedSort, bound: number, equal: boolean): number {
  const keys = samplesOf(snapshot, sort)
  let from = 0
  let to = keys.length
  while (from < to) {
    const middle = (from + to) >>> 1
    if (isBeyond(keys[middle]!, bound, equal)) to = middle
    else from = middle + 1
  }
  // It lies behind the last sample that is not beyond, and no further than the next one.
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

function keyAt({ orders, columns, epss }: CveTables, sort: BoundedSort, place: number): number {
  const ordinal = orders[sort].ordinals[place]!
  return sort === 'epss' ? fromBillionths(epss.scores[columns.row[ordinal]!]!) : columns[sort][ordinal]!
}
