/** SSVC: the three points that CISA publishes, and the decision of its coordinator table (rule 20). */
import type { CveClaim } from '../claim.ts'
import type { Ssvc } from '../record.ts'
import { independentFirst } from '../sources.ts'

/** The operator's setting for mission and well-being. */
export type Mission = 'low' | 'medium' | 'high'

type Decision = NonNullable<Ssvc['decision']>
type Row = readonly [low: Decision, medium: Decision, high: Decision]

const COLUMN: Record<Mission, 0 | 1 | 2> = { low: 0, medium: 1, high: 2 }

/** CISA coordinator 2.0.3 (CERTCC/SSVC data/csv/cisa/cisa_coordinator_2_0_3.csv): exploitation, automatable, impact. */
const DECISIONS: Record<string, Row> = {
  'none no partial': ['track', 'track', 'track'],
  'none no total': ['track', 'track', 'track*'],
  'none yes partial': ['track', 'track', 'attend'],
  'none yes total': ['track', 'track', 'attend'],
  'poc no partial': ['track', 'track', 'track*'],
  'poc no total': ['track', 'track*', 'attend'],
  'poc yes partial': ['track', 'track', 'attend'],
  'poc yes total': ['track', 'track*', 'attend'],
  'active no partial': ['track', 'track', 'attend'],
  'active no total': ['track', 'attend', 'act'],
  'active yes partial': ['attend', 'attend', 'act'],
  'active yes total': ['attend', 'act', 'act'],
}

type Points = Omit<Ssvc, 'decision'>

/** Returns the decision for three points, or null if one is missing. */
export function ssvcDecision(points: Points, mission: Mission): Decision | null {
  const row = DECISIONS[`${points.exploitation} ${points.automatable} ${points.technical_impact}`]
  return row?.[COLUMN[mission]] ?? null
}

/** Returns the newest assessment of an ADP; that of a supplier only if there is no other. Ties keep the first one. */
export function latestSsvc(claims: readonly CveClaim[]): CveClaim['ssvc'] {
  let latest: CveClaim['ssvc'] = null
  for (const { ssvc } of independentFirst(claims.filter(({ source, ssvc }) => source === 'adp' && ssvc !== null))) {
    if (!ssvc) continue
    if (!latest || (ssvc.assessedAt ?? '') > (latest.assessedAt ?? '')) latest = ssvc
  }
  return latest
}

export function ssvcOf(assessment: CveClaim['ssvc'], mission: Mission): Ssvc {
  const points: Points = {
    exploitation: assessment?.exploitation ?? null,
    automatable: assessment?.automatable ?? null,
    technical_impact: assessment?.technical_impact ?? null,
  }
  return { ...points, decision: ssvcDecision(points, mission) }
}
