/** Ranges of versions in words. */
import type { Affected, OsvRecord } from '../data/answers.ts'

export type AffectedRow = Affected['data'][number]
export type MatchedBy = NonNullable<AffectedRow['matched_by']>

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

/** The members of a record in the OSV schema that pages show. Publishers may omit each of them. */
export interface OsvAdvisory extends OsvRecord {
  summary?: string
  details?: string
  published?: string
  withdrawn?: string
  related?: string[]
  upstream?: string[]
  severity?: OsvSeverity[]
  affected?: OsvAffected[]
  references?: { type?: string; url: string }[]
  credits?: { name?: string; type?: string; contact?: string[] }[]
  database_specific?: Record<string, unknown>
}

export interface OsvSeverity {
  type?: string
  score?: string
}

export interface OsvAffected {
  package?: { ecosystem?: string; name?: string; purl?: string }
  severity?: OsvSeverity[]
  ranges?: OsvRange[]
  versions?: string[]
}

export type OsvEvent = Partial<Record<'introduced' | 'fixed' | 'last_affected' | 'limit', string>>

export interface OsvRange {
  type?: string
  repo?: string
  events?: OsvEvent[]
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
