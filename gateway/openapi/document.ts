/** The description of the API as OpenAPI 3.1, made from the table of routes that also judges requests. */
import type { Route } from '../route.ts'
import { type Components, type OpenapiDocument, type Operation, refTo } from './model.ts'
import { IF_NONE_MATCH, parametersOf } from './parameters.ts'
import { errorBody, HEADERS, responsesOf } from './responses.ts'
import { schemaOf } from './schemas.ts'
import { tagOf, tagsOf } from './tags.ts'

/** The version of the API's description. The first number is that of the path. */
const VERSION = '1.0.0-preview'

const INTRODUCTION = `Every request carries an access token: \`Authorization: Bearer <token>\`. A browser may send it as its session cookie instead. During the preview only administrators are let in.

Lists come in pages of \`limit\` rows. Send \`pagination.next_cursor\` back as \`cursor\`, with the same filters and order, for the next page; where it is null nothing follows. A walk goes on in the snapshot it began in, so that no row comes twice and none is missed, even if a new snapshot is put up meanwhile.

Times are ISO 8601 in UTC. Where a date is asked for, \`2024-04-12\` means the whole day in UTC, and a timestamp such as \`2024-04-12T08:00:00Z\` exactly that moment.

A parameter of type csv takes several values, separated by commas: \`include=cvss,affected\`. You may also repeat it: \`include=cvss&include=affected\` means the same, so a client may set \`explode\` to true or to false. Every other parameter may be given once. Fixed values, booleans and sort keys match in any case; answers show them as they are listed here. An unknown or empty parameter is refused.

Every error has the same body: \`error\` for programs, \`message\` for people, and \`parameter\` where one is to blame. Beside the errors of each endpoint, an unknown path is 404 \`not_found\`, another method than GET or HEAD is 405 \`method_not_allowed\`, a request that comes too slowly 408 \`request_timeout\`, an address that is too long 414 \`uri_too_long\`, an expectation other than \`100-continue\` 417 \`expectation_failed\`, and too many headers 431 \`headers_too_large\`.

HEAD answers as GET does, without a body. Answers are compressed with gzip where it is accepted. Each has an \`ETag\`; send it back as \`If-None-Match\` to be told 304 while it still holds: that costs no quota, at most as often in a window as its limit.`

/** `routes` in the order of the table; the same table gives the same document. Throws where something is left unsaid. */
export function openapiDocument<C>(routes: readonly Route<C>[], prefix = '/api/v1'): OpenapiDocument {
  const components: Components = {
    schemas: {},
    parameters: { IfNoneMatch: IF_NONE_MATCH },
    headers: { ...HEADERS },
    responses: {},
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'The access token of an account' },
      session: {
        type: 'apiKey',
        in: 'cookie',
        name: 'session',
        description:
          'The same token as a cookie, read only where there is no `Authorization` header; its name can be configured',
      },
    },
  }
  schemaOf(errorBody, components.schemas)
  const paths = routes.map((route) => [templateOf(route.path), { get: operationOf(route, components) }])
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

function operationOf<C>(route: Route<C>, { schemas, responses }: Components): Operation {
  const { name, path, summary, description, params, answer } = route
  return {
    operationId: name,
    tags: [tagOf(path)],
    summary,
    ...(description === undefined ? {} : { description }),
    parameters: [
      ...parametersOf('path', params.path),
      ...parametersOf('query', params.query),
      refTo('parameters', 'IfNoneMatch'),
    ],
    responses: responsesOf(route, schemaOf(answer, schemas), responses),
  }
}

/** `/cves/:cveId` as `/cves/{cveId}`. */
const templateOf = (path: string) => path.replace(/:(\w+)/g, '{$1}')

const sorted = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))
