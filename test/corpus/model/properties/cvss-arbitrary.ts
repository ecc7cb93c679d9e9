/** CVSS vectors of every version, generated from the tables of FIRST's specifications, and metrics with them. */
import fc from 'fast-check'
import type { CveClaim, CvssClaim } from '../../../../corpus/model/claim.ts'
import { severityOf } from '../../../../corpus/model/scores/cvss.ts'
import { baseScore } from '../../../../corpus/model/scores/cvss-vector.ts'
import { shape } from './property.ts'

export type Version = CvssClaim['version']
type Metrics = Readonly<Record<string, readonly string[]>>

const OF_3: Metrics = {
  AV: ['N', 'A', 'L', 'P'],
  AC: ['L', 'H'],
  PR: ['N', 'L', 'H'],
  UI: ['N', 'R'],
  S: ['U', 'C'],
  C: ['N', 'L', 'H'],
  I: ['N', 'L', 'H'],
  A: ['N', 'L', 'H'],
}
const IMPACT_4 = ['H', 'L', 'N']

/** Base metrics and their values (CVSS 2.0 section 2.4, 3.0 and 3.1 section 6, 4.0 section 7). */
export const BASE: Record<Version, Metrics> = {
  '2.0': {
    AV: ['L', 'A', 'N'],
    AC: ['H', 'M', 'L'],
    Au: ['M', 'S', 'N'],
    C: ['N', 'P', 'C'],
    I: ['N', 'P', 'C'],
    A: ['N', 'P', 'C'],
  },
  '3.0': OF_3,
  '3.1': OF_3,
  '4.0': {
    AV: ['N', 'A', 'L', 'P'],
    AC: ['L', 'H'],
    AT: ['N', 'P'],
    PR: ['N', 'L', 'H'],
    UI: ['N', 'P', 'A'],
    ...Object.fromEntries(['VC', 'VI', 'VA', 'SC', 'SI', 'SA'].map((name) => [name, IMPACT_4])),
  },
}

const MORE_3: Metrics = {
  E: ['X', 'U', 'P', 'F', 'H'],
  RL: ['X', 'O', 'T', 'W', 'U'],
  RC: ['X', 'U', 'R', 'C'],
  CR: ['X', 'L', 'M', 'H'],
  MAV: ['X', 'N', 'A', 'L', 'P'],
  MPR: ['X', 'N', 'L', 'H'],
  MS: ['X', 'U', 'C'],
  MA: ['X', 'N', 'L', 'H'],
}

/** Temporal or threat, environmental and supplemental metrics: they do not change a base score (rule 29). */
export const BEYOND_BASE: Record<Version, Metrics> = {
  '2.0': {
    E: ['U', 'POC', 'F', 'H', 'ND'],
    RL: ['OF', 'TF', 'W', 'U', 'ND'],
    RC: ['UC', 'UR', 'C', 'ND'],
    CDP: ['N', 'L', 'LM', 'MH', 'H', 'ND'],
    TD: ['N', 'L', 'M', 'H', 'ND'],
    CR: ['L', 'M', 'H', 'ND'],
  },
  '3.0': MORE_3,
  '3.1': MORE_3,
  '4.0': {
    E: ['X', 'A', 'P', 'U'],
    CR: ['X', 'H', 'M', 'L'],
    MAV: ['X', 'N', 'A', 'L', 'P'],
    MVC: ['X', 'H', 'L', 'N'],
    MSI: ['X', 'S', 'H', 'L', 'N'],
    S: ['X', 'N', 'P'],
    AU: ['X', 'N', 'Y'],
    U: ['X', 'Clear', 'Green', 'Amber', 'Red'],
  },
}

export const anyVersion = fc.constantFrom<Version>('2.0', '3.0', '3.1', '4.0')

/** Returns one value of each metric, in vector notation. */
const parts = (metrics: Metrics): fc.Arbitrary<string[]> =>
  fc.tuple(
    ...Object.entries(metrics).map(([name, values]) => fc.constantFrom(...values).map((value) => `${name}:${value}`)),
  )

export interface VectorParts {
  version: Version
  base: string[]
  beyond: string[]
}

/** The base metrics of a vector in their order, and some others. */
export const vectorParts: fc.Arbitrary<VectorParts> = anyVersion.chain((version) =>
  shape({
    version: fc.constant(version),
    base: parts(BASE[version]),
    beyond: parts(BEYOND_BASE[version]).chain((all) => fc.subarray(all)),
  }),
)

export function vectorOf(version: Version, metrics: readonly string[]): string {
  return (version === '2.0' ? '' : `CVSS:${version}/`) + metrics.join('/')
}

const tenths = fc.integer({ min: 0, max: 100 }).map((score) => score / 10)

/** Returns metrics with a valid vector; a third of them have a score that differs from the vector's. */
export function cvssClaim(source: CveClaim['source'], time: fc.Arbitrary<string>): fc.Arbitrary<CvssClaim> {
  return shape({
    vector: fc.oneof(
      vectorParts,
      // Some vectors that several sources give.
      fc.constantFrom<VectorParts>(
        { version: '3.1', base: ['AV:N', 'AC:L', 'PR:N', 'UI:N', 'S:U', 'C:H', 'I:H', 'A:H'], beyond: [] },
        { version: '2.0', base: ['AV:N', 'AC:L', 'Au:N', 'C:N', 'I:N', 'A:N'], beyond: [] },
      ),
    ),
    other: fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: tenths }),
    statedAt: fc.option(time, { nil: null }),
    // Only NVD has scores of others (rule 29).
    scoredBy:
      source === 'nvd' ? fc.option(fc.constantFrom('acme', 'someone@example.org'), { nil: null }) : fc.constant(null),
  }).map(({ vector: { version, base, beyond }, other, statedAt, scoredBy }) => {
    const vector = vectorOf(version, [...base, ...beyond])
    const score = other ?? baseScore(vector)!.score
    const baseSeverity = severityOf(score, version).toUpperCase()
    return { version, baseScore: score, baseSeverity, vector, statedAt, scoredBy }
  })
}
