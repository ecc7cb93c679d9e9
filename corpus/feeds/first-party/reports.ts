/** Reports about CVEs by the operator's service. */
import type { ReportClaim } from '../../model/claim.ts'
import { body, cveId, fields, oneOf, someFields, text, time, uuid } from './fields.ts'
import type { LineFormat } from './lines.ts'

const identity = someFields({ id: uuid })

const schema = fields({
  id: uuid,
  cve_id: cveId,
  report_type: text,
  model: text,
  created_at: time,
  status: oneOf('final', 'draft'),
  report_text: body,
})

export const REPORTS: LineFormat<typeof schema, typeof identity> = {
  adapter: 1,
  schema,
  identity,
  keyOf: ({ id }) => id,
  claimOf(line) {
    const claim: ReportClaim = {
      id: line.id,
      reportType: line.report_type,
      model: line.model,
      createdAt: line.created_at,
      final: line.status === 'final',
      text: line.report_text,
    }
    return { cveIds: [line.cve_id], statedAt: line.created_at, claim, notes: [] }
  },
}
