/** Times and model names of the operator's services, which started in 2025. */
import { cutOf, DAY_MS, FIRST_NIGHT } from '../../calendar.ts'
import type { Random } from '../../random.ts'
import type { Facts } from '../../world.ts'

const SINCE = Date.UTC(2025, 0, 1)

export const MODELS = ['shelfwriter-1', 'shelfwriter-2', 'shelfwriter-2-mini'] as const

/** Returns a time after the CVE's publication and before the files of its first night are created. */
export function spokenAt(facts: Facts, night: number, random: Random): number {
  if (night > 0) return cutOf(night) - random.between(1, 11) * 3_600_000
  const from = Math.max(facts.publishedAt, SINCE)
  return Math.min(Math.floor(from + random.float() * (FIRST_NIGHT - from)), FIRST_NIGHT)
}

/** Returns the share for a CVE. The services mostly cover recent CVEs and KEV entries. */
export function shareSince2024(facts: Facts, recent: number, older: number): number {
  return facts.publishedAt >= SINCE - 365 * DAY_MS || facts.kevAddedAt !== null ? recent : older
}

export function ndjson(value: object): string {
  return `${JSON.stringify(value)}\n`
}
