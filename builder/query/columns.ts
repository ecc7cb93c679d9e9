/** The columns of an answer, from the description of the API: `kev.listed` of a row is the column `kev_listed`. */
import type { Cell } from '../../corpus/reader/csv.ts'

export interface Column {
  name: string
  /** Names of the members that lead to the value. */
  path: readonly string[]
}

/** The parts of the OpenAPI document that are read. */
export interface ApiDocument {
  paths: Record<string, { get: { parameters?: readonly { name?: string }[]; responses: Record<string, ApiResponse> } }>
  components: { schemas: Record<string, ApiSchema> }
}

interface ApiResponse {
  content?: Record<string, { schema: ApiSchema }>
}

interface ApiSchema {
  $ref?: string
  type?: string | readonly string[]
  properties?: Record<string, ApiSchema>
  items?: ApiSchema
  anyOf?: readonly ApiSchema[]
}

/** What the API states about a path. */
export interface Endpoint {
  /** Whether the answer has pages. */
  isPaged: boolean
  /** The columns of a row, or of the answer if it is no list. Empty if they are not known. */
  columns: readonly Column[]
}

export function isApiDocument(answer: object): answer is ApiDocument {
  const { paths, components } = answer as { paths?: unknown; components?: { schemas?: unknown } | null }
  return [paths, components?.schemas].every((part) => typeof part === 'object' && part !== null)
}

/** Returns null for a path that the document does not have. */
export function endpointOf(document: ApiDocument, path: string): Endpoint | null {
  const template = templateOf(Object.keys(document.paths), path)
  if (template === null) return null
  const { parameters = [], responses } = document.paths[template]!.get
  const answer = responses['200']?.content?.['application/json']?.schema ?? {}
  const isPaged = parameters.some(({ name }) => name === 'cursor')
  const { properties } = resolved(document, answer)
  const rows = properties?.data?.items
  return { isPaged, columns: columnsOf(document, rows ?? answer) }
}

/** Literal segments come first: `/cnas/stats` before `/cnas/{slug}`. */
function templateOf(templates: readonly string[], path: string): string | null {
  const given = path.replace(/(?<=.)\/$/, '').split('/')
  const fitting = templates.filter((template) => {
    const parts = template.split('/')
    return parts.length === given.length && parts.every((part, i) => part.startsWith('{') || part === given[i])
  })
  const variables = (template: string) => template.split('{').length
  return fitting.sort((a, b) => variables(a) - variables(b))[0] ?? null
}

/** Follows references. Of alternatives, the first one that is no null counts: the others have its fields only. */
function resolved(document: ApiDocument, schema: ApiSchema): ApiSchema {
  if (schema.$ref !== undefined) {
    return resolved(document, document.components.schemas[schema.$ref.split('/').at(-1)!] ?? {})
  }
  const first = schema.anyOf?.find(({ type }) => type !== 'null')
  return first === undefined ? schema : resolved(document, first)
}

function columnsOf(document: ApiDocument, schema: ApiSchema, path: readonly string[] = []): Column[] {
  const { properties } = resolved(document, schema)
  if (properties === undefined) return path.length === 0 ? [] : [{ name: path.join('_'), path }]
  return Object.entries(properties).flatMap(([name, of]) => columnsOf(document, of, [...path, name]))
}

/** Keeps the columns of these fields, in their order. A field without a column, such as `epss_change`, becomes one. */
export function selectColumns(columns: readonly Column[], fields: readonly string[]): Column[] {
  return fields.flatMap((field) => {
    const known = columns.filter(({ path }) => path[0] === field)
    return known.length > 0 ? known : [{ name: field, path: [field] }]
  })
}

/** Returns a value of a row as a cell. Items of lists are joined by `;`; objects within lists are JSON. */
export function cellOf(row: unknown, { path }: Column): Cell {
  let value = row
  for (const name of path) value = (value as Record<string, unknown> | null | undefined)?.[name]
  if (value === undefined || value === null) return null
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  const isPlainList = Array.isArray(value) && value.every((one) => typeof one !== 'object')
  return isPlainList ? (value as unknown[]).join(';') : JSON.stringify(value)
}
