/**
 * Finds matches by enumerating one constraint. Clients request the same filters page by page, so expensive results are
 * cached, and sorted on the second request.
 */

import { generationalCache } from '../../runtime/generational-cache.ts'
import { sortText } from '../cursor/order.ts'
import type { CveTables } from '../record/cve-tables.ts'
import { WALKS_BYTES } from './bounds.ts'
import { BLOCK } from './filter-block.ts'
import type { CveFilters } from './filters.ts'
import { lowerBound, reversedPosition } from './lower-bound.ts'
import type { Sieve } from './matches.ts'
import type { OrderView } from './order-view.ts'
import { perSnapshot } from './per-snapshot.ts'
import type { Bounds } from './scan.ts'

export interface Passing {
  /** Returns the first `most` ordinals at position `start` of the order or after it. */
  from(start: number, most: number): number[]
}

export interface Enumeration {
  order: OrderView
  /** No row outside of these stored positions passes. */
  bounds: Bounds
  ordinals: Uint32Array
  sieves: readonly Sieve[]
}

interface Positions {
  positions: Uint32Array
  sorted: boolean
}

/** Memory of an entry without key and numbers, in bytes. */
const ENTRY_BYTES = 300
/** Below this number, enumeration costs no more than a cache lookup. */
const WORTH_REMEMBERING = 512

const remembered = perSnapshot(() =>
  generationalCache<string, Positions>(WALKS_BYTES, ({ positions }, key) => {
    return positions.buffer.byteLength + key.length * 2 + ENTRY_BYTES
  }),
)

export function passingOf(snapshot: CveTables, filters: CveFilters, enumeration: Enumeration): Passing {
  const { order, ordinals } = enumeration
  if (ordinals.length < WORTH_REMEMBERING) return unsorted(order, positionsOf(snapshot, enumeration))
  const known = remembered(snapshot)
  const key = `${sortText({ key: order.sort, descending: order.descending })} ${JSON.stringify(filters)}`
  const found = known.get(key)
  if (!found) {
    const positions = positionsOf(snapshot, enumeration)
    known.set(key, { positions, sorted: false })
    return unsorted(order, positions)
  }
  if (!found.sorted) found.positions.sort()
  found.sorted = true
  const { positions } = found
  return {
    from(start, most) {
      const first = lowerBound(positions, start)
      return ordinalsAt(order, positions.subarray(first, first + most))
    },
  }
}

const unsorted = (order: OrderView, positions: Uint32Array): Passing => ({
  from(start, most) {
    return ordinalsAt(order, leastFrom(positions, start, most))
  },
})

function ordinalsAt(order: OrderView, positions: Uint32Array): number[] {
  const ordinals: number[] = []
  for (let i = 0; i < positions.length; i++) ordinals.push(order.ordinal(positions[i]!))
  return ordinals
}

const block = new Uint32Array(BLOCK)

/** Returns the positions of all matches, as a new array. */
function positionsOf(snapshot: CveTables, { order, bounds, ordinals, sieves }: Enumeration): Uint32Array {
  const { descending, keyed, count } = order
  const { from, to } = bounds
  const stored = snapshot.positions[order.sort]
  const found: number[] = []
  for (let at = 0; at < ordinals.length; at += BLOCK) {
    let left = Math.min(BLOCK, ordinals.length - at)
    for (let i = 0; i < left; i++) block[i] = ordinals[at + i]!
    for (let i = 0; i < sieves.length && left > 0; i++) left = sieves[i]!(block, left)
    for (let i = 0; i < left; i++) {
      const position = stored[block[i]!]!
      if (position >= from && position < to)
        found.push(descending ? position : reversedPosition(position, keyed, count))
    }
  }
  return new Uint32Array(found)
}

/** Returns the `most` smallest numbers not below `least`, ascending. Buffers only `2 * most` numbers. */
export function leastFrom(numbers: Uint32Array, least: number, most: number): Uint32Array {
  const kept = new Uint32Array(Math.min(2 * most, numbers.length))
  let count = 0
  let beyond = Number.POSITIVE_INFINITY
  for (let i = 0; i < numbers.length; i++) {
    const number = numbers[i]!
    if (number < least || number >= beyond) continue
    kept[count++] = number
    if (count < 2 * most) continue
    kept.sort()
    beyond = kept[most - 1]! + 1
    count = most
  }
  return kept.subarray(0, count).sort().subarray(0, most)
}
