/** `/openapi.json`: the API's own description. */
import { gzipSync } from 'node:zlib'
import { type Answer, jsonAnswer } from '../http/answer.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { OpenapiDocument } from '../openapi/model.ts'
import { openapi } from './answers.ts'
import type { Context } from './context.ts'

/** `document` is called at the first request, because it describes this route too. */
export function openapiRoute(document: () => OpenapiDocument): Route<Context> {
  let made: Omit<Answer, 'snapshotId'> | null = null
  return defineRoute<Context, Record<never, never>, Record<never, never>>({
    name: 'getOpenapi',
    path: '/openapi.json',
    summary: 'Get the OpenAPI document',
    description: 'Returns this description of the API as OpenAPI 3.1.',
    params: { path: {}, query: {} },
    answer: openapi,
    handle({ registry }) {
      made ??= madeOnce(document())
      return { ...made, snapshotId: registry.current.id }
    },
  })
}

/** The same for all snapshots. */
function madeOnce(document: OpenapiDocument): Omit<Answer, 'snapshotId'> {
  const { identity, ...answer } = jsonAnswer(document, 'shard', '')
  const zipped = gzipSync(identity())
  return { ...answer, identity, gzip: () => zipped }
}
