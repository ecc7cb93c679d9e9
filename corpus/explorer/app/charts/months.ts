/** Months of charts. A month is a number: months since year 0. */

export interface Months {
  /** The first month. */
  first: number
  /** `YYYY-MM` of each month, without gaps. */
  names: string[]
}

/** Returns the number of `YYYY-MM`. */
export function monthNumber(name: string): number {
  const [year, month] = name.split('-').map(Number)
  return year! * 12 + month! - 1
}

export const monthName = (month: number): string =>
  `${String(Math.floor(month / 12)).padStart(4, '0')}-${String((month % 12) + 1).padStart(2, '0')}`

/** A wrong date of one record must not stretch a chart over centuries. */
const FIRST_YEAR = 1988
const MOST_MONTHS = 1200

/** Returns a row for each month from the first to the last one, with `empty` where there is none. Rows ascend. */
export function withoutGaps<Row extends { month: string }>(
  rows: readonly Row[],
  empty: (month: string) => Row,
): { first: number; rows: Row[] } {
  const known = new Map(rows.map((row) => [monthNumber(row.month), row]))
  const months = [...known.keys()].filter((month) => month >= FIRST_YEAR * 12)
  const first = months[0]
  if (first === undefined) return { first: 0, rows: [] }
  const count = Math.min(months.at(-1)! - first + 1, MOST_MONTHS)
  return { first, rows: Array.from({ length: count }, (_, i) => known.get(first + i) ?? empty(monthName(first + i))) }
}

/** Returns the sums of each list and all lists before it, point by point. */
export function stacked(lists: readonly (readonly number[])[]): number[][] {
  const sums: number[][] = []
  for (const list of lists) sums.push(list.map((value, i) => value + (sums.at(-1)?.[i] ?? 0)))
  return sums
}

/** Years between labels, so that there are at most `most` of them. */
export function yearStep(months: number, most: number): number {
  const years = Math.max(1, months / 12)
  return [1, 2, 5, 10, 20, 50].find((step) => years / step <= most) ?? 100
}

/** The last day of `YYYY-MM`, as `YYYY-MM-DD`. */
export function lastDay(month: string): string {
  const next = new Date(`${month}-01T00:00:00Z`)
  next.setUTCMonth(next.getUTCMonth() + 1, 0)
  return next.toISOString().slice(0, 10)
}
