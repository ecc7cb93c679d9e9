/** The report types of the operator's service, current or former. */
import type { ReportType } from '../../model/claim.ts'
import { assertName } from '../feed.ts'
import { fields, flag, jsonSchema, someFields, text } from './fields.ts'
import type { LineFormat } from './lines.ts'

const identity = someFields({ prompt_name: text })

const schema = fields({ prompt_name: text, enabled: flag, output_schema: jsonSchema.optional() })

export const REPORT_TYPES: LineFormat<typeof schema, typeof identity> = {
  adapter: 1,
  schema,
  identity,
  keyOf: (line) => line.prompt_name,
  claimOf({ prompt_name, enabled, output_schema = null }) {
    assertName(prompt_name)
    const claim: ReportType = { promptName: prompt_name, enabled, outputSchema: output_schema }
    return { cveIds: [], statedAt: null, claim, notes: [] }
  },
}
