/** Creates the OpenAPI 3.1 document of the API from the table of routes. */
import type { Route } from '../route.ts'
import { type Components, type OpenapiDocument, type Operation, refTo } from './model.ts'
import { IF_NONE_MATCH, parametersOf } from './parameters.ts'
import { errorBody, HEADERS, responsesOf } from './responses.ts'
import { schemaOf } from './schemas.ts'
import { tagOf, tagsOf } from './tags.ts'

/** The version of the API's description. The first number is that of the path. */
const VERSION = '1.0.0-preview'

const INTRODUCTION = `**Authentication.** Every request needs an access token: \`Authorization: Bearer <token>\`. A browser may send the session cookie of a user who has signed in instead. During the preview, only administrators have access.

**Snapshots.** Answers come from a snapshot: an immutable build of all data. A new build replaces it. The header \`Snapshot-Id\` names the snapshot of an answer.

**Lists** have pages of \`limit\` rows. To get the next page, send \`pagination.next_cursor\` as \`cursor\`, with the same filters and sort key. On the last page, \`next_cursor\` is null. A cursor is pinned to the snapshot that issued it. While the gateway has this snapshot open, you get every row exactly once. Later, the cursor continues in the current snapshot.

**Times** are ISO 8601 in UTC. Date parameters accept a date, or a timestamp such as \`2024-04-12T08:00:00Z\`. A date means the whole day in UTC, unless the parameter says otherwise. Write the \`+\` of a time zone offset as \`%2B\`.

**Parameters.** A list parameter (csv) accepts several values, separated by commas: \`include=cvss,affected\`. You can also repeat it: \`include=cvss&include=affected\`. Send each other parameter only once. Values from a fixed list (\`enum\`), booleans and sort keys match in any case. Other values must match exactly, unless the parameter says otherwise. Unknown parameters and empty values are rejected; only \`include\` may be empty.

**Errors** have a JSON body:

- \`error\`: code for programs
- \`message\`: description for people
- \`parameter\`: name of the invalid parameter, only if there is one

Each operation lists its errors. Any request can also get these:

- 404 \`not_found\`: no endpoint has this path
- 405 \`method_not_allowed\`: only GET and HEAD are allowed
- 408 \`request_timeout\`: the request did not arrive in time
- 414 \`uri_too_long\`: path and query are too long
- 417 \`expectation_failed\`: the only supported \`Expect\` header is \`100-continue\`
- 431 \`headers_too_large\`: the headers are too large, or too many

**Quota.** Each account has a quota of requests per time window. \`RateLimit-Policy\` states quota and window, \`RateLimit\` the remaining requests. When the quota is used up, the answer is 429. \`Retry-After\` states the seconds to wait.

**Request ids.** Every answer has an \`X-Request-Id\`, errors included. The operator finds the request in the log by it. A client may send its own id in \`X-Request-Id\`.

**Caching.** HEAD answers like GET, without a body. Answers are compressed with gzip if the client accepts it. Every 200 and 304 has an \`ETag\`; errors have none. Send the tag as \`If-None-Match\` to get 304 while the answer is unchanged. At most as many 304s are free in a window as the quota has requests. Further ones cost quota, and all get 429 when it is used up.`

/** Returns the document for `routes`, in their order. Throws if a parameter or a tag has no description. */
export function openapiDocument<C>(routes: readonly Route<C>[], prefix = '/api/v1'): OpenapiDocument {
  const components: Components = {
    schemas: {},
    parameters: { IfNoneMatch: IF_NONE_MATCH },
    headers: { ...HEADERS },
    responses: {},
    securitySchemes: {
      bearer: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'JWT',
        description: 'Access token, or an API key of the operator',
      },
      session: {
        type: 'apiKey',
        in: 'cookie',
        name: 'session',
        description:
          'Session of a user who has signed in, also as `__Host-session`. It is ignored if the request has a bearer token, or if a page of another host sends it. The operator can change the name of the cookie',
      },
    },
  }
  schemaOf(errorBody, components.schemas)
  const paths = routes.map((route) => [templateOf(route.path), { get: operationOf(route, components, prefix) }])
  return {
    openapi: '3.1.0',
    info: {
      title: 'vulnshelf',
      version: VERSION,
      summary: 'Vulnerability intelligence, read-only, as JSON',
      description: INTRODUCTION,
    },
    servers: [{ url: prefix, description: 'This gateway' }],
    security: [{ bearer: [] }, { session: [] }],
    tags: tagsOf(routes.map(({ path }) => path)),
    paths: Object.fromEntries(paths),
    components: { ...components, schemas: sorted(components.schemas), responses: sorted(components.responses) },
  }
}

function operationOf<C>(route: Route<C>, { schemas, responses }: Components, prefix: string): Operation {
  const { name, path, summary, description, example, params, answer } = route
  const examples = example === undefined ? { path: {}, query: {} } : valuesOf(path, example)
  return {
    operationId: name,
    tags: [tagOf(path)],
    summary,
    description,
    parameters: [
      ...parametersOf('path', params.path, examples.path),
      ...parametersOf('query', params.query, examples.query),
      refTo('parameters', 'IfNoneMatch'),
    ],
    responses: responsesOf(route, schemaOf(answer, schemas), responses),
    'x-codeSamples': [{ lang: 'Shell', source: curlOf(`${prefix}${example ?? path}`) }],
  }
}

/** The values of the parameters in an example request. */
function valuesOf(path: string, example: string): { path: Record<string, string>; query: Record<string, string> } {
  const { pathname, searchParams } = new URL(example, 'http://localhost')
  const segments = pathname.split('/')
  const names = path.split('/').flatMap((name, i) => (name.startsWith(':') ? [[name.slice(1), segments[i]!]] : []))
  return { path: Object.fromEntries(names), query: Object.fromEntries(searchParams) }
}

const curlOf = (target: string) => `curl --compressed -H "Authorization: Bearer $TOKEN" "$BASE${target}"`

/** `/cves/:cveId` as `/cves/{cveId}`. */
const templateOf = (path: string) => path.replace(/:(\w+)/g, '{$1}')

const sorted = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))
