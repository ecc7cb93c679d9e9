/** Converts the parameters of routes to OpenAPI, with a description of each. */
import type { ParameterType, Schema } from '../parameters/parameter.ts'
import type { Parameter } from './model.ts'

/** Descriptions by name, for parameters that mean the same in all routes. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  cveId: 'CVE id, in any case',
  cweId: 'Weakness: `79`, `CWE-79` or `cwe-79`',
  capecId: 'Attack pattern: `66`, `CAPEC-66` or `capec-66`',
  slug: 'Key or short name of the CNA, in any case',
  vendorSlug: 'Key or name of the vendor, in any case',
  reportId: 'Id of the report, in any case',
  sourceId: '`source_id` of the module. Write `/` as `%2F`',
  q: 'Part of the key or name, in any case',
  severity: 'Severity bands, or `unscored` for CVEs without a score. A CVE matches if it has one of them',
  kev: '`true`: only CVEs in the KEV catalog. `false`: only the others',
  has_exploit: '`true`: only CVEs with public exploit code or evidence of exploitation. `false`: only the others',
  has_patch: '`true`: only CVEs for which a source states a patch. `false`: only CVEs for which no source states one',
  has_detection: '`true`: only CVEs with detection content. `false`: only the others',
  has_workaround: '`true`: only CVEs for which a source states a workaround. `false`: only the others',
  assigner: 'Short name of the CNA that assigned the id, in any case. It must be complete',
  cwe: 'Only CVEs with this primary weakness: `79`, `CWE-79` or `cwe-79`',
  epss_min: 'Minimum EPSS score, 0 to 1. CVEs without a score do not match',
  published_since: 'Published on or after this date or timestamp',
  published_until: 'Published on or before this date or timestamp. A date includes the whole day',
  updated_since: 'Last updated on or after this date or timestamp',
  ids: 'Only these CVE ids, in any case. Unknown and rejected ids are omitted',
  snapshot:
    'Answers from an earlier snapshot: its id, at least the first 7 digits of it, or a time. A time selects the newest one created at or before it; a date means the end of the day',
  sort: 'Sort key. `-` before the key means descending. Nulls are last in both orders',
  limit: 'Maximum number of rows per page',
  count: '`true` adds `pagination.total`: the number of rows of all pages. It takes longer than a page',
  cursor: '`next_cursor` of the previous page. Send the same filters and sort key with it',
  include: 'Sections to add. `include=` adds none',
  fields: 'Fields of the summary record to return. `cve_id` is always returned',
  scope: '`primary`: CVEs with this primary weakness. `any`: CVEs that at least one source maps to the weakness',
  tag: 'Only references with this tag. The case must match: NVD writes `Patch`, the CVE list `patch`',
  ecosystem: 'Only this package ecosystem, such as `npm`, `PyPI` or `Maven`. The case must match',
  type: 'Only evidence of this type',
  category: 'Only entries of this category, such as `kev`',
  since: 'Only entries with `changed_at` on or after this date or timestamp',
  messages: '`false` leaves `messages` empty in every entry',
  prompt: 'Only reports of this type: a `prompt_name` of `/reports/types`',
  full: '`true` returns the full text of each report, and no excerpt',
  include_schema: '`true` adds `output_schema` to each report type',
  status: 'Only entries with this status, such as `Draft` or `Stable`, in any case',
  abstraction: 'Only this level of abstraction',
  likelihood: 'Only this likelihood of exploitation',
  vendor: 'Only products of this vendor: its key or name, in any case',
  platform: 'Only modules for this target platform, in any case',
  grade: 'Only CNAs with this grade',
  activity_status: '`Active`: only CNAs that published a record in the last 365 days. `Inactive`: only the others',
}

/** Returns `kind` with a description for one route. */
export function described<K extends ParameterType<unknown>>(description: string, kind: K): K {
  return { ...kind, schema: { ...kind.schema, description } }
}

/** Rules 2 and 3. */
const CSV = 'Separate several values with commas, or repeat the parameter'

/** Returns the path or query parameters of a route, in the order of its schema. */
export function parametersOf(
  position: 'path' | 'query',
  schema: Schema,
  examples: Readonly<Record<string, string>>,
): Parameter[] {
  return Object.entries(schema).map(([name, kind]) => {
    const { description = DESCRIPTIONS[name], ...shape } = kind.schema
    if (typeof description !== 'string') throw new TypeError(`the parameter '${name}' has no description`)
    const example = examples[name] === undefined ? undefined : exampleOf(examples[name], shape.type)
    const isCsv = shape.type === 'array' && kind.isRepeated !== true
    return {
      name,
      in: position,
      description: isCsv ? `${description}. ${CSV}` : description,
      required: position === 'path' || kind.presence === 'required',
      schema: shape,
      // Requests may use either form; OpenAPI can state one (API 3.2 and 3.3).
      ...(shape.type === 'array' ? { style: 'form' as const, explode: !isCsv } : {}),
      ...(kind.emptyAllowed ? { allowEmptyValue: true } : {}),
      ...(example === undefined ? {} : { example }),
    }
  })
}

/** An example as JSON, as its schema describes it. */
function exampleOf(text: string, type: unknown): unknown {
  if (type === 'array') return text.split(',')
  return type === 'boolean' || type === 'integer' || type === 'number' ? JSON.parse(text) : text
}

/** Makes a request conditional (rule 17). */
export const IF_NONE_MATCH: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  description: '`ETag` of a stored answer. While the answer is unchanged, you get 304 without a body',
  required: false,
  schema: { type: 'string' },
}
