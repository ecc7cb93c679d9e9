/** Reports about CVEs by the operator's service, and the types of its reports. */
import type { ReportClaim, ReportType } from '../../model/claim.ts'
import { assertName } from '../feed.ts'
import { body, cveId, fields, flag, jsonSchema, oneOf, someFields, text, time, uuid } from './fields.ts'
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

const typeIdentity = someFields({ prompt_name: text })

const typeSchema = fields({ prompt_name: text, enabled: flag, output_schema: jsonSchema.optional() })

export const REPORT_TYPES: LineFormat<typeof typeSchema, typeof typeIdentity> = {
  adapter: 1,
  schema: typeSchema,
  identity: typeIdentity,
  keyOf: (line) => line.prompt_name,
  claimOf({ prompt_name, enabled, output_schema = null }) {
    assertName(prompt_name)
    const claim: ReportType = { promptName: prompt_name, enabled, outputSchema: output_schema }
    return { cveIds: [], statedAt: null, claim, notes: [] }
  },
}
