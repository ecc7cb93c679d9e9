/** When the operator's services speak, and under which names: they were switched on in 2025. */
import { cutOf, DAY_MS, FIRST_NIGHT } from '../../calendar.ts'
import type { Random } from '../../random.ts'
import type { Facts } from '../../world.ts'

const SINCE = Date.UTC(2025, 0, 1)

export const MODELS = ['shelfwriter-1', 'shelfwriter-2', 'shelfwriter-2-mini'] as const

/** Some time after the CVE was published and before the cut of the night in which it is first to be seen. */
export function spokenAt(facts: Facts, night: number, random: Random): number {
  if (night > 0) return cutOf(night) - random.between(1, 11) * 3_600_000
  const from = Math.max(facts.publishedAt, SINCE)
  return Math.min(Math.floor(from + random.float() * (FIRST_NIGHT - from)), FIRST_NIGHT)
}

/** Recent CVEs are what the services are asked about. */
export function shareSince2024(facts: Facts, recent: number, older: number): number {
  return facts.publishedAt >= SINCE - 365 * DAY_MS || facts.kevAddedAt !== null ? recent : older
}

/** A line of NDJSON. */
export function ndjson(value: object): string {
  return `${JSON.stringify(value)}\n`
}
