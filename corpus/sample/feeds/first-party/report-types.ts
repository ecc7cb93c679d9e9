/** Writes the report types: prompt name, state, and JSON Schema of the model's output. */
import { nightPath, type TextLayout } from '../../nightly.ts'
import type { World } from '../../world.ts'
import type { FeedFolder, WrittenFile } from '../feed.ts'
import { ndjson } from './service.ts'

const LAYOUT: TextLayout = { path: 'report-types.ndjson', gzip: false }

const text = (description: string) => ({ type: 'string', description })

function schema(properties: Record<string, object>): object {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  }
}

export const REPORT_TYPES = [
  {
    prompt_name: 'technical_summary',
    enabled: true,
    output_schema: schema({
      summary: text('What is wrong, in one paragraph'),
      components: { type: 'array', items: { type: 'string' }, minItems: 1 },
    }),
  },
  {
    prompt_name: 'exploitability_review',
    enabled: true,
    output_schema: schema({
      verdict: { type: 'string', enum: ['unlikely', 'possible', 'likely', 'seen'] },
      preconditions: { type: 'array', items: { type: 'string' } },
    }),
  },
  {
    prompt_name: 'remediation_guide',
    enabled: true,
    output_schema: schema({
      steps: { type: 'array', items: { type: 'string' }, minItems: 1 },
      fixed_version: { type: ['string', 'null'] },
    }),
  },
  // Free text has no schema.
  { prompt_name: 'executive_brief', enabled: true, output_schema: null },
  // No longer produced, but its reports remain.
  { prompt_name: 'press_note', enabled: false, output_schema: schema({ headline: text('At most a line') }) },
] as const

export async function writeReportTypes(world: World, folder: FeedFolder): Promise<WrittenFile[]> {
  const lines = REPORT_TYPES.map(ndjson).join('')
  const files: WrittenFile[] = []
  for (let night = 0; night < world.nights; night++) {
    files.push(await folder.write(nightPath(world, night, LAYOUT.path), lines, REPORT_TYPES.length))
  }
  return files
}
