/** Decodes CVSS vectors: metrics and values by their names in the specifications of FIRST. */

/** Values by their letters. */
type Values = Readonly<Record<string, string>>

interface Metric {
  /** The letters in the vector, such as `AV`. */
  key: string
  name: string
  values: Values
}

interface Group {
  name: string
  metrics: readonly Metric[]
}

const metric = (key: string, name: string, values: Values): Metric => ({ key, name, values })

/** A modified metric has the values of the base metric, and Not Defined. */
const modified = (metrics: readonly Metric[], more: Readonly<Record<string, Values>> = {}): Metric[] =>
  metrics.map(({ key, name, values }) =>
    metric(`M${key}`, `Modified ${name}`, { ...NOT_DEFINED, ...values, ...more[key] }),
  )

const NOT_DEFINED = { X: 'Not Defined' }
const HIGH_LOW_NONE = { H: 'High', L: 'Low', N: 'None' }
const REQUIREMENT = { ...NOT_DEFINED, H: 'High', M: 'Medium', L: 'Low' }

const requirements = (values: Values): Metric[] => [
  metric('CR', 'Confidentiality Requirement', values),
  metric('IR', 'Integrity Requirement', values),
  metric('AR', 'Availability Requirement', values),
]

/** A Complete Guide to CVSS 2.0, section 2. */
const V2: readonly Group[] = [
  {
    name: 'Base',
    metrics: [
      metric('AV', 'Access Vector', { L: 'Local', A: 'Adjacent Network', N: 'Network' }),
      metric('AC', 'Access Complexity', { H: 'High', M: 'Medium', L: 'Low' }),
      metric('Au', 'Authentication', { M: 'Multiple', S: 'Single', N: 'None' }),
      metric('C', 'Confidentiality Impact', { N: 'None', P: 'Partial', C: 'Complete' }),
      metric('I', 'Integrity Impact', { N: 'None', P: 'Partial', C: 'Complete' }),
      metric('A', 'Availability Impact', { N: 'None', P: 'Partial', C: 'Complete' }),
    ],
  },
  {
    name: 'Temporal',
    metrics: [
      metric('E', 'Exploitability', {
        ND: 'Not Defined',
        U: 'Unproven',
        POC: 'Proof-of-Concept',
        F: 'Functional',
        H: 'High',
      }),
      metric('RL', 'Remediation Level', {
        ND: 'Not Defined',
        OF: 'Official Fix',
        TF: 'Temporary Fix',
        W: 'Workaround',
        U: 'Unavailable',
      }),
      metric('RC', 'Report Confidence', {
        ND: 'Not Defined',
        UC: 'Unconfirmed',
        UR: 'Uncorroborated',
        C: 'Confirmed',
      }),
    ],
  },
  {
    name: 'Environmental',
    metrics: [
      metric('CDP', 'Collateral Damage Potential', {
        ND: 'Not Defined',
        N: 'None',
        L: 'Low',
        LM: 'Low-Medium',
        MH: 'Medium-High',
        H: 'High',
      }),
      metric('TD', 'Target Distribution', { ND: 'Not Defined', N: 'None', L: 'Low', M: 'Medium', H: 'High' }),
      ...requirements({ ND: 'Not Defined', L: 'Low', M: 'Medium', H: 'High' }),
    ],
  },
]

const V3_BASE: readonly Metric[] = [
  metric('AV', 'Attack Vector', { N: 'Network', A: 'Adjacent', L: 'Local', P: 'Physical' }),
  metric('AC', 'Attack Complexity', { L: 'Low', H: 'High' }),
  metric('PR', 'Privileges Required', { N: 'None', L: 'Low', H: 'High' }),
  metric('UI', 'User Interaction', { N: 'None', R: 'Required' }),
  metric('S', 'Scope', { U: 'Unchanged', C: 'Changed' }),
  metric('C', 'Confidentiality', HIGH_LOW_NONE),
  metric('I', 'Integrity', HIGH_LOW_NONE),
  metric('A', 'Availability', HIGH_LOW_NONE),
]

/** CVSS 3.1 Specification, sections 2 to 4. Version 3.0 has the same metrics and values. */
const V3: readonly Group[] = [
  { name: 'Base', metrics: V3_BASE },
  {
    name: 'Temporal',
    metrics: [
      metric('E', 'Exploit Code Maturity', {
        ...NOT_DEFINED,
        H: 'High',
        F: 'Functional',
        P: 'Proof-of-Concept',
        U: 'Unproven',
      }),
      metric('RL', 'Remediation Level', {
        ...NOT_DEFINED,
        U: 'Unavailable',
        W: 'Workaround',
        T: 'Temporary Fix',
        O: 'Official Fix',
      }),
      metric('RC', 'Report Confidence', { ...NOT_DEFINED, C: 'Confirmed', R: 'Reasonable', U: 'Unknown' }),
    ],
  },
  { name: 'Environmental', metrics: [...requirements(REQUIREMENT), ...modified(V3_BASE)] },
]

