/**
 * Checks answers against the OpenAPI document. A status or body that the document does not describe fails the test. The
 * schemas are read from the document by zod, so the checked schemas are those that clients see.
 */
import { z } from 'zod'
import { type ErrorCode, STATUS } from '../../corpus/answers/errors.ts'
import { type OpenapiDocument, type Operation, resolve } from '../../corpus/answers/openapi/model.ts'
import type { JsonSchema } from '../../corpus/answers/parameters/parameter.ts'
import { apiDocument, ROUTES } from '../../corpus/answers/routes.ts'

/** An answer as it was received; `body` is its text. */
export interface Received {
  method: string
  /** Path and query, from the root. */
  target: string
  status: number
  contentType: string | null
  body: string
}

/** Errors before routing: a wrong method, and faults of the request itself. */
const BEFORE_ROUTES = new Set<number>(
  (['method_not_allowed', 'request_timeout', 'uri_too_long', 'headers_too_large', 'expectation_failed'] as const).map(
    (code) => STATUS[code],
  ),
)

/** Operations whose last parameter may have slashes. */
const TAKES_REST = new Set(ROUTES.filter(({ takesRest }) => takesRest).map(({ name }) => name))

function patternOf(path: string, takesRest: boolean): string {
  const pattern = path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')
  return takesRest ? pattern.replace(/\[\^\/\]\+$/, '.+') : pattern
}

export interface Contract {
  /** @throws Error that names the request and each fault of its answer */
  hold(received: Received): void
}

export function contractOf(document: OpenapiDocument): Contract {
  const prefix = document.servers[0]!.url
  const operations = Object.entries(document.paths).map(([path, { get }]) => ({
    get,
    pattern: new RegExp(`^${prefix}${patternOf(path, TAKES_REST.has(get.operationId))}$`),
  }))
  const schemas = new Map<JsonSchema, z.ZodType>()

  /** Cached: answers of the same kind share one schema. */
  const readable = (schema: JsonSchema): z.ZodType => {
    const known = schemas.get(schema) ?? fromComponents(schema, document.components.schemas)
    schemas.set(schema, known)
    return known
  }
  const described = ({ responses }: Operation, status: number): JsonSchema[] | null => {
    const given = responses[status]
    if (given === undefined) return null
    const schema = resolve(document, 'responses', given).content?.['application/json'].schema
    if (schema === undefined) return []
    return Array.isArray(schema.allOf) ? schema.allOf : [schema]
  }

  return {
    hold({ method, target, status, contentType, body }) {
      if (body === '') return
      const asked = `${method} ${target} was answered ${status}`
      const path = target.split('?')[0]!
      const operation = operations.find(({ pattern }) => pattern.test(path))?.get
      if (status >= 400) expectError(asked, status, body)
      if (operation === undefined || BEFORE_ROUTES.has(status)) {
        if (path.startsWith(`${prefix}/`) && status < 400)
          throw new Error(`${asked}, but no endpoint is described there`)
        return
      }
      const expected = described(operation, status)
      if (expected === null) throw new Error(`${asked}, which is not described for ${operation.operationId}`)
      if (!contentType?.startsWith('application/json')) throw new Error(`${asked} as ${contentType}`)
      for (const schema of expected) expectBody(asked, body, readable(schema))
    },
  }
}

const errorSchema = z.strictObject({
  error: z.string(),
  message: z.string().min(1),
  parameter: z.string().optional(),
  reason: z.string().nullable().optional(),
  replaced_by: z.array(z.string()).optional(),
})

/** Checks an error from any server: its body has the common shape, and its code matches its status. */
export function expectError(asked: string, status: number, body: string): void {
  expectBody(asked, body, errorSchema)
  const { error } = JSON.parse(body) as { error: string }
  const expected = STATUS[error as ErrorCode] as number | undefined
  if (expected !== status) throw new Error(`${asked} with the error '${error}', which is ${expected ?? 'unknown'}`)
}

function expectBody(asked: string, body: string, schema: z.ZodType): void {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch (cause) {
    throw new Error(`${asked} with what is not JSON: ${body.slice(0, 80)}`, { cause })
  }
  const { success, error } = schema.safeParse(value)
  if (!success) throw new Error(`${asked}, and not as described:\n${z.prettifyError(error)}`)
}

/** zod only reads references to `$defs`. */
function fromComponents(schema: JsonSchema, components: Record<string, JsonSchema>): z.ZodType {
  const text = JSON.stringify({ ...schema, $defs: components }).replaceAll('"#/components/schemas/', '"#/$defs/')
  return z.fromJSONSchema(JSON.parse(text))
}

/** Returns a `fetch` that checks each response and returns it unread. */
export function heldFetch(contract: Contract): (url: string, init?: RequestInit) => Promise<Response> {
  return async (url, init = {}) => {
    const response = await fetch(url, init)
    const contentType = response.headers.get('content-type')
    const body = contentType?.startsWith('application/json') ? await response.clone().text() : ''
    const target = url.replace(/^https?:\/\/[^/]+/, '')
    contract.hold({ method: init.method ?? 'GET', target, status: response.status, contentType, body })
    return response
  }
}

/** For routes that a test defines: the document does not describe their answers, but their errors are checked. */
export const ERRORS: Contract = {
  hold({ method, target, status, body }) {
    if (status >= 400 && body !== '') expectError(`${method} ${target} was answered ${status}`, status, body)
  },
}

export const CONTRACT = contractOf(apiDocument())
