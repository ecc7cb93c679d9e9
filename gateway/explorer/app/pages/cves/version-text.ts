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

/** Whether the bounds are commits: they have no order by themselves. */
export const isOfCommits = ({ version_type: type, introduced, fixed }: AffectedRange): boolean =>
  type === 'git' || [introduced, fixed].some((version) => version !== null && COMMIT.test(version))

/** Returns a range as bounds of the version: `≥ 1.0, < 1.4`, or the commits that begin and end it. */
export function boundsText(range: AffectedRange): string {
  const { introduced, fixed, last_affected: last } = range
  const hasEnd = fixed !== null || last !== undefined
  const hasStart = introduced !== null && introduced !== '0'
  if (!isOfCommits(range)) {
    const text = rangeText(introduced, fixed, last ?? null)
    return hasStart && !hasEnd ? `${text}, without an end` : text
  }
  const parts = [
    hasStart ? `from ${shortVersion(introduced)}` : null,
    fixed === null ? null : `until ${shortVersion(fixed)}`,
    last === undefined ? null : `up to ${shortVersion(last)}`,
  ].filter((part) => part !== null)
  return parts.length === 0 ? 'all commits' : `commits ${parts.join(' ')}`
}

/** Returns the status of the versions that an entry does not name. Null if the source states none (rule 24). */
export function defaultText(status: string | null): string | null {
  if (status === null || status === 'unknown') return null
  return status === 'unaffected' ? 'others not affected' : `others ${status}`
}

/** Returns ecosystem and name as the pages of packages take them: without the release of a distribution. */
export function packageOf({ ecosystem, package_name: name }: AffectedEntry): readonly [string, string] | null {
  if (ecosystem === null || name === null) return null
  return [ecosystem.split(':', 1)[0]!, name]
}
