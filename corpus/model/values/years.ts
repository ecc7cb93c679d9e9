/** A range of years of CVE ids. */

/** Both inclusive. */
export interface Years {
  from: number
  to: number
}

const FIRST_YEAR = 1999
const LAST_YEAR = 9999

/** Parses `2024-`, `2020-2023` or `2024`. Returns null for other text. */
export function parseYears(text: string): Years | null {
  const [, first, dash, last] = /^(\d{4})(-?)(\d{4})?$/.exec(text) ?? []
  if (first === undefined || (dash === '' && last !== undefined)) return null
  const from = Number(first)
  const to = dash === '' ? from : last === undefined ? LAST_YEAR : Number(last)
  return isYears({ from, to }) ? { from, to } : null
}

export function formatYears({ from, to }: Years): string {
  if (to === LAST_YEAR) return `${from}-`
  return from === to ? String(from) : `${from}-${to}`
}

export function isYears(value: unknown): value is Years {
  const { from, to } = (value ?? {}) as { from?: unknown; to?: unknown }
  return isYear(from) && isYear(to) && from <= to
}

const isYear = (year: unknown): year is number =>
  Number.isInteger(year) && (year as number) >= FIRST_YEAR && (year as number) <= LAST_YEAR
