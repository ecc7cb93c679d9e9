/** Changes of records after the first night: one record in a hundred changes, and a few enter KEV. */
import { Random } from './random.ts'

export type ChangeKind =
  | 'reference'
  | 'fix'
  | 'assessment'
  | 'score'
  | 'title'
  | 'description'
  | 'rejected'
  | 'revived'
  | 'disclosed'
  | 'kev'

export interface Change {
  /** 1 is the night after the first. */
  night: number
  kind: ChangeKind
}

/** The kinds of changes in turn, so that a small sample has them all. One record in a hundred changes each night. */
const ROUND: readonly ChangeKind[] = [
  'reference',
  'fix',
  'assessment',
  'score',
  'title',
  'rejected',
  'revived',
  'disclosed',
  'reference',
  'fix',
  'assessment',
  'score',
  'description',
  'reference',
  'fix',
  'assessment',
  'reference',
  'fix',
  'title',
  'reference',
]
const STRATUM = 100
/** Coprime to the stratum size, so that a record that changes in one night does not change in the next 99. */
const STEP = 7

/** Returns the change of a record, or null. A record changes at most once in up to 100 nights. */
export function changeAt(seed: number, index: number, nights: number): Change | null {
  const stratum = Math.floor(index / STRATUM)
  const first = new Random(seed, stratum, 'change').int(STRATUM)
  for (let night = 1; night < nights; night++) {
    if (index % STRATUM !== (first + (night - 1) * STEP) % STRATUM) continue
    return { night, kind: ROUND[(stratum + night - 1) % ROUND.length]! }
  }
  return null
}

/** New entries of KEV per night. */
const KEV_ADDITIONS = 3

/** Returns the night for each record that enters KEV after the first night, by index. */
export function kevNights(seed: number, cves: number, nights: number): Map<number, number> {
  const found = new Map<number, number>()
  for (let night = 1; night < nights; night++) {
    const random = new Random(seed, night, 'kev')
    for (let i = 0; i < KEV_ADDITIONS; i++) {
      // Choose from the newer half of the ids.
      const index = Math.floor(cves / 2) + random.int(Math.ceil(cves / 2))
      if (!found.has(index)) found.set(index, night)
    }
  }
  return found
}
