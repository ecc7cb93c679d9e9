/** Reads `metrics[]` of a container: CVSS of every version, and CISA's SSVC and KEV in `other`. */

import type { CveClaim, RecordNote } from '../../model/claim.ts'
import { utcDate, utcTimestamp } from '../../model/values/date.ts'
import { isObject, type JsonObject, objects, text } from '../../model/values/json-value.ts'
import { shown } from '../json.ts'
import { addNote, readCvss } from '../statements.ts'

const CVSS_KEYS = [
  ['cvssV4_0', '4.0'],
  ['cvssV3_1', '3.1'],
  ['cvssV3_0', '3.0'],
  ['cvssV2_0', '2.0'],
] as const

export type MetricClaims = Pick<CveClaim, 'metrics' | 'ssvc' | 'kevDateAdded'>

export function readMetrics(metrics: unknown, notes: RecordNote[]): MetricClaims {
  const claims: MetricClaims = { metrics: [], ssvc: null, kevDateAdded: null }
  for (const metric of objects(metrics)) {
    for (const [key, version] of CVSS_KEYS) {
      const stated = metric[key]
      if (stated === undefined) continue
      const cvss = readCvss(stated, version, notes)
      if (cvss) claims.metrics.push(cvss)
    }
    if (isObject(metric.other)) readOther(metric.other, claims, notes)
  }
  return claims
}

function readOther(other: JsonObject, claims: MetricClaims, notes: RecordNote[]): void {
  const type = text(other.type)?.toLowerCase() ?? ''
  const content = isObject(other.content) ? other.content : {}
  if (type === 'ssvc') {
    const ssvc = readSsvc(content, notes)
    // The newest wins; on a tie the first, as between containers (model/scores/ssvc.ts).
    if (!claims.ssvc || (ssvc.assessedAt ?? '') > (claims.ssvc.assessedAt ?? '')) claims.ssvc = ssvc
  } else if (type === 'kev') {
    const dateAdded = text(content.dateAdded)
    claims.kevDateAdded ??= dateAdded && utcDate(dateAdded)
    if (claims.kevDateAdded === null) {
      addNote(notes, { code: 'date-impossible', detail: `KEV dateAdded ${shown(content.dateAdded)}` })
    }
  } else if (type.includes('cvss') || 'vectorString' in content || 'baseScore' in content) {
    addNote(notes, { code: 'cvss-in-other', detail: `other metric of type ${shown(other.type)}` })
  }
}

type Points = Omit<NonNullable<CveClaim['ssvc']>, 'assessedAt'>

/** Values of the three decision points in lower case. Early assessments capitalize them (`Active`, `PoC`). */
const POINTS = {
  Exploitation: ['exploitation', ['none', 'poc', 'active']],
  Automatable: ['automatable', ['yes', 'no']],
  'Technical Impact': ['technical_impact', ['partial', 'total']],
} as const satisfies Record<string, readonly [keyof Points, readonly Points[keyof Points][]]>

function readSsvc(content: JsonObject, notes: RecordNote[]): NonNullable<CveClaim['ssvc']> {
  const options: JsonObject = Object.assign({}, ...objects(content.options))
  const timestamp = text(content.timestamp)
  const assessedAt = timestamp && utcTimestamp(timestamp)
  if (timestamp && !assessedAt)
    addNote(notes, { code: 'date-impossible', detail: `SSVC timestamp ${shown(timestamp)}` })
  return {
    exploitation: point(options, 'Exploitation'),
    automatable: point(options, 'Automatable'),
    technical_impact: point(options, 'Technical Impact'),
    assessedAt,
  }
}

function point<Name extends keyof typeof POINTS>(options: JsonObject, name: Name) {
  const stated = text(options[name])?.toLowerCase()
  const allowed: readonly (typeof POINTS)[Name][1][number][] = POINTS[name][1]
  return allowed.find((value) => value === stated) ?? null
}
