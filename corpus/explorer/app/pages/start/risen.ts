/** The rows of the list of rising scores: the first page of `/cves?sort=-epss_change`. */
import type { CveRow } from '../../data/answers.ts'

/** Rows that are shown. */
export const MOST = 8

/** The fields of a row. */
export const FIELDS = ['title', 'severity', 'kev', 'epss', 'epss_change'] as const satisfies readonly (keyof CveRow)[]

export interface Risen {
  /** Whether the change of any score is known. */
  isKnown: boolean
  /** The CVEs whose score rose. `change` is above 0. */
  risen: (CveRow & { change: number })[]
}

/** `rows` are in the order of the API: the largest rise first, those without a known change last. */
export function risenOf(rows: readonly CveRow[]): Risen {
  const known = rows.flatMap((row) => (typeof row.epss_change === 'number' ? { ...row, change: row.epss_change } : []))
  return { isKnown: known.length > 0, risen: known.filter(({ change }) => change > 0) }
}
