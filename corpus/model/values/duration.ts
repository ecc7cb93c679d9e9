/** Durations in configuration: `30s`, `15m`, `1h`, `2d`. */

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const
export const LONGEST_DAYS = 365

/** Returns seconds. Null for other text, for 0 and for more than 365 days. */
export function parseDuration(text: string): number | null {
  const parts = /^(\d{1,9})([smhd])$/.exec(text)
  const seconds = parts === null ? 0 : Number(parts[1]) * SECONDS[parts[2] as keyof typeof SECONDS]
  return seconds > 0 && seconds <= LONGEST_DAYS * SECONDS.d ? seconds : null
}
