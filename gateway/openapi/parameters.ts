/** The parameters of routes as OpenAPI: what each means, unless its route says more of it. */
import type { Kind, Schema } from '../params/kind.ts'
import type { Parameter } from './model.ts'

interface Meaning {
  description: string
  /** As it stands in the path or behind the `=`. */
  example?: string
}

/** By name: what a parameter means wherever it stands. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  cveId: { description: 'The CVE id, in any case', example: 'CVE-2024-3400' },
  cweId: { description: 'The weakness: `79`, `CWE-79` or `cwe-79`', example: 'CWE-79' },
  capecId: { description: 'The attack pattern: `66`, `CAPEC-66` or `capec-66`', example: 'CAPEC-66' },
  slug: { description: 'The key of the CNA' },
  vendorSlug: { description: 'The key of the vendor, in lower case' },
  reportId: { description: 'The id of the report' },
  sourceId: { description: 'The id that the source gives the module; a `/` in it is written `%2F`' },
  q: { description: 'Text to look for, anywhere in it and in any case' },
  severity: { description: 'Any of these severity bands' },
  kev: { description: '`true` for those listed as known to be exploited, `false` for the others' },
  has_exploit: { description: 'Whether an exploit is known' },
  has_patch: { description: '`true` where a source states a patch, `false` where no source states one' },
  has_detection: { description: 'Whether there is detection content' },
  assigner: { description: 'Short name of the CNA, whole, in any case' },
  cwe: { description: 'The primary weakness: `79`, `CWE-79` or `cwe-79`' },
  epss_min: { description: 'The lowest EPSS score let through' },
  published_since: { description: 'The first day of publication let through, or the first moment' },
  published_until: { description: 'The last day of publication let through, or the last moment' },
  updated_since: { description: 'The first day of the last update let through, or the first moment' },
  ids: { description: 'Only these CVEs; unknown and rejected ids are left out' },
  sort: { description: 'The order; `-` before the key means descending. Nulls come last either way' },
  limit: { description: 'The most rows to give' },
  cursor: { description: 'The `next_cursor` of the page before, sent with the same filters and order' },
  include: { description: 'The sections to add; given empty, none' },
  fields: { description: 'The fields to keep; the id is always kept' },
  scope: { description: '`primary`: the weakness is their primary one; `any`: any source maps them to it' },
  source: { description: 'Only this source' },
  tag: { description: 'Only what has this tag' },
  ecosystem: { description: 'Only this package ecosystem, such as `npm`, `PyPI`, `Maven`' },
  type: { description: 'Only evidence of this family' },
  category: { description: 'Only entries of this category' },
  since: { description: 'Only entries of this day or later' },
  messages: { description: 'Whether entries carry their messages; `false` gives titles only' },
  prompt: { description: 'Only reports of this type' },
  full: { description: 'Whether reports carry their whole text' },
  include_schema: { description: 'Whether types carry the schema of their output' },
  status: { description: 'Only entries with this status, such as `Draft`, `Stable`' },
  abstraction: { description: 'Only this level of abstraction' },
  likelihood: { description: 'Only this likelihood' },
  vendor: { description: 'Only this vendor, by its key' },
  platform: { description: 'Only this platform' },
  types: { description: 'Only these types of results' },
  grade: { description: 'Only CNAs of this grade' },
  activity_status: { description: 'Only active CNAs, or only inactive ones' },
}

/** `kind`, with words of its own on what the parameter means in this route. */
export function meaning<K extends Kind<unknown>>(description: string, kind: K): K {
  return { ...kind, schema: { ...kind.schema, description } }
}

/** How a csv parameter holds several values (rules 2 and 3). */
const CSV = 'Separate several values with commas, or repeat the parameter'

/** The parameters of one route that stand in its path or its query, in the order of its schema. */
export function parametersOf(place: 'path' | 'query', schema: Schema): Parameter[] {
  return Object.entries(schema).map(([name, kind]) => {
    const { description = MEANINGS[name]?.description, ...shape } = kind.schema
    if (typeof description !== 'string') throw new TypeError(`nothing says what the parameter '${name}' means`)
    const example = MEANINGS[name]?.example
    const isCsv = shape.type === 'array'
    return {
      name,
      in: place,
      description: isCsv ? `${description}. ${CSV}` : description,
      required: place === 'path' || kind.presence === 'required',
      schema: shape,
      // Requests may use either form; OpenAPI can state one (API 3.2 and 3.3).
      ...(isCsv ? { style: 'form' as const, explode: false } : {}),
      ...(kind.emptyAllowed ? { allowEmptyValue: true } : {}),
      ...(example === undefined ? {} : { example }),
    }
  })
}

/** What makes a request conditional (rule 17). */
export const IF_NONE_MATCH: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The `ETag` of the answer you have: while it still holds you get 304 and no body',
  required: false,
  schema: { type: 'string' },
}
