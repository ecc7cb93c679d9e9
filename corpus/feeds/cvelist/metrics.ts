/** Reads `metrics[]` of a container: CVSS of every version, and SSVC in each of its forms, and CISA's KEV in `other`. */

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
    for (const [key, stated] of Object.entries(metric)) if (SSVC_KEY.test(key)) addSsvc(stated, claims, notes)
    if (isObject(metric.other)) readOther(metric.other, claims, notes)
  }
  return claims
}

function readOther(other: JsonObject, claims: MetricClaims, notes: RecordNote[]): void {
  const type = text(other.type)?.toLowerCase() ?? ''
  const content = isObject(other.content) ? other.content : {}
  if (type === 'ssvc') addSsvc(content, claims, notes)
  else if (type === 'kev') {
    const dateAdded = text(content.dateAdded)
    claims.kevDateAdded ??= dateAdded && utcDate(dateAdded)
    if (claims.kevDateAdded === null) {
      addNote(notes, { code: 'date-impossible', detail: `KEV dateAdded ${shown(content.dateAdded)}` })
    }
  } else if (type.includes('cvss') || 'vectorString' in content || 'baseScore' in content) {
    addNote(notes, { code: 'cvss-in-other', detail: `other metric of type ${shown(other.type)}` })
  }
}

type Assessment = NonNullable<CveClaim['ssvc']>
type Points = Omit<Assessment, 'assessedAt'>

/** The keys of record format 5.2: `ssvcV1_0_1`, `ssvcV2_0_0`. */
const SSVC_KEY = /^ssvcV\d/

/**
 * The decision points: their names, and the keys of SSVC 2.0.0, each with its values. Early assessments capitalize values
 * (`Active`, `PoC`).
 */
const POINTS = {
  exploitation: { names: ['exploitation', 'e'], values: { none: 'n', poc: 'p', active: 'a' } },
  automatable: { names: ['automatable', 'a'], values: { yes: 'y', no: 'n' } },
  technical_impact: { names: ['technical impact', 'ti'], values: { partial: 'p', total: 't' } },
} as const satisfies {
  [Name in keyof Points]: { names: readonly string[]; values: Record<NonNullable<Points[Name]>, string> }
}

function addSsvc(stated: unknown, claims: MetricClaims, notes: RecordNote[]): void {
  const ssvc = isObject(stated) ? readSsvc(stated, notes) : null
  if (ssvc === null || ssvc.exploitation === null || ssvc.automatable === null || ssvc.technical_impact === null) {
    addNote(notes, { code: 'ssvc-unreadable', detail: `SSVC without all decision points: ${shown(stated)}` })
  }
  if (ssvc === null) return
  // The newest wins; on a tie the first, as between containers (model/scores/ssvc.ts).
  if (!claims.ssvc || (ssvc.assessedAt ?? '') > (claims.ssvc.assessedAt ?? '')) claims.ssvc = ssvc
}

/** Returns null if no point is stated in a known form. */
function readSsvc(content: JsonObject, notes: RecordNote[]): Assessment | null {
  const stated = statedPoints(content)
  const points = {
    exploitation: point(stated, 'exploitation'),
    automatable: point(stated, 'automatable'),
    technical_impact: point(stated, 'technical_impact'),
  }
  if (Object.values(points).every((value) => value === null)) return null
  const timestamp = text(content.timestamp)
  const assessedAt = timestamp && utcTimestamp(timestamp)
  if (timestamp && !assessedAt)
    addNote(notes, { code: 'date-impossible', detail: `SSVC timestamp ${shown(timestamp)}` })
  return { ...points, assessedAt }
}

/**
 * Returns the stated values by name or key of their point, in lower case: of `options` (CISA), of `selections` with names
 * (1.0.1), and of those with keys (2.0.0).
 */
function statedPoints({ options, selections }: JsonObject): Map<string, string> {
  const stated = new Map<string, string>()
  const put = (name: unknown, value: unknown) => {
    const [key, own] = [text(name), text(value)]
    if (key !== null && own !== null) stated.set(key.toLowerCase(), own.toLowerCase())
  }
  for (const option of objects(options)) for (const [name, value] of Object.entries(option)) put(name, value)
  for (const { name, key, values } of objects(selections)) {
    const [value] = Array.isArray(values) ? values : []
    put(key ?? name, isObject(value) ? (value.key ?? value.name) : value)
  }
  return stated
}

function point<Name extends keyof Points>(stated: Map<string, string>, name: Name): Points[Name] {
  const { names, values } = POINTS[name]
  for (const known of names) {
    const value = stated.get(known)
    const found = Object.entries(values).find(([word, key]) => value === word || value === key)
    if (found) return found[0] as Points[Name]
  }
  return null
}
