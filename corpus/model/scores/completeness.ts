/** Completeness of a CNA's records and the grade derived from it (rule 25; the weights are RogoLabs' rules.json). */
import type { CveClaim } from '../claim.ts'
import { hasTag } from '../references.ts'

export type Grade = 'A' | 'B' | 'C' | 'D' | 'F'

/** Points by criterion, 100 in total. The first criterion counts only if all of its parts are given. */
const POINTS: readonly (readonly [points: number, what: string, given: (cna: CveClaim) => boolean])[] = [
  [
    50,
    'description, affected and references',
    (cna) => cna.description !== null && cna.affected.length > 0 && cna.references.length > 0,
  ],
  [15, 'CWE', (cna) => cna.weaknesses.length > 0],
  [15, 'CVSS 3 or 4', (cna) => cna.metrics.some(({ version, vector }) => version !== '2.0' && vector !== '')],
  [10, 'CPE', (cna) => cna.affected.some((entry) => entry.cpes !== null)],
  [10, 'patch reference', (cna) => cna.references.some(({ tags }) => hasTag(tags, 'patch'))],
]

/** Returns each criterion with its points and whether the CNA's claim meets it. */
export function completenessPoints(cna: CveClaim): { what: string; points: number; given: boolean }[] {
  return POINTS.map(([points, what, given]) => ({ what, points, given: given(cna) }))
}

/** Returns the completeness of the CNA's claim, 0 to 100. */
export function completenessOf(cna: CveClaim): number {
  return POINTS.reduce((sum, [points, , given]) => sum + (given(cna) ? points : 0), 0)
}

/** Lowest score of each grade. The letters are this project's choice (rule 25). */
const GRADES: readonly (readonly [lowest: number, grade: Grade])[] = [
  [80, 'A'],
  [60, 'B'],
  [40, 'C'],
  [20, 'D'],
]

/** Returns the grade of a mean score. */
export function gradeOf(score: number): Grade {
  return GRADES.find(([lowest]) => score >= lowest)?.[1] ?? 'F'
}
