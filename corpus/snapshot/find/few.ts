/**
 * The CVEs that pass what bits tell, flags and severities, where these are few: `kev=true&severity=none` say. A walk would
 * meet all words of an order to find that there are none; a list is looked through, or found empty, at once.
 */
import type { CveTables } from '../cve-tables.ts'
import { SEVERITIES } from '../derive/facts.ts'
import { recent } from '../recent.ts'
import { FEW_BYTES } from './bounds.ts'
import type { Constraint } from './filters.ts'
import { clausesOf } from './matches.ts'
import { orderView } from './order-view.ts'
import { perSnapshot } from './per-snapshot.ts'
import { runsFrom, walkPlaces } from './runs.ts'
import type { SnapshotBits } from './snapshot-bits.ts'

/** Constraints that bits tell. */
export type Told = Extract<Constraint, { kind: 'flags' | 'severity' }>

/** Where more have it, a walk comes upon a page of them within some hundred words of an order, as a rule. */
const MOST = 1024
/** What an entry takes beside its ordinals. */
const ENTRY_BYTES = 200

const remembered = perSnapshot(() =>
  recent<number, Uint32Array | null>(FEW_BYTES, (few) => ENTRY_BYTES + (few?.byteLength ?? 0)),
)

/** The ordinals that pass all of `told`, ascending; null where they are many. */
export function fewOf(snapshot: CveTables, bits: SnapshotBits, told: readonly Told[]): Uint32Array | null {
  const known = remembered(snapshot)
  const key = keyOf(told)
  let few = known.get(key)
  if (few === undefined) {
    few = lookFor(snapshot, bits, told)
    known.set(key, few)
  }
  return few
}

function lookFor(snapshot: CveTables, bits: SnapshotBits, told: readonly Told[]): Uint32Array | null {
  // Ordinals number the order of publication.
  const order = orderView(snapshot, 'published', true)
  const runs = runsFrom(order, 0, { from: 0, to: order.count })
  const clauses = clausesOf(bits, 'published', told)
  const found = walkPlaces(snapshot, order, runs, { clauses, sieves: [] }, MOST + 1, Number.POSITIVE_INFINITY)!
  return found.length > MOST ? null : Uint32Array.from(found)
}

/** Flags have eight bits. */
const FLAG_BITS = 8

/** Mask and value of the flags, and the set of severities, as one number. */
function keyOf(told: readonly Told[]): number {
  let [mask, value, severities] = [0, 0, 0]
  for (const one of told) {
    if (one.kind === 'flags') [mask, value] = [one.mask, one.value]
    else for (const code of one.codes) severities |= 1 << code
  }
  // No severity at all, which passes nobody, is another set than none asked for.
  const asked = told.some(({ kind }) => kind === 'severity') ? 1 << SEVERITIES.length : 0
  return ((((severities | asked) << FLAG_BITS) | mask) << FLAG_BITS) | value
}
