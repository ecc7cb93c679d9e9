/** Parses the bounds of time filters: a calendar day, or an instant for clients that poll (rule 4). */
import { DAY_MS } from './date.ts'

/**
 * `ms` since 1970 in UTC. For an instant it includes fractions of a millisecond. For a day it is the first millisecond,
 * and the bound means the whole day.
 */
export interface DateBound {
  kind: 'day' | 'instant'
  ms: number
}

const DAY = /^(\d{4})-(\d\d)-(\d\d)$/
/** RFC 3339 5.6, `date-time`. */
const INSTANT = /^(\d{4}-\d\d-\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?(?:Z|([+-])(\d\d):(\d\d))$/i

/** Accepted forms of `parseDateBound`, for messages. */
export const DATE_BOUND_FORM = 'a date (YYYY-MM-DD) or an RFC 3339 timestamp (2024-04-12T08:00:00Z)'

/** Returns the bound, or null if the text is neither a day nor an instant, or is impossible. */
export function parseDateBound(text: string): DateBound | null {
  const day = dayMs(text)
  if (day !== null) return { kind: 'day', ms: day }
  const instant = instantMs(text)
  return instant === null ? null : { kind: 'instant', ms: instant }
}

/** Returns the last moment that an upper bound includes. A day includes all of its 24 hours (rule 4). */
export const untilMs = ({ kind, ms }: DateBound): number => (kind === 'day' ? ms + DAY_MS - 1 : ms)

/** Returns midnight UTC of an existing calendar day, or null. */
function dayMs(text: string): number | null {
  const parts = DAY.exec(text)
  if (parts === null) return null
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])]
  // Date.UTC maps years below 100 to 19xx.
  const ms = new Date(0).setUTCFullYear(year, month - 1, day)
  const date = new Date(ms)
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? ms : null
}

function instantMs(text: string): number | null {
  const parts = INSTANT.exec(text)
  const day = parts === null ? null : dayMs(parts[1]!)
  if (parts === null || day === null) return null
  const [hour, minute, second] = [Number(parts[2]), Number(parts[3]), Number(parts[4])]
  const [offsetHour, offsetMinute] = [Number(parts[7] ?? 0), Number(parts[8] ?? 0)]
  // 60 is a leap second (RFC 3339 5.7).
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return null
  const offset = (parts[6] === '-' ? -1 : 1) * (offsetHour * 60 + offsetMinute)
  return day + (hour * 60 + minute - offset) * 60_000 + second * 1000 + Number(parts[5] ?? 0) * 1000
}