const V4_BASE: readonly Metric[] = [
  metric('AV', 'Attack Vector', { N: 'Network', A: 'Adjacent', L: 'Local', P: 'Physical' }),
  metric('AC', 'Attack Complexity', { L: 'Low', H: 'High' }),
  metric('AT', 'Attack Requirements', { N: 'None', P: 'Present' }),
  metric('PR', 'Privileges Required', { N: 'None', L: 'Low', H: 'High' }),
  metric('UI', 'User Interaction', { N: 'None', P: 'Passive', A: 'Active' }),
  metric('VC', 'Vulnerable System Confidentiality', HIGH_LOW_NONE),
  metric('VI', 'Vulnerable System Integrity', HIGH_LOW_NONE),
  metric('VA', 'Vulnerable System Availability', HIGH_LOW_NONE),
  metric('SC', 'Subsequent System Confidentiality', HIGH_LOW_NONE),
  metric('SI', 'Subsequent System Integrity', HIGH_LOW_NONE),
  metric('SA', 'Subsequent System Availability', HIGH_LOW_NONE),
]

/** CVSS 4.0 Specification, sections 2 to 5. In the subsequent system, None is called Negligible once modified (4.2). */
const V4: readonly Group[] = [
  { name: 'Base', metrics: V4_BASE },
  {
    name: 'Threat',
    metrics: [
      metric('E', 'Exploit Maturity', { ...NOT_DEFINED, A: 'Attacked', P: 'Proof-of-Concept', U: 'Unreported' }),
    ],
  },
  {
    name: 'Environmental',
    metrics: [
      ...requirements(REQUIREMENT),
      ...modified(V4_BASE, {
        SC: { N: 'Negligible' },
        SI: { N: 'Negligible', S: 'Safety' },
        SA: { N: 'Negligible', S: 'Safety' },
      }),
    ],
  },
  {
    name: 'Supplemental',
    metrics: [
      metric('S', 'Safety', { ...NOT_DEFINED, N: 'Negligible', P: 'Present' }),
      metric('AU', 'Automatable', { ...NOT_DEFINED, N: 'No', Y: 'Yes' }),
      metric('R', 'Recovery', { ...NOT_DEFINED, A: 'Automatic', U: 'User', I: 'Irrecoverable' }),
      metric('V', 'Value Density', { ...NOT_DEFINED, D: 'Diffuse', C: 'Concentrated' }),
      metric('RE', 'Vulnerability Response Effort', { ...NOT_DEFINED, L: 'Low', M: 'Moderate', H: 'High' }),
      metric('U', 'Provider Urgency', { ...NOT_DEFINED, Red: 'Red', Amber: 'Amber', Green: 'Green', Clear: 'Clear' }),
    ],
  },
]

const VERSIONS: Readonly<Record<string, readonly Group[]>> = { '2.0': V2, '3.0': V3, '3.1': V3, '4.0': V4 }

export interface DecodedMetric {
  /** `Base`, `Temporal`, `Threat`, `Environmental` or `Supplemental`; null for an unknown metric. */
  group: string | null
  key: string
  letters: string
  /** Names of metric and value; null if the specification has none. */
  name: string | null
  value: string | null
}

const ownText = (values: Values, letters: string): string | null =>
  Object.hasOwn(values, letters) ? values[letters]! : null

/** Returns the metrics of a vector in its order. Nothing is left out: what is unknown has null names. */
export function decodeVector(vector: string, version: string): DecodedMetric[] {
  const groups = Object.hasOwn(VERSIONS, version) ? VERSIONS[version]! : []
  return vector
    .replace(/^CVSS:[^/]*\//, '')
    .replace(/^\((.*)\)$/, '$1')
    .split('/')
    .filter((part) => part !== '')
    .map((part) => {
      const [key = '', letters = ''] = part.split(/:(.*)/s)
      for (const { name: group, metrics } of groups) {
        const found = metrics.find((one) => one.key === key)
        if (found) return { group, key, letters, name: found.name, value: ownText(found.values, letters) }
      }
      return { group: null, key, letters, name: null, value: null }
    })
}

/** Whether a metric has a value. One that is not in the vector is Not Defined too, by the specifications. */
export const isDefined = ({ value }: DecodedMetric): boolean => value !== NOT_DEFINED.X
