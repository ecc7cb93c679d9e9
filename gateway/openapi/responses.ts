/** What a route may answer: its 200, a 304, and its errors (gateway/API.md, "Errors"). */
import { z } from 'zod'
import { type ErrorCode, STATUS } from '../errors.ts'
import type { JsonSchema } from '../params/kind.ts'
import type { Route } from '../route.ts'
import { type Header, type Ref, type Response, refTo } from './model.ts'

/** Headers of answers (rules 16 and 17). */
export const HEADERS: Readonly<Record<string, Header>> = {
  ETag: { description: 'Names this content in this coding; the same for every account', schema: { type: 'string' } },
  'Cache-Control': {
    description: 'An answer may be kept by its receiver, who asks each time whether it still holds',
    schema: { type: 'string', const: 'private, no-cache' },
  },
  Vary: { description: 'What the answer depends on besides its address', schema: { type: 'string' } },
  'Snapshot-Id': { description: 'The snapshot that answered', schema: { type: 'string', pattern: '^[0-9a-f]{64}$' } },
  'Served-From': {
    description: 'How the answer came about: as it lies there, gathered over an order, or asked of SQLite',
    schema: { type: 'string', enum: ['shard', 'merge', 'sqlite'] },
  },
  'RateLimit-Policy': {
    description: 'The quota and its window in seconds: `"default";q=600;w=60`',
    schema: { type: 'string' },
  },
  RateLimit: {
    description: 'What is left of the quota, and the seconds until it is full again: `"default";r=599;t=60`',
    schema: { type: 'string' },
  },
  'Retry-After': { description: 'Seconds to wait before the next attempt', schema: { type: 'integer', minimum: 1 } },
  'WWW-Authenticate': { description: 'The scheme that is asked for: `Bearer`', schema: { type: 'string' } },
}

const QUOTA = ['RateLimit-Policy', 'RateLimit']
const CACHING = ['Cache-Control', 'Vary']
const CONTENT = ['ETag', ...CACHING, 'Snapshot-Id', 'Served-From', ...QUOTA]

/** When each error is given. Those that are missing belong to no route: wrong methods and requests that are too large. */
const WHEN: Partial<Record<ErrorCode, string>> = {
  invalid_parameter: 'A parameter is unknown, given twice, empty, missing or not what it may be; `parameter` names it',
  invalid_cursor: 'The cursor was not issued by this service, or belongs to another list, order or filters',
  unauthenticated: 'There is no valid token',
  forbidden: 'During the preview only administrators are let in',
  tier_restricted: 'The CVE is above the access tier of the account',
  not_found: 'There is no such record, or not this part of it',
  gone: 'The snapshot is no longer known',
  rate_limited: 'The quota is used up, or too many tokens from this address have failed',
  internal: 'A fault on our side',
  unavailable:
    'There is no snapshot, or not yet the one that the cursor names, or tokens cannot be verified at the moment',
  overloaded: 'The search took too long, or too many wait',
}

/** What every route may answer. */
const ALWAYS: readonly ErrorCode[] = [
  'invalid_parameter',
  'unauthenticated',
  'forbidden',
  'rate_limited',
  'internal',
  'unavailable',
]

/** What follows from a parameter: a CVE may be missing or above the caller's tier (API 10.4). */
const BY_PARAMETER: Readonly<Record<string, readonly ErrorCode[]>> = {
  cveId: ['not_found', 'tier_restricted'],
  cursor: ['invalid_cursor'],
  q: ['overloaded'],
}

/** The errors of a route, each once, in the order of the table. */
export function errorsOf({ params, errors = [] }: Pick<Route<never>, 'params' | 'errors'>): ErrorCode[] {
  const names = [...Object.keys(params.path), ...Object.keys(params.query)]
  const codes = new Set([...ALWAYS, ...errors, ...names.flatMap((name) => BY_PARAMETER[name] ?? [])])
  return (Object.keys(WHEN) as ErrorCode[]).filter((code) => codes.has(code))
}

/** The body of every error. */
export const errorBody = z
  .strictObject({
    error: z.enum(Object.keys(STATUS) as ErrorCode[]).describe('What went wrong, for programs'),
    message: z.string().describe('What went wrong, for people: it names the thing'),
    parameter: z.string().optional().describe('The parameter to blame, where there is one'),
  })
  .meta({ id: 'Error', description: 'The body of every error' })

/** The responses of a route by status; those that it may share with others go into `shared`. */
export function responsesOf(
  route: Pick<Route<never>, 'summary' | 'params' | 'errors'>,
  schema: JsonSchema,
  shared: Record<string, Response>,
): Record<string, Response | Ref> {
  shared.NotModified ??= {
    description: 'What you have still holds: `If-None-Match` names it',
    headers: headerRefs(CONTENT),
  }
  const responses: Record<string, Response | Ref> = {
    200: {
      description: route.summary,
      headers: headerRefs(CONTENT),
      content: { 'application/json': { schema } },
    },
    304: refTo('responses', 'NotModified'),
  }
  for (const [status, codes] of Object.entries(Object.groupBy(errorsOf(route), (code) => STATUS[code]))) {
    const name = codes.map(pascalCase).join('Or')
    shared[name] ??= errorResponse(Number(status), codes)
    responses[status] = refTo('responses', name)
  }
  return responses
}

function errorResponse(status: number, codes: readonly ErrorCode[]): Response {
  const own = [
    // A subject is known once the token is verified (rule 16).
    ...(status === 401 ? ['WWW-Authenticate'] : QUOTA),
    ...(status === 429 || status === 503 ? ['Retry-After'] : []),
  ]
  const narrowed = { type: 'object', properties: { error: { type: 'string', enum: codes } } }
  return {
    description: codes.map((code) => `\`${code}\`: ${WHEN[code]}`).join('\n\n'),
    headers: headerRefs([...CACHING, ...own]),
    content: { 'application/json': { schema: { allOf: [refTo('schemas', 'Error'), narrowed] } } },
  }
}

const headerRefs = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, refTo('headers', name)]))

/** `not_found` as the name of a component: `NotFound`. */
const pascalCase = (code: string) => code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
