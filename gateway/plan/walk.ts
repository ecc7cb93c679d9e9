/** The walk through what filters let through, in an order; a client asks for the same filters on every page of it. */
import { sortText } from '../../corpus/snapshot/order.ts'
import { SNAPSHOT_BYTES } from '../bounds.ts'
import { recent } from '../recent.ts'
import type { OpenSnapshot } from '../shelf/open-snapshot.ts'
import { type Bits, hasBit } from './bits.ts'
import { type CveFilters, constraintsOf } from './filters.ts'
import { type Matches, matchesOf } from './matches.ts'
import type { OrderView } from './order-view.ts'
import { perSnapshot } from './per-snapshot.ts'
import { firstFrom } from './places.ts'
import type { SnapshotBits } from './snapshot-bits.ts'

/** Matches in the form in which an order is walked: those of a list by their places, ascending. */
export type Walkable = { kind: 'all' } | { kind: 'places'; places: Uint32Array } | { kind: 'bits'; bits: Bits }

/** What an entry takes beside key and numbers. */
const ENTRY_BYTES = 300

const remembered = perSnapshot(() =>
  recent<string, Walkable>(SNAPSHOT_BYTES.walks, (matched, key) => {
    const bytes = matched.kind === 'all' ? 0 : (matched.kind === 'bits' ? matched.bits : matched.places).byteLength
    return bytes + key.length * 2 + ENTRY_BYTES
  }),
)

/** What `filters` let through in an order. `matches` are the ordinals that `filters.q` matches, where there is a `q`. */
export function matchedIn(
  snapshot: OpenSnapshot,
  bits: SnapshotBits,
  filters: CveFilters,
  matches: Uint32Array | null,
  order: OrderView,
): Walkable {
  const known = remembered(snapshot)
  const key = `${sortText({ key: order.sort, descending: order.descending })} ${JSON.stringify(filters)}`
  let matched = known.get(key)
  if (!matched) {
    matched = walkable(matchesOf(snapshot, constraintsOf(snapshot, bits, filters, matches)), order)
    known.set(key, matched)
  }
  return matched
}

function walkable(matches: Matches, order: OrderView): Walkable {
  if (matches.kind !== 'list') return matches
  return { kind: 'places', places: matches.ordinals.map(order.place).sort() }
}

/** The places, from `start` on, of the first `most` matches in an order. */
export function walk(matched: Walkable, order: OrderView, start: number, most: number): number[] {
  if (matched.kind === 'places') {
    const first = firstFrom(matched.places, start)
    return Array.from(matched.places.subarray(first, first + most))
  }
  const found: number[] = []
  for (let place = start; place < order.count && found.length < most; place++) {
    if (matched.kind === 'all' || hasBit(matched.bits, order.ordinal(place))) found.push(place)
  }
  return found
}
