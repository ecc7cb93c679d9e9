/** The sample's calendar: every date derives from the first night, never from the clock (STYLE 9). */

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
export const FIRST_NIGHT = Date.UTC(2026, 4, 31)

/** The hour at which a night's files are cut: upstream's are, at about this time. */
const CUT_MS = (22 * 60 + 13) * 60_000

/** When the files of a night (0 is the first) are cut. Records state no later time. */
export function cutOf(night: number): number {
  return FIRST_NIGHT + night * DAY_MS + CUT_MS
}

/** `YYYY-MM-DD` of a night, or of any time. */
export function nightDate(night: number): string {
  return dateOf(cutOf(night))
}

export function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

/** ISO 8601 in UTC with milliseconds, as the CVE list writes times. */
export function timeOf(time: number): string {
  return new Date(time).toISOString()
}
