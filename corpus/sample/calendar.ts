/** The sample's calendar. All dates derive from the first night, never from the clock. */

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
export const FIRST_NIGHT = Date.UTC(2026, 4, 31)

/** Returns the time at which the files of a night (0 is the first) are created. No record has a later time. */
export function cutOf(night: number): number {
  return FIRST_NIGHT + night * DAY_MS + (22 * 60 + 13) * 60_000
}

/** Returns `YYYY-MM-DD` of a night. `dateOf` does the same for any time. */
export const nightDate = (night: number) => dateOf(cutOf(night))
export const dateOf = (time: number) => timeOf(time).slice(0, 10)
/** Returns ISO 8601 in UTC with milliseconds, the form of the CVE list. */
export const timeOf = (time: number) => new Date(time).toISOString()
/** Returns a time in whole seconds, the form of advisories. */
export const secondOf = (time: number) => `${timeOf(time).slice(0, 19)}Z`
