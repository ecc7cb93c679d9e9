/** The responses of a route: 200, 304 and errors (gateway/API.md, section 6). */
import { z } from 'zod'
import { type ErrorCode, STATUS } from '../errors.ts'
import type { JsonSchema } from '../parameters/parameter.ts'
import type { Route } from '../route.ts'
import examples from './examples.json' with { type: 'json' }
import { type Header, type Ref, type Response, refTo } from './model.ts'

/** Headers of answers (rules 16 and 17). */
export const HEADERS: Readonly<Record<string, Header>> = {
  ETag: {
    description: "Identifies the answer's content and its compression. It does not depend on the account",
    schema: { type: 'string' },
  },
  'Cache-Control': {
    description:
      'Clients may store the answer, but must revalidate it before each use, unless the request names a snapshot by its full id',
    schema: { type: 'string', enum: ['private, no-cache', 'private, max-age=31536000, immutable'] },
  },
  Vary: { description: 'Request headers on which the answer depends', schema: { type: 'string' } },
  'Snapshot-Id': {
    description: 'Id of the snapshot that the answer comes from',
    schema: { type: 'string', pattern: '^[0-9a-f]{64}$' },
  },
  'Served-From': {
    description:
      'Origin of the answer. `shard`: stored data, in full or in part. `merge`: rows collected for this request. `sqlite`: result of a text query',
    schema: { type: 'string', enum: ['shard', 'merge', 'sqlite'] },
  },
  'Memento-Datetime': {
    description: 'Creation time of the snapshot that `snapshot` selects (RFC 7089). Absent without `snapshot`',
    schema: { type: 'string' },
  },
  Link: {
    description: 'The list of snapshots, with `rel="timemap"`. Absent without `snapshot`',
    schema: { type: 'string' },
  },
  'X-Request-Id': {
    description:
      'Id of the request: the `X-Request-Id` that the client sent, if it is 1 to 128 visible ASCII characters without `"` and `\\`, else a new id',
    schema: { type: 'string', pattern: '^[!#-[\\]-~]{1,128}$' },
  },
  'RateLimit-Policy': {
    description: 'Requests per window, and length of the window in seconds: `"default";q=600;w=60`',
    schema: { type: 'string' },
  },
  RateLimit: {
    description: 'Remaining requests, and seconds until the window ends: `"default";r=599;t=60`',
    schema: { type: 'string' },
  },
  'Retry-After': { description: 'Seconds to wait before a retry', schema: { type: 'integer', minimum: 1 } },
  'WWW-Authenticate': { description: 'Authentication scheme: `Bearer`', schema: { type: 'string' } },
}

const QUOTA = ['RateLimit-Policy', 'RateLimit']
const CACHING = ['Cache-Control', 'Vary']
const CONTENT = ['ETag', ...CACHING, 'Snapshot-Id', 'Served-From', 'X-Request-Id', ...QUOTA]

/** Condition of each error. Wrong methods and too large requests belong to no route and are absent. */
const WHEN: Partial<Record<ErrorCode, string>> = {
  invalid_parameter: 'A parameter is unknown, repeated, empty, missing or invalid. `parameter` names it',
  invalid_cursor: 'The cursor is malformed, or was issued for another list, sort key or filters',
  unauthenticated: 'The token is missing or invalid',
  forbidden: 'During the preview, only administrators have access',
  tier_restricted: 'The CVE requires a higher access tier than the account has',
  not_found: 'The record does not exist, or it has no such part; or no snapshot is that of `snapshot`',
  gone: 'The snapshot of `snapshot`, `since` or `until` is no longer available',
  rate_limited: 'The quota is used up, or too many invalid tokens came from this address',
  internal: 'Internal error',
  unavailable: 'No snapshot is loaded, no key set is available, or the snapshot of the cursor is not loaded yet',
  overloaded:
    'The search, or the answer from an earlier snapshot, took too long, or too many requests of a kind are queued',
}

/** Errors of every route. */
const ALWAYS: readonly ErrorCode[] = [
  'invalid_parameter',
  'unauthenticated',
  'forbidden',
  'rate_limited',
  'internal',
  'unavailable',
]

/** Errors that a parameter adds, such as a missing CVE or one above the caller's tier (API 10.4). */
const BY_PARAMETER: Readonly<Record<string, readonly ErrorCode[]>> = {
  cveId: ['not_found', 'tier_restricted'],
  snapshot: ['not_found', 'gone', 'overloaded'],
  cursor: ['invalid_cursor'],
  q: ['overloaded'],
  cpe: ['overloaded'],
}

/** Returns the errors of a route, each once, in the order of `WHEN`. */
export function errorsOf({ params, errors = [] }: Pick<Route<never>, 'params' | 'errors'>): ErrorCode[] {
  const names = [...Object.keys(params.path), ...Object.keys(params.query)]
  const codes = new Set([...ALWAYS, ...errors, ...names.flatMap((name) => BY_PARAMETER[name] ?? [])])
  return (Object.keys(WHEN) as ErrorCode[]).filter((code) => codes.has(code))
}

/** Body of every error. */
export const errorBody = z
  .strictObject({
    error: z.enum(Object.keys(STATUS) as ErrorCode[]).describe('Error code, for programs'),
    message: z.string().describe('Description for people. In a 404, it names the requested record or path'),
    parameter: z.string().optional().describe('Name of the invalid parameter. Absent if there is none'),
    reason: z.string().nullable().optional().describe('Why the CVE was rejected. Only in the 404 of a rejected CVE'),
    replaced_by: z.array(z.string()).optional().describe('CVEs that replace it. Only in the 404 of a rejected CVE'),
  })
  .meta({ id: 'Error', description: 'Body of every error' })

/** Returns the responses of a route by status. Adds those that routes share to `shared`. */
export function responsesOf(
  route: Pick<Route<never>, 'name' | 'summary' | 'params' | 'errors'>,
  schema: JsonSchema,
  shared: Record<string, Response>,
): Record<string, Response | Ref> {
  const takesSnapshot = 'snapshot' in route.params.query
  const headers = headerRefs(takesSnapshot ? [...CONTENT, 'Memento-Datetime', 'Link'] : CONTENT)
  const unchanged = takesSnapshot ? 'SnapshotNotModified' : 'NotModified'
  shared[unchanged] ??= { description: 'The answer is unchanged', headers }
  const example = (examples as Record<string, unknown>)[route.name]
  const responses: Record<string, Response | Ref> = {
    200: {
      description: 'Success',
      headers,
      content: { 'application/json': { schema, ...(example === undefined ? {} : { example }) } },
    },
    304: refTo('responses', unchanged),
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
    ...(status === 401 ? ['RateLimit-Policy', 'WWW-Authenticate'] : QUOTA),
    ...(status === 429 || status === 503 ? ['Retry-After'] : []),
  ]
  const narrowed = { type: 'object', properties: { error: { type: 'string', enum: codes } } }
  return {
    description: codes.map((code) => `\`${code}\`: ${WHEN[code]}`).join('\n\n'),
    headers: headerRefs([...CACHING, 'X-Request-Id', ...own]),
    content: { 'application/json': { schema: { allOf: [refTo('schemas', 'Error'), narrowed] } } },
  }
}

const headerRefs = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, refTo('headers', name)]))

/** `not_found` as the name of a component: `NotFound`. */
const pascalCase = (code: string) => code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
