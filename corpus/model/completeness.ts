/** How complete a CNA's records are, and the grade that follows (rule 25; the weights are RogoLabs' rules.json). */
import type { CveClaim } from './claim.ts'
import { hasTag } from './references.ts'

export type Grade = 'A' | 'B' | 'C' | 'D' | 'F'

/** What earns how many of 100 points; the foundation is all or nothing. */
const POINTS: readonly (readonly [points: number, what: string, given: (cna: CveClaim) => boolean])[] = [
  [
    50,
    'description, affected and references',
    (cna) => cna.description !== null && cna.affected.length > 0 && cna.references.length > 0,
  ],
  [15, 'CWE', (cna) => cna.weaknesses.length > 0],
  [15, 'CVSS 3 or 4', (cna) => cna.metrics.some((metric) => metric.version !== '2.0')],
  [10, 'CPE', (cna) => cna.affected.some((entry) => entry.cpes !== null)],
  [10, 'patch reference', (cna) => cna.references.some(({ tags }) => hasTag(tags, 'patch'))],
]

/** What a CNA's claim can earn points for, and whether it gives that. */
export function completenessPoints(cna: CveClaim): { what: string; points: number; given: boolean }[] {
  return POINTS.map(([points, what, given]) => ({ what, points, given: given(cna) }))
}

/** 0 to 100 for the CNA's claim of a record. */
export function completenessOf(cna: CveClaim): number {
  return POINTS.reduce((sum, [points, , given]) => sum + (given(cna) ? points : 0), 0)
}

/** Lowest score of each grade; the letters are our own choice (rule 25). */
const GRADES: readonly (readonly [lowest: number, grade: Grade])[] = [
  [80, 'A'],
  [60, 'B'],
  [40, 'C'],
  [20, 'D'],
]

/** The grade of a mean score. */
export function gradeOf(score: number): Grade {
  return GRADES.find(([lowest]) => score >= lowest)?.[1] ?? 'F'
}
