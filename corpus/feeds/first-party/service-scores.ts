/** CVSS scores of the operator's own service: they come before everybody else's (decisions 18). */
import type { CveClaim, RecordNote } from '../../model/claim.ts'
import { severityOf } from '../../model/cvss.ts'
import { cveId, fields, oneOf, score, someFields, text, time } from './fields.ts'
import type { LineFormat } from './lines.ts'

const own = { cve_id: cveId, cvss_version: oneOf('4.0', '3.1', '3.0', '2.0') }
const identity = someFields(own)

const schema = fields({
  ...own,
  vector_string: text,
  base_score: score,
  base_severity: oneOf('NONE', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL').optional(),
  scored_at: time,
}).refine(({ cvss_version, vector_string }) => versionOf(vector_string) === cvss_version, {
  error: 'has a vector_string of another cvss_version: 2.0 has no prefix (AV:N/…), the others have theirs (CVSS:3.1/…)',
})

function versionOf(vector: string): string | null {
  if (vector.startsWith('AV:')) return '2.0'
  return /^CVSS:(\d\.\d)\/./.exec(vector)?.[1] ?? null
}

/** What claims of the service are called, as source and as `source_short_name` of their metrics. */
const SERVICE = 'svc'

export const SERVICE_SCORES: LineFormat<typeof schema, typeof identity> = {
  adapter: 1,
  schema,
  identity,
  keyOf: ({ cve_id, cvss_version }) => `${cve_id} ${cvss_version}`,
  claimOf({ cve_id, cvss_version: version, vector_string, base_score, base_severity, scored_at }) {
    const band = severityOf(base_score, version).toUpperCase()
    const severity = base_severity ?? band
    const notes: RecordNote[] = []
    if (severity !== band) {
      const detail = `CVSS ${version} ${base_score} is ${band}, stated ${severity}`
      notes.push({ code: 'severity-differs-from-score', detail })
    }
    const claim: CveClaim = {
      source: SERVICE,
      sourceName: SERVICE,
      updatedAt: scored_at,
      title: null,
      description: null,
      metrics: [
        {
          version,
          baseScore: base_score,
          baseSeverity: severity,
          vector: vector_string,
          statedAt: scored_at,
          scoredBy: null,
        },
      ],
      weaknesses: [],
      affected: [],
      references: [],
      hasWorkaround: false,
      ssvc: null,
      kevDateAdded: null,
    }
    return { cveIds: [cve_id], statedAt: scored_at, claim, notes }
  },
}
