/** `/openapi.json`: the API's own description. */
import type { TextBody } from '../answer.ts'
import type { Context } from '../context.ts'
import type { OpenapiDocument } from '../openapi/model.ts'
import { defineRoute, type Route } from '../route.ts'
import { openapi } from '../schemas.ts'

/** `document` is called at the first request, because it describes this route too. */
export function openapiRoute(document: () => OpenapiDocument): Route<Context> {
  let body: TextBody | null = null
  return defineRoute<Context, Record<never, never>, Record<never, never>>({
    name: 'getOpenapi',
    path: '/openapi.json',
    spansSnapshots: true,
    summary: 'Get the OpenAPI document',
    description: 'Returns this description of the API as OpenAPI 3.1.',
    params: { path: {}, query: {} },
    answer: openapi,
    *handle({ snapshots: { current } }) {
      // The same for all snapshots.
      body ??= { text: JSON.stringify(document()), isShared: true }
      return { servedFrom: 'shard', snapshotId: current.id, body }
    },
  })
}
