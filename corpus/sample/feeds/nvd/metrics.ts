/** CVSS metrics in NVD's form: a key per version, the vector's metrics as separate fields, and subscores. */

import { cnaContainer } from '../../record/cna-container.ts'
import { cvss, type Metric } from '../../record/metrics.ts'
import type { Facts, World } from '../../world.ts'

export interface NvdMetric {
  source: string
  type: 'Primary' | 'Secondary'
  cvssData: Metric
  [other: string]: unknown
}

type NvdMetrics = Record<string, unknown[]>

const KEYS = { '4.0': 'cvssMetricV40', '3.1': 'cvssMetricV31', '3.0': 'cvssMetricV30', '2.0': 'cvssMetricV2' } as const

export function addMetric(metrics: NvdMetrics, cvss: Metric, source: string, type: NvdMetric['type']): void {
  const version = cvss.version as keyof typeof KEYS
  const list = metrics[KEYS[version]] ?? []
  list.push({ source, type, ...WRITTEN[version](cvss) })
  metrics[KEYS[version]] = list
}

const WRITTEN: Record<keyof typeof KEYS, (cvss: Metric) => Omit<NvdMetric, 'source' | 'type'>> = {
  '4.0': (cvss) => ({ cvssData: spelled(cvss, LETTERS_4) }),
  '3.1': written3,
  '3.0': written3,
  '2.0': (cvss) => ({
    cvssData: spelled(cvss, LETTERS_2),
    baseSeverity: severity2(Number(cvss.baseScore)),
    ...subscores2(lettersOf(cvss)),
    acInsufInfo: false,
    obtainAllPrivilege: false,
    obtainUserPrivilege: false,
    obtainOtherPrivilege: false,
    userInteractionRequired: false,
  }),
}

function written3(cvss: Metric): Omit<NvdMetric, 'source' | 'type'> {
  return { cvssData: cvss, ...subscores3(lettersOf(cvss)) }
}

/** Keys of metrics in the containers of the CNAs and CISA. */
const RECORD_KEYS = ['cvssV4_0', 'cvssV3_1', 'cvssV3_0', 'cvssV2_0'] as const

/** Returns the CVSS objects of a container's metrics. */
export function cvssOf(metrics: readonly Metric[]): Metric[] {
  return metrics.flatMap((metric) => RECORD_KEYS.map((key) => metric[key] as Metric | undefined)).filter(isStated)
}

function isStated(cvss: Metric | undefined): cvss is Metric {
  return cvss !== undefined
}

function lettersOf({ vectorString }: Metric): Map<string, string> {
  return new Map(
    String(vectorString)
      .split('/')
      .map((part) => part.split(':') as [string, string]),
  )
}

const LEVELS: Record<string, string> = { N: 'NONE', L: 'LOW', M: 'MEDIUM', H: 'HIGH', P: 'PARTIAL', C: 'COMPLETE' }
const REACHES: Record<string, string> = { N: 'NETWORK', A: 'ADJACENT_NETWORK', L: 'LOCAL', P: 'PHYSICAL' }
type Letters = readonly (readonly [letters: string, name: string, values: Record<string, string>])[]

const LETTERS_2: Letters = [
  ['AV', 'accessVector', REACHES],
  ['AC', 'accessComplexity', LEVELS],
  ['Au', 'authentication', { N: 'NONE', S: 'SINGLE', M: 'MULTIPLE' }],
  ['C', 'confidentialityImpact', LEVELS],
  ['I', 'integrityImpact', LEVELS],
  ['A', 'availabilityImpact', LEVELS],
]
const LETTERS_4: Letters = [
  ['AV', 'attackVector', { ...REACHES, A: 'ADJACENT' }],
  ['AC', 'attackComplexity', LEVELS],
  ['AT', 'attackRequirements', { N: 'NONE', P: 'PRESENT' }],
  ['PR', 'privilegesRequired', LEVELS],
  ['UI', 'userInteraction', { N: 'NONE', P: 'PASSIVE', A: 'ACTIVE' }],
  ['VC', 'vulnConfidentialityImpact', LEVELS],
  ['VI', 'vulnIntegrityImpact', LEVELS],
  ['VA', 'vulnAvailabilityImpact', LEVELS],
  ['SC', 'subConfidentialityImpact', LEVELS],
  ['SI', 'subIntegrityImpact', LEVELS],
  ['SA', 'subAvailabilityImpact', LEVELS],
]

