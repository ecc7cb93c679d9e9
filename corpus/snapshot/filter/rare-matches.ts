/**
 * Rare matches of flag and severity constraints, such as `kev=true&severity=none`. A scan would test all words of an
 * order; a short list is checked at once.
 */

import { generationalCache } from '../../runtime/generational-cache.ts'
import { SEVERITIES } from '../derive/facts.ts'
import type { CveTables } from '../record/cve-tables.ts'
import { FEW_BYTES } from './bounds.ts'
import type { Constraint } from './filters.ts'
import { clausesOf } from './matches.ts'
import { orderView } from './order-view.ts'
import { perSnapshot } from './per-snapshot.ts'
import { runsFrom, scanPositions } from './scan.ts'
import type { SnapshotBits } from './snapshot-bits.ts'

export type BitConstraint = Extract<Constraint, { kind: 'flags' | 'severity' }>

/** Above this number a scan usually finds a page within some hundred words. */
const MOST = 1024
/** Memory of an entry without its ordinals, in bytes. */
const ENTRY_BYTES = 200

const remembered = perSnapshot(() =>
  generationalCache<number, Uint32Array | null>(FEW_BYTES, (few) => ENTRY_BYTES + (few?.byteLength ?? 0)),
)

/** Returns the ordinals that pass all constraints, ascending; null when there are too many. */
export function rareMatches(
  snapshot: CveTables,
  bits: SnapshotBits,
  told: readonly BitConstraint[],
): Uint32Array | null {
  const known = remembered(snapshot)
  const key = keyOf(told)
  let few = known.get(key)
  if (few === undefined) {
    few = lookFor(snapshot, bits, told)
    known.set(key, few)
  }
  return few
}

function lookFor(snapshot: CveTables, bits: SnapshotBits, told: readonly BitConstraint[]): Uint32Array | null {
  // Ordinals are positions in the order of publication.
  const order = orderView(snapshot, 'published', true)
  const runs = runsFrom(order, 0, { from: 0, to: order.count })
  const clauses = clausesOf(bits, 'published', told)
  const found = scanPositions(snapshot, order, runs, { clauses, sieves: [] }, MOST + 1, Number.POSITIVE_INFINITY)!
  return found.length > MOST ? null : Uint32Array.from(found)
}

const FLAG_BITS = 8

/** Returns mask and value of the flags, and the severity set, as one number. */
function keyOf(told: readonly BitConstraint[]): number {
  let [mask, value, severities] = [0, 0, 0]
  for (const one of told) {
    if (one.kind === 'flags') [mask, value] = [one.mask, one.value]
    else for (const code of one.codes) severities |= 1 << code
  }
  // Distinguishes an empty severity set, which matches nothing, from no severity filter.
  const asked = told.some(({ kind }) => kind === 'severity') ? 1 << SEVERITIES.length : 0
  return ((((severities | asked) << FLAG_BITS) | mask) << FLAG_BITS) | value
}
