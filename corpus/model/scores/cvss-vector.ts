/** Base scores of CVSS vectors, for sources that state only the vector (rule 29). */
import calculator from 'ae-cvss-calculator'
import type { CvssClaim } from '../claim.ts'

/** For each version: the prefix of its vectors, its base metrics, and the calculator for FIRST's specification. */
const VERSIONS: readonly {
  version: CvssClaim['version']
  prefix: string
  metrics: readonly string[]
  score(vector: string): number
}[] = [
  {
    version: '4.0',
    prefix: 'CVSS:4.0/',
    metrics: ['AV', 'AC', 'AT', 'PR', 'UI', 'VC', 'VI', 'VA', 'SC', 'SI', 'SA'],
    score: (vector) => new calculator.Cvss4P0(vector).calculateScores().overall,
  },
  {
    version: '3.1',
    prefix: 'CVSS:3.1/',
    metrics: ['AV', 'AC', 'PR', 'UI', 'S', 'C', 'I', 'A'],
    score: (vector) => new calculator.Cvss3P1(vector).calculateScores().overall,
  },
  {
    version: '3.0',
    prefix: 'CVSS:3.0/',
    metrics: ['AV', 'AC', 'PR', 'UI', 'S', 'C', 'I', 'A'],
    score: (vector) => new calculator.Cvss3P0(vector).calculateScores().overall,
  },
  // Vectors of 2.0 do not name their version (CVSS 2.0 section 2.4).
  {
    version: '2.0',
    prefix: '',
    metrics: ['AV', 'AC', 'Au', 'C', 'I', 'A'],
    score: (vector) => new calculator.Cvss2(vector).calculateScores().overall,
  },
]

/**
 * Returns the version and base score, 0 to 10, of a vector. Ignores threat and environmental metrics. Returns null for
 * an invalid vector: a base metric is missing, repeated or has an unknown value.
 */
export function baseScore(vector: string): VectorScore | null {
  const known = remembered.get(vector)
  if (known !== undefined) return known
  const scored = scoreOf(vector)
  if (remembered.size >= REMEMBERED) remembered.clear()
  remembered.set(vector, scored)
  return scored
}

export interface VectorScore {
  version: CvssClaim['version']
  score: number
}

/** A few thousand vectors cover most CVEs, so more entries than this are not useful. */
const REMEMBERED = 10_000
const remembered = new Map<string, VectorScore | null>()

function scoreOf(vector: string): VectorScore | null {
  const { version, prefix, metrics, score } = VERSIONS.find((one) => vector.startsWith(one.prefix))!
  const stated = vector.slice(prefix.length).split('/')
  const base = stated.filter((part) => metrics.includes(part.slice(0, part.indexOf(':'))))
  if (new Set(base.map((part) => part.slice(0, part.indexOf(':')))).size !== metrics.length) return null
  if (base.length !== metrics.length) return null
  try {
    return { version, score: score(prefix + base.join('/')) }
  } catch {
    // The calculator throws for an unknown value of a metric.
    return null
  }
}