function spelled(cvss: Metric, letters: Letters): Metric {
  const { version, vectorString, ...others } = cvss
  const stated = lettersOf(cvss)
  const names = letters.map(([key, name, values]) => [name, values[stated.get(key) ?? 'N']])
  return { version, vectorString, ...others, ...Object.fromEntries(names) }
}

function severity2(score: number): string {
  return score < 4 ? 'LOW' : score < 7 ? 'MEDIUM' : 'HIGH'
}

const tenths = (value: number) => Math.round(Math.max(0, value) * 10) / 10

type Weights = Record<string, Record<string, number>>

const WEIGHTS_3: Weights = {
  AV: { N: 0.85, A: 0.62, L: 0.55, P: 0.2 },
  AC: { L: 0.77, H: 0.44 },
  UI: { N: 0.85, R: 0.62 },
  PR: { N: 0.85, L: 0.62, H: 0.27 },
  /** Privileges required, with changed scope. */
  PRC: { N: 0.85, L: 0.68, H: 0.5 },
  CIA: { N: 0, L: 0.22, H: 0.56 },
}

/** Computes subscores by CVSS 3.1, section 7.1. */
function subscores3(letters: Map<string, string>): { exploitabilityScore: number; impactScore: number } {
  const weight = (table: string, key: string) => WEIGHTS_3[table]![letters.get(key)!]!
  const changed = letters.get('S') === 'C'
  const reach = weight('AV', 'AV') * weight('AC', 'AC') * weight(changed ? 'PRC' : 'PR', 'PR') * weight('UI', 'UI')
  const base = 1 - (1 - weight('CIA', 'C')) * (1 - weight('CIA', 'I')) * (1 - weight('CIA', 'A'))
  const impact = changed ? 7.52 * (base - 0.029) - 3.25 * (base - 0.02) ** 15 : 6.42 * base
  return { exploitabilityScore: tenths(8.22 * reach), impactScore: tenths(impact) }
}

const WEIGHTS_2: Weights = {
  AV: { L: 0.395, A: 0.646, N: 1 },
  AC: { H: 0.35, M: 0.61, L: 0.71 },
  Au: { M: 0.45, S: 0.56, N: 0.704 },
  CIA: { N: 0, P: 0.275, C: 0.66 },
}

/** Computes subscores by CVSS 2.0, section 3.2.1. */
function subscores2(letters: Map<string, string>): { exploitabilityScore: number; impactScore: number } {
  const weight = (table: string, key: string) => WEIGHTS_2[table]![letters.get(key)!]!
  const impact = 1 - (1 - weight('CIA', 'C')) * (1 - weight('CIA', 'I')) * (1 - weight('CIA', 'A'))
  const reach = 20 * weight('AV', 'AV') * weight('AC', 'AC') * weight('Au', 'Au')
  return { exploitabilityScore: tenths(reach), impactScore: tenths(10.41 * impact) }
}

/** Share of CVEs scored by both for which NVD has the CNA's vector. */
const AGREED_SHARE = 0.55

/** Returns the CVSS 3.1 base score by NVD: often the CNA's, otherwise a different one. */
export function nvdScore(world: World, facts: Facts, cna = cnaContainer(world, facts)): Metric {
  const random = world.random(facts.id, 'nvd-score')
  const stated = cna.metrics?.find((one) => one.cvssV3_1)?.cvssV3_1 as Metric | undefined
  const own = cvss('3.1', random.float())
  return stated && random.chance(AGREED_SHARE) ? stated : own
}
