/** Applies a policy to a snapshot, from its columns alone. */

import { type CveTables, FLAGS, findRow, postingsOf } from '../../corpus/snapshot/index.ts'
import type { Policy, Rule } from './policy.ts'

type TierTables = Pick<CveTables, 'columns' | 'index' | 'ordinalOfRow'>

/** Returns each row's tier: the highest of the matching rules, else 0. */
export function tiersOf(policy: Policy, snapshot: TierTables): Int32Array {
  const { columns } = snapshot
  const tiers = new Int32Array(columns.count)
  for (const rule of policy) {
    for (const ordinal of ordinalsOf(rule, snapshot)) {
      const row = columns.row[ordinal]!
      if (tiers[row]! < rule.tier) tiers[row] = rule.tier
    }
  }
  return tiers
}

function ordinalsOf({ ids, state, assigners }: Rule, snapshot: TierTables): number[] {
  const { columns, index, ordinalOfRow } = snapshot
  const assigned = assigners?.flatMap((name) => [...postingsOf(columns.assigner, name)]) ?? null
  const named = ids?.map((id) => findRow(index, id)).filter((row) => row >= 0) ?? null
  let ordinals = named?.map((row) => ordinalOfRow[row]!) ?? assigned ?? [...columns.row.keys()]
  if (named && assigned) {
    const theirs = new Set(assigned)
    ordinals = ordinals.filter((ordinal) => theirs.has(ordinal))
  }
  if (state === null) return ordinals
  return ordinals.filter((ordinal) => ((columns.flags[ordinal]! & FLAGS.reserved) !== 0) === (state === 'RESERVED'))
}
