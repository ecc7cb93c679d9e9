/** Converts upstream times to one form: ISO 8601 in UTC with milliseconds. This form also sorts as text. */

const FORM =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?: ?(Z|[+-]\d{2}:?\d{2}))?)?$/i

/**
 * Returns `YYYY-MM-DDTHH:MM:SS.sssZ`, or null if the text is not a time or the time is impossible. A time without a
 * zone is UTC; a date is its first instant (rule 29). Digits beyond milliseconds are cut off. Years before 100 are
 * rejected as placeholders (`0001-01-01T00:00:00Z`).
 */
export function utcTimestamp(text: string): string | null {
  const match = FORM.exec(text)
  if (!match) return null
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z'] = match
  const milliseconds = Number(fraction.padEnd(3, '0').slice(0, 3))
  const time = Date.UTC(+year!, +month! - 1, +day!, +hour, +minute, +second, milliseconds)
  // Date.UTC accepts impossible days (30 February becomes 1 March), so compare the result with the input.
  const back = new Date(time)
  if (back.getUTCFullYear() !== +year! || back.getUTCMonth() !== +month! - 1 || back.getUTCDate() !== +day!) return null
  if (+hour > 23 || +minute > 59 || +second > 59) return null
  return zone.toUpperCase() === 'Z' ? back.toISOString() : new Date(time - offsetMs(zone)).toISOString()
}

/** Returns `YYYY-MM-DD` of a date or time in UTC, or null if it is impossible. */
export function utcDate(text: string): string | null {
  return utcTimestamp(text)?.slice(0, 10) ?? null
}

/** Returns the day, `YYYY-MM-DD`, of a date or of a timestamp from `utcTimestamp`. */
export function dayOf(timestamp: string): string {
  return timestamp.slice(0, 10)
}

export const DAY_MS = 86_400_000

/** Returns the days between two dates or timestamps, counted in UTC days. Negative if `to` is earlier. */
export function daysBetween(from: string, to: string): number {
  return (Date.parse(dayOf(to)) - Date.parse(dayOf(from))) / DAY_MS
}

/** Returns the first instant of a `YYYY-MM-DD` day. */
export function startOfDay(date: string): string {
  return `${date}T00:00:00.000Z`
}

function offsetMs(zone: string): number {
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2))
  return (zone[0] === '-' ? -minutes : minutes) * 60_000
}
