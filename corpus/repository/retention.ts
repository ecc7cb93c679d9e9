/** Rules of retention: which snapshots `prune` keeps. Pure functions. */
import { DAY_MS } from '../model/values/date.ts'

/** `last` counts snapshots, the others count periods in UTC. */
export const KEEP_RULES = ['last', 'daily', 'weekly', 'monthly', 'yearly'] as const
export type KeepRule = (typeof KEEP_RULES)[number]

/** How many snapshots or periods each rule keeps; `Number.POSITIVE_INFINITY` keeps all. A rule without a number keeps none. */
export type KeepRules = Partial<Record<KeepRule, number>>

/** Returns the period of a time, as text: `2026-06-01`, `2026-W23`, `2026-06`, `2026`. */
const PERIODS: Record<Exclude<KeepRule, 'last'>, (ms: number) => string> = {
  daily: dayAt,
  weekly: isoWeekAt,
  monthly: (ms) => dayAt(ms).slice(0, -'-01'.length),
  yearly: (ms) => yearAt(ms),
}

/**
 * Returns for each snapshot the rules that keep it, such as `last` or `daily 2026-06-01`. A rule of periods keeps the
 * first snapshot of each of the first n periods. `times` are in ms, in the order of importance: newest first.
 */
export function keptBy(times: readonly number[], rules: KeepRules): string[][] {
  const kept = times.map((): string[] => [])
  for (const rule of KEEP_RULES) {
    const most = rules[rule] ?? 0
    const seen = new Set<string>()
    for (const [i, ms] of times.entries()) {
      if (seen.size >= most) break
      const period = rule === 'last' ? String(i) : PERIODS[rule](ms)
      if (seen.has(period)) continue
      seen.add(period)
      kept[i]!.push(rule === 'last' ? rule : `${rule} ${period}`)
    }
  }
  return kept
}

/** Years beyond 9999 have a sign and six digits. */
function dayAt(ms: number): string {
  return new Date(ms).toISOString().split('T')[0]!
}

const yearAt = (ms: number) => dayAt(ms).slice(0, -'-01-01'.length)

/** ISO 8601: a week begins on Monday and belongs to the year of its Thursday. */
function isoWeekAt(ms: number): string {
  const sinceMonday = (new Date(ms).getUTCDay() + 6) % 7
  const thursday = ms + (3 - sinceMonday) * DAY_MS
  const year = yearAt(thursday)
  const dayOfYear = Math.floor((thursday - Date.parse(`${year}-01-01`)) / DAY_MS)
  return `${year}-W${String(1 + Math.floor(dayOfYear / 7)).padStart(2, '0')}`
}
