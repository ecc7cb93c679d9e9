/** Options of `prune` and `nightly`: which snapshots to keep. */
import { InvalidArgumentError } from 'commander'
import { KEEP_RULES, type KeepRule, type KeepRules } from '../corpus/repository/retention.ts'

type KeepOption = `keep${Capitalize<KeepRule>}`

export type KeepFlags = Partial<Record<KeepOption | 'keepDerived', number>>

/** The text of each option. */
export const KEEP_OPTIONS: Record<KeepRule, string> = {
  last: 'keep the n newest snapshots, including the current one',
  daily: 'keep the newest snapshot of each of the last n days that have one (UTC)',
  weekly: 'the same for weeks, from Monday on (ISO 8601)',
  monthly: 'the same for months',
  yearly: 'the same for years',
}

/** Returns the number of an option; `unlimited` is infinite. */
export function keepCount(text: string): number {
  if (text === 'unlimited') return Number.POSITIVE_INFINITY
  const count = /^\d+$/.test(text) ? Number(text) : 0
  if (count >= 1 && count <= Number.MAX_SAFE_INTEGER) return count
  throw new InvalidArgumentError("It must be a whole number from 1 on, or 'unlimited'.")
}

/** Returns the rules that the options set; null for none. */
export function keepRules(flags: KeepFlags): KeepRules | null {
  const rules: KeepRules = {}
  for (const rule of KEEP_RULES) {
    const count = flags[`keep${rule[0]!.toUpperCase()}${rule.slice(1)}` as KeepOption]
    if (count !== undefined) rules[rule] = count
  }
  return Object.keys(rules).length === 0 ? null : rules
}
