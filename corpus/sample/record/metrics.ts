/** The `metrics` of a container: CVSS in the source's versions, and CISA's SSVC and KEV. */
import { dateOf, timeOf } from '../calendar.ts'
import { scoredVectors } from '../distribution.ts'
import { DATABASE_SCORINGS, SCORINGS, SSVC, SSVC_ACTIVE } from '../figures.ts'
import type { Random } from '../random.ts'
import { CVSS2_VECTORS, CVSS3_VECTORS, CVSS4_VECTORS } from '../vectors.ts'
import type { Facts } from '../world.ts'

export type Metric = Record<string, unknown>

const VECTORS = {
  '2.0': scoredVectors(CVSS2_VECTORS),
  '3': scoredVectors(CVSS3_VECTORS),
  '4.0': scoredVectors(CVSS4_VECTORS),
}

export function cnaMetrics(facts: Facts, random: Random): Metric[] {
  const scorings = facts.cna.kind === 'database' ? DATABASE_SCORINGS : SCORINGS
  // One random number for all versions, so that a high 3.1 score comes with a high 4.0 score.
  const even = random.float()
  return scorings(random.float()).map((one): Metric => {
    if (one === 'other')
      return {
        other: { type: 'House rating', content: { text: random.pick(['Low', 'Moderate', 'Important', 'Critical']) } },
      }
    if (one === 'joint') return { format: 'CVSS', cvssV3_1: cvss('3.1', even), cvssV4_0: cvss('4.0', even) }
    if (one === '2.0') return { cvssV2_0: cvss('2.0', even) }
    if (one === '4.0') return { cvssV4_0: cvss('4.0', even) }
    return {
      format: 'CVSS',
      [one === '3.0' ? 'cvssV3_0' : 'cvssV3_1']: cvss(one, even),
      scenarios: [{ lang: 'en', value: 'GENERAL' }],
    }
  })
}

/** Returns a CVSS object: three common members, and the vector's metrics that upstream's converter adds. */
export function cvss(version: '2.0' | '3.0' | '3.1' | '4.0', even: number): Metric {
  const { vector, score } = VECTORS[version === '3.0' || version === '3.1' ? '3' : version](even)
  const prefixed = version === '2.0' ? vector : `CVSS:${version}/${vector}`
  const rated = version === '2.0' ? {} : { baseSeverity: severity(score) }
  return { version, baseScore: score, ...rated, vectorString: prefixed, ...(version[0] === '3' ? spelled(vector) : {}) }
}

function severity(score: number): string {
  return score === 0 ? 'NONE' : score < 4 ? 'LOW' : score < 7 ? 'MEDIUM' : score < 9 ? 'HIGH' : 'CRITICAL'
}

const LEVELS: Record<string, string> = { N: 'NONE', L: 'LOW', H: 'HIGH' }
const REACHES: Record<string, string> = { N: 'NETWORK', A: 'ADJACENT_NETWORK', L: 'LOCAL', P: 'PHYSICAL' }
const METRIC_NAMES: readonly (readonly [letters: string, name: string, values: Record<string, string>])[] = [
  ['AV', 'attackVector', REACHES],
  ['AC', 'attackComplexity', LEVELS],
  ['PR', 'privilegesRequired', LEVELS],
  ['UI', 'userInteraction', { N: 'NONE', R: 'REQUIRED' }],
  ['S', 'scope', { U: 'UNCHANGED', C: 'CHANGED' }],
  ['C', 'confidentialityImpact', LEVELS],
  ['I', 'integrityImpact', LEVELS],
  ['A', 'availabilityImpact', LEVELS],
]

function spelled(vector: string): Record<string, string> {
  const letters = new Map(vector.split('/').map((part) => part.split(':') as [string, string]))
  return Object.fromEntries(METRIC_NAMES.map(([key, name, values]) => [name, values[letters.get(key)!]!]))
}

/** Returns CISA's assessment. A few have capital letters, as upstream's do. */
export function ssvcMetric(facts: Facts, listed: boolean, at: number, random: Random): Metric {
  const [exploitation, automatable, impact] = (listed ? SSVC_ACTIVE : SSVC)(random.float())
  const spell = random.chance(0.02) ? (word: string) => word[0]!.toUpperCase() + word.slice(1) : (word: string) => word
  return {
    other: {
      type: 'ssvc',
      content: {
        id: facts.id,
        role: 'CISA Coordinator',
        options: [
          { Exploitation: spell(exploitation) },
          { Automatable: spell(automatable) },
          { 'Technical Impact': spell(impact) },
        ],
        version: '2.0.3',
        timestamp: timeOf(at).replace('Z', '000Z'),
      },
    },
  }
}

export function kevMetric(facts: Facts): Metric {
  return {
    other: {
      type: 'kev',
      content: {
        dateAdded: dateOf(facts.kevAddedAt!),
        reference: `https://catalogue.example.gov/known-exploited?search=${facts.id}`,
      },
    },
  }
}
