/** The age of a feed, and whether it is older than usual. */

/**
 * Maximum days between two editions of a feed, with some room for weekends and holidays.
 * Feeds that are not listed, such as your own data, have no rule.
 */
export const USUAL_DAYS: Readonly<Record<string, number>> = {
  // Published every day or more often.
  cvelist: 3,
  nvd: 3,
  epss: 3,
  ghsa: 3,
  osv: 3,
  poc: 3,
  // Some additions each week.
  kev: 14,
  vulncheck: 14,
  exploitdb: 14,
  metasploit: 14,
  nuclei: 14,
  // A new entry every few days, but some sources state no date.
  cna: 60,
  euvd: 60,
  // Some releases a year; CAPEC has had none since 2023.
  cwe: 365,
  capec: 5 * 365,
}

const DAY_MS = 86_400_000

export interface FeedAge {
  /** Whole days; null without a date. */
  days: number | null
  /** Null without a rule. */
  usual: number | null
  isOld: boolean
}

/** `updatedAt` is ISO 8601. A date in the future is 0 days old. */
export function feedAge(name: string, updatedAt: string | null, now: number): FeedAge {
  const days = updatedAt === null ? null : Math.max(0, Math.floor((now - Date.parse(updatedAt)) / DAY_MS))
  const usual = Object.hasOwn(USUAL_DAYS, name) ? USUAL_DAYS[name]! : null
  return { days, usual, isOld: days !== null && usual !== null && days > usual }
}
