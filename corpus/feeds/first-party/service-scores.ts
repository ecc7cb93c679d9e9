/** CVSS scores of the operator's service. They take precedence over all others (rule 18). */
import type { CveClaim, RecordNote } from '../../model/claim.ts'
import { severityOf } from '../../model/scores/cvss.ts'
import { baseScore } from '../../model/scores/cvss-vector.ts'
import { cveId, fields, oneOf, score, someFields, text, time } from './fields.ts'
import type { LineFormat } from './lines.ts'

const own = { cve_id: cveId, cvss_version: oneOf('4.0', '3.1', '3.0', '2.0') }
const identity = someFields(own)

const schema = fields({
  ...own,
  vector_string: text,
  base_score: score.optional(),
  base_severity: oneOf('NONE', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL').optional(),
  scored_at: time,
})
  .refine(({ vector_string }) => baseScore(vector_string) !== null, {
    path: ['vector_string'],
    error: 'is not a CVSS vector with all base metrics',
    abort: true,
  })
  .refine(({ vector_string, cvss_version }) => baseScore(vector_string)?.version === cvss_version, {
    path: ['vector_string'],
    error: 'has another version than cvss_version; a 2.0 vector has no prefix (AV:N/…), others have one (CVSS:3.1/…)',
  })

/** Name of the service in claims, as source and as `source_short_name` of metrics. */
const SERVICE = 'svc'

export const SERVICE_SCORES: LineFormat<typeof schema, typeof identity> = {
  adapter: 1,
  schema,
  identity,
  keyOf: ({ cve_id, cvss_version }) => `${cve_id} ${cvss_version}`,
  claimOf({ cve_id, cvss_version: version, vector_string: vector, scored_at, ...given }) {
    const stated = given.base_score ?? baseScore(vector)!.score
    const band = severityOf(stated, version).toUpperCase()
    const severity = given.base_severity ?? band
    const notes = oddSeverity(version, stated, severity, band)
    const claim: CveClaim = {
      source: SERVICE,
      sourceName: SERVICE,
      updatedAt: scored_at,
      title: null,
      description: null,
      metrics: [{ version, baseScore: stated, baseSeverity: severity, vector, statedAt: scored_at, scoredBy: null }],
      weaknesses: [],
      affected: [],
      references: [],
      ssvc: null,
      kevDateAdded: null,
    }
    return { cveIds: [cve_id], statedAt: scored_at, claim, notes }
  },
}

function oddSeverity(version: string, stated: number, severity: string, band: string): RecordNote[] {
  if (severity === band) return []
  return [{ code: 'severity-differs-from-score', detail: `CVSS ${version} ${stated} is ${band}, stated ${severity}` }]
}
