/**
 * What passes all filters by its places in an order, found by enumerating one of them. A client asks for the same filters
 * on every page: what was found is remembered, and sorted when it is asked for again.
 */
import { sortText } from '../../corpus/snapshot/order.ts'
import { SNAPSHOT_BYTES } from '../bounds.ts'
import { recent } from '../recent.ts'
import type { OpenSnapshot } from '../shelf/open-snapshot.ts'
import type { CveFilters } from './filters.ts'
import type { Test } from './matches.ts'
import type { OrderView } from './order-view.ts'
import { perSnapshot } from './per-snapshot.ts'
import { firstFrom } from './places.ts'
import { type Bounds, passes } from './runs.ts'

export interface Passing {
  /** The ordinals of the first `most` at the place `start` of the order or behind it. */
  from(start: number, most: number): number[]
}

export interface Enumeration {
  order: OrderView
  /** Places of the stored order outside of which nothing passes. */
  bounds: Bounds
  ordinals: Uint32Array
  /** What each of them has to pass. */
  tests: readonly Test[]
}

interface Places {
  places: Uint32Array
  sorted: boolean
}

/** What an entry takes beside key and numbers. */
const ENTRY_BYTES = 300

const remembered = perSnapshot(() =>
  recent<string, Places>(SNAPSHOT_BYTES.walks, ({ places }, key) => {
    return places.buffer.byteLength + key.length * 2 + ENTRY_BYTES
  }),
)

export function passingOf(snapshot: OpenSnapshot, filters: CveFilters, enumeration: Enumeration): Passing {
  const { order } = enumeration
  const known = remembered(snapshot)
  const key = `${sortText({ key: order.sort, descending: order.descending })} ${JSON.stringify(filters)}`
  const found = known.get(key)
  if (found) {
    if (!found.sorted) found.places.sort()
    found.sorted = true
    return {
      from(start, most) {
        const first = firstFrom(found.places, start)
        return Array.from(found.places.subarray(first, first + most), order.ordinal)
      },
    }
  }
  const places = placesOf(snapshot, enumeration)
  known.set(key, { places, sorted: false })
  return { from: (start, most) => Array.from(leastFrom(places, start, most), order.ordinal) }
}

function placesOf(snapshot: OpenSnapshot, { order, bounds, ordinals, tests }: Enumeration): Uint32Array {
  const stored = snapshot.places[order.sort]
  const found: number[] = []
  for (let i = 0; i < ordinals.length; i++) {
    const ordinal = ordinals[i]!
    const place = stored[ordinal]!
    if (place >= bounds.from && place < bounds.to && passes(tests, ordinal)) found.push(order.place(ordinal))
  }
  return Uint32Array.from(found)
}

/** The `most` smallest numbers not below `least`, ascending. Memory for twice as many is enough: the rest is forgotten. */
export function leastFrom(numbers: Uint32Array, least: number, most: number): Uint32Array {
  const kept = new Uint32Array(2 * most)
  let count = 0
  let beyond = Number.POSITIVE_INFINITY
  for (let i = 0; i < numbers.length; i++) {
    const number = numbers[i]!
    if (number < least || number >= beyond) continue
    kept[count++] = number
    if (count < kept.length) continue
    kept.sort()
    beyond = kept[most - 1]! + 1
    count = most
  }
  return kept.subarray(0, count).sort().subarray(0, most)
}
