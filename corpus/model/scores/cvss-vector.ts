/** Base scores of CVSS vectors, for sources that state only the vector (rule 29). */
import calculator from 'ae-cvss-calculator'
import type { CvssClaim } from '../claim.ts'

/** For each version: the prefix of its vectors, its metrics, and the calculator for FIRST's specification. */
const VERSIONS: readonly {
  version: CvssClaim['version']
  prefix: string
  metrics: readonly string[]
  /** Threat metrics, called temporal before 4.0. They are optional. */
  threat: readonly string[]
  score(vector: string): number
}[] = [
  {
    version: '4.0',
    prefix: 'CVSS:4.0/',
    metrics: ['AV', 'AC', 'AT', 'PR', 'UI', 'VC', 'VI', 'VA', 'SC', 'SI', 'SA'],
    threat: ['E'],
    score: (vector) => new calculator.Cvss4P0(vector).calculateScores().overall,
  },
  {
    version: '3.1',
    prefix: 'CVSS:3.1/',
    metrics: ['AV', 'AC', 'PR', 'UI', 'S', 'C', 'I', 'A'],
    threat: ['E', 'RL', 'RC'],
    score: (vector) => new calculator.Cvss3P1(vector).calculateScores().overall,
  },
  {
    version: '3.0',
    prefix: 'CVSS:3.0/',
    metrics: ['AV', 'AC', 'PR', 'UI', 'S', 'C', 'I', 'A'],
    threat: ['E', 'RL', 'RC'],
    score: (vector) => new calculator.Cvss3P0(vector).calculateScores().overall,
  },
  // Vectors of 2.0 do not name their version (CVSS 2.0 section 2.4).
  {
    version: '2.0',
    prefix: '',
    metrics: ['AV', 'AC', 'Au', 'C', 'I', 'A'],
    threat: ['E', 'RL', 'RC'],
    score: (vector) => new calculator.Cvss2(vector).calculateScores().overall,
  },
]

/**
 * Returns the version and base score, 0 to 10, of a vector. Ignores threat and environmental metrics. Returns null for
 * an invalid vector: a base metric is missing, repeated or has an unknown value.
 */
export const baseScore = rememberedScore(() => [])

/** Returns `baseScore` with the threat metrics of the vector: the score that a publisher of such a vector shows. */
export const threatScore = rememberedScore(({ threat }) => threat)

/**
 * Returns a vector in the form of its specification, for a vector that is whole but misspelled: lower case, a slash at
 * an end, doubled separators, blanks, brackets (2.0), or no prefix. `version` is that of the field that has it.
 */
export function canonicalVector(stated: string, version: CvssClaim['version']): string {
  const plain = stated
    .replace(/\s+/g, '')
    .replace(/^\(|\)$/g, '')
    .replace(/:{2,}/g, ':')
    .replace(/\/{2,}/g, '/')
    .replace(/^\/|\/$/g, '')
    .toUpperCase()
  if (version === '2.0') return plain.replace(/^CVSS(?:2#|:2\.0\/)/, '').replace(/(^|\/)AU:/, '$1Au:')
  return plain.startsWith('CVSS:') ? plain : `CVSS:${version}/${plain}`
}

export interface VectorScore {
  version: CvssClaim['version']
  score: number
}

/** A few thousand vectors cover most CVEs, so more entries than this are not useful. */
const REMEMBERED = 10_000

type Version = (typeof VERSIONS)[number]

function rememberedScore(optional: (version: Version) => readonly string[]): (vector: string) => VectorScore | null {
  const remembered = new Map<string, VectorScore | null>()
  return (vector) => {
    const known = remembered.get(vector)
    if (known !== undefined) return known
    const scored = scoreOf(vector, optional)
    if (remembered.size >= REMEMBERED) remembered.clear()
    remembered.set(vector, scored)
    return scored
  }
}

function scoreOf(vector: string, optional: (version: Version) => readonly string[]): VectorScore | null {
  const found = VERSIONS.find((one) => vector.startsWith(one.prefix))!
  const { version, prefix, metrics, score } = found
  const known = [...metrics, ...optional(found)]
  const nameOf = (part: string) => part.slice(0, part.indexOf(':'))
  const stated = vector.slice(prefix.length).split('/')
  const counted = stated.filter((part) => known.includes(nameOf(part)))
  const names = new Set(counted.map(nameOf))
  // The calculator ignores such a part, and would score the rest.
  if (counted.some((part) => part.split(':').length !== 2)) return null
  if (names.size !== counted.length || !metrics.every((metric) => names.has(metric))) return null
  try {
    return { version, score: score(prefix + counted.join('/')) }
  } catch {
    // The calculator throws for an unknown value of a metric.
    return null
  }
}
