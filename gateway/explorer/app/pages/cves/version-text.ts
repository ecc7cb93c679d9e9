/** Affected versions in words. */
import type { CveDetail } from '../../data/answers.ts'
import { rangeText } from '../../parts/ranges.ts'

export type AffectedEntry = NonNullable<CveDetail['affected']>[number]
export type AffectedRange = NonNullable<AffectedEntry['affected_ranges']>[number]

/** A commit is shown by its first characters. */
const COMMIT = /^[0-9a-f]{40}$|^[0-9a-f]{64}$/
const SHOWN_DIGITS = 12

export const shortVersion = (version: string): string =>
  COMMIT.test(version) ? version.slice(0, SHOWN_DIGITS) : version

/** Returns a range as bounds of the version: `≥ 1.0, < 1.4`. */
export function boundsText({ introduced, fixed, last_affected: last }: AffectedRange): string {
  const [start, end, lastAffected] = [introduced, fixed, last].map((version) => version && shortVersion(version))
  const text = rangeText(start ?? null, end ?? null, lastAffected ?? null)
  return start && start !== '0' && !end && !lastAffected ? `${text}, without an end` : text
}

/** Whether the bounds are commits: they have no order by themselves. */
export const isOfCommits = ({ version_type: type, introduced, fixed }: AffectedRange): boolean =>
  type === 'git' || [introduced, fixed].some((version) => version !== null && COMMIT.test(version))

/** What the default status means for the versions that an entry does not name. */
export function defaultText(status: string | null): string | null {
  if (status === null) return null
  if (status === 'affected') return 'All other versions are affected.'
  if (status === 'unaffected') return 'Other versions are not affected.'
  if (status === 'unknown') return 'The status of other versions is unknown.'
  return `Other versions: ${status}.`
}

/** Returns ecosystem and name as the pages of packages take them: without the release of a distribution. */
export function packageOf({ ecosystem, package_name: name }: AffectedEntry): readonly [string, string] | null {
  if (ecosystem === null || name === null) return null
  return [ecosystem.split(':', 1)[0]!, name]
}
