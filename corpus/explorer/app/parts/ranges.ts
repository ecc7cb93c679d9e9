/** Versions and their ranges in words. */
import type { AffectedEntry, AffectedRow, OsvEvent } from '../data/answers.ts'

export type AffectedRange = NonNullable<AffectedEntry['affected_ranges']>[number]
type MatchedBy = NonNullable<AffectedRow['matched_by']>

/** Returns `≥ 1.0, < 1.4.2` with fixed blanks; `all versions` without bounds. `0` is before every version. */
export function rangeText(introduced: string | null, fixed: string | null, last: string | null = null): string {
  const parts = [
    ...(introduced === null || introduced === '0' ? [] : [`≥\u00a0${introduced}`]),
    ...(fixed === null ? [] : [`<\u00a0${fixed}`]),
    ...(last === null ? [] : [`≤\u00a0${last}`]),
  ]
  return parts.length === 0 ? 'all versions' : parts.join(', ')
}

/** Returns what the version matched. */
export function matchText({ kind, introduced, fixed, last_affected }: MatchedBy): string {
  const hasBounds = introduced !== null || fixed !== null || last_affected !== null
  return kind === 'range' || hasBounds ? rangeText(introduced, fixed, last_affected) : 'listed version'
}

/** Returns the intervals of a range: each `introduced` begins one, `fixed` and `last_affected` end it. */
export function intervalTexts(events: readonly OsvEvent[]): string[] {
  const texts: string[] = []
  let open: string | null = null
  for (const { introduced, fixed, last_affected, limit } of events) {
    if (introduced !== undefined) {
      if (open !== null) texts.push(rangeText(open, null))
      open = introduced
    } else if (fixed !== undefined || last_affected !== undefined) {
      texts.push(rangeText(open, fixed ?? null, last_affected ?? null))
      open = null
    } else if (limit !== undefined) texts.push(`only before ${limit}`)
  }
  if (open !== null) texts.push(rangeText(open, null))
  return texts
}

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
