/** Converts the parameters of routes to OpenAPI, with a description of each. */
import type { ParameterType, Schema } from '../params/parameter.ts'
import type { Parameter } from './model.ts'

/** Descriptions by name, for parameters that mean the same in all routes. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  cveId: 'CVE id, in any case',
  cweId: 'Weakness: `79`, `CWE-79` or `cwe-79`',
  capecId: 'Attack pattern: `66`, `CAPEC-66` or `capec-66`',
  slug: 'Key of the CNA, in any case',
  vendorSlug: 'Key of the vendor, in any case',
  reportId: 'Id of the report',
  sourceId: 'Id of the module in its source. Write `/` as `%2F`',
  q: 'Text to search for. It matches anywhere, in any case',
  severity: 'Severity bands. A CVE matches if it has one of them',
  kev: '`true`: only CVEs in the KEV catalog. `false`: only the others',
  has_exploit: '`true`: only CVEs with public exploit code or evidence of exploitation. `false`: only the others',
  has_patch: '`true`: only CVEs for which a source states a patch. `false`: only CVEs for which no source states one',
  has_detection: '`true`: only CVEs with detection content. `false`: only the others',
  assigner: 'Full short name of the CNA, in any case',
  cwe: 'Primary weakness: `79`, `CWE-79` or `cwe-79`',
  epss_min: 'Minimum EPSS score, 0 to 1',
  published_since: 'Earliest publication: a date or a timestamp, inclusive',
  published_until: 'Latest publication: a date or a timestamp, inclusive. A date includes the whole day',
  updated_since: 'Earliest last update: a date or a timestamp, inclusive',
  ids: 'Only these CVEs. Unknown and rejected ids are omitted',
  sort: 'Sort key. `-` before the key means descending. Nulls are last in both orders',
  limit: 'Maximum number of rows per page',
  cursor: '`next_cursor` of the previous page. Send the same filters and sort key with it',
  include: 'Sections to add. An empty value adds none',
  fields: 'Fields to return. The id is always returned',
  scope: '`primary`: CVEs with this primary weakness. `any`: CVEs that at least one source maps to it',
  source: 'Only this source',
  tag: 'Only references with this tag',
  ecosystem: 'Only this package ecosystem, such as `npm`, `PyPI` or `Maven`',
  type: 'Only this evidence family',
  category: 'Only entries of this category',
  since: 'Only entries since this date or timestamp, inclusive',
  messages: '`false` omits the single changes of each entry',
  prompt: 'Only reports of this type',
  full: '`true` returns the full text of each report',
  include_schema: '`true` adds the JSON Schema of each report type',
  status: 'Only entries with this status, such as `Draft` or `Stable`',
  abstraction: 'Only this level of abstraction',
  likelihood: 'Only this likelihood of exploitation',
  vendor: 'Only products of the vendor with this key',
  platform: 'Only this target platform',
  types: 'Only these types of results',
  grade: 'Only CNAs with this grade',
  activity_status: 'Only active or only inactive CNAs',
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
    const isCsv = shape.type === 'array'
    return {
      name,
      in: position,
      description: isCsv ? `${description}. ${CSV}` : description,
      required: position === 'path' || kind.presence === 'required',
      schema: shape,
      // Requests may use either form; OpenAPI can state one (API 3.2 and 3.3).
      ...(isCsv ? { style: 'form' as const, explode: false } : {}),
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
  description: '`ETag` of a stored answer. If it is still current, the answer is 304 without a body',
  required: false,
  schema: { type: 'string' },
}
