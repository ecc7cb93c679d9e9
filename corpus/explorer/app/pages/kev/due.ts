/** Periods of due dates, counted from a day. */

export interface DuePeriod {
  name: string
  /** Days from the day to the first day of the period; null without a first day. */
  from: number | null
  /** Days to the first day after the period. */
  to: number
}

export const DUE_PERIODS: readonly DuePeriod[] = [
  { name: 'overdue', from: null, to: 0 },
  { name: 'within 7 days', from: 0, to: 8 },
  { name: 'within 30 days', from: 0, to: 31 },
]

/** Returns the day that is `days` after a day, both `YYYY-MM-DD`. */
export function dayAfter(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + days)
  return date.toISOString().slice(0, 10)
}

const DAY_MS = 86_400_000

/** Returns the time from a day to a later one, or the same: `today`, `in 1 day`, `in 12 days`. */
export function untilText(day: string, today: string): string {
  const days = Math.round((Date.parse(day) - Date.parse(today)) / DAY_MS)
  return days === 0 ? 'today' : `in ${days} ${days === 1 ? 'day' : 'days'}`
}
