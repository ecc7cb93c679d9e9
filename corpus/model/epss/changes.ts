/** How the EPSS scores changed over some days: RULES.md, rule 34. */
import { advance, BLOCK_IDS, emptyState, NO_VALUE, readEditions } from './history.ts'

/** An edition that was read. */
export interface Edition {
  /** `YYYY-MM-DD`. */
  date: string
  model: string
  /** Number of scores in its file. */
  scores: number
}

/** The days over which a change is known. */
export const CHANGE_DAYS = [7, 30] as const
export type ChangeDays = (typeof CHANGE_DAYS)[number]
export const DEFAULT_CHANGE_DAYS = 30 satisfies ChangeDays

export const byDays = <T>(make: (days: ChangeDays) => T): Record<ChangeDays, T> => ({ 7: make(7), 30: make(30) })

/** An older edition than this is not compared, so that "30 days" means at most 37. */
const DAYS_LATE = 7
const DAY = 86_400_000

/**
 * Returns the date of the edition that the scores of `date` are compared with: the newest one at least `days` older, if
 * it has the same model. Null if there is none. `editions` are oldest first.
 */
export function changeBase(
  editions: readonly Edition[],
  { date, model }: Pick<Edition, 'date' | 'model'>,
  days: ChangeDays,
): string | null {
  const daysBefore = (edition: Edition) => (Date.parse(date) - Date.parse(edition.date)) / DAY
  const base = editions.findLast((edition) => daysBefore(edition) >= days)
  return base && base.model === model && daysBefore(base) <= days + DAYS_LATE ? base.date : null
}

/** Marks that a change is not known. */
export const NO_CHANGE = 0xffffffff
/** Added to a change in billionths, so that all are positive. */
export const ZERO_CHANGE = 1_000_000_000

/**
 * Returns the scores of the ids of a block on each date, in billionths or `NO_VALUE`. Null if one of `texts` is no text of
 * `editionText`s.
 */
export function scoresOn(texts: readonly string[], dates: readonly (string | null)[]): Uint32Array[] | null {
  const state = emptyState()
  const found = dates.map(() => new Uint32Array(BLOCK_IDS).fill(NO_VALUE))
  for (const text of texts) {
    const editions = readEditions(text)
    if (editions === null) return null
    for (const edition of editions) {
      advance(state, edition)
      dates.forEach((date, i) => {
        if (date !== null && edition.date <= date) found[i]!.set(state.scores)
      })
    }
  }
  return found
}
