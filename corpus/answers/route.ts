/** One row of the route table: path, parameters, answer and handler. Routing, validation and OpenAPI derive from it. */
import type { ZodType } from 'zod'
import type { Steps } from '../runtime/steps.ts'
import type { Answer } from './answer.ts'
import type { ErrorCode } from './errors.ts'
import { type SnapshotChoice, snapshotAt } from './parameters/ids.ts'
import type { PathValues, QueryValues, Schema } from './parameters/parameter.ts'
import { type ParamSchemas, parseParams } from './parameters/parse.ts'

interface RouteHead {
  /** `operationId` and name of its constant: `getCve`. Never changes after a release. */
  readonly name: string
  /** Relative to `/api/v1`, with `:name` for each path parameter: `/cves/:cveId`. */
  readonly path: string
  /** Whether the last parameter takes the rest of the path, with slashes that are not percent-encoded. */
  readonly takesRest?: boolean
  /** Whether the answer is not that of one snapshot, so that no `snapshot` can be asked for. */
  readonly spansSnapshots?: boolean
  /** Whether the answer depends on the snapshot and the target alone, if it waits for nothing, and is asked for often. */
  readonly isKept?: boolean
  /** Short title: `List CVEs`. */
  readonly summary: string
  /** Content and order of the answer, in Markdown. */
  readonly description: string
  /** Path and query of the example request; its answer is in `openapi/examples.json`. */
  readonly example?: string
  /** Errors in addition to those that its parameters imply: `['not_found']` for one entry of a catalog. */
  readonly errors?: readonly ErrorCode[]
}

interface RouteSpec<C, P extends Schema, Q extends Schema> extends RouteHead {
  params: ParamSchemas<P, Q>
  /** The body of a 200. */
  answer: ZodType
  /** Gets path and query parameters in one object. */
  handle(context: C, params: PathValues<P> & QueryValues<Q>): Steps<Answer>
}

/** A request with valid parameters. */
export interface Question<C> {
  /** The snapshot that it asks for; null for the current one. */
  readonly snapshot: SnapshotChoice | null
  answer(context: C): Steps<Answer>
}

/** A route without its parameter types, so that all routes fit in one table. */
export interface Route<C> extends RouteHead {
  readonly params: ParamSchemas<Schema, Schema>
  readonly answer: ZodType
  /**
   * Validates the parameters.
   * @throws ApiError 400 before any lookup
   */
  read(rawPath: Readonly<Record<string, string>>, rawQuery: string): Question<C>
}

const ASKED = { snapshot: snapshotAt() }

/** `C` is what the app's `context` returns: the inputs of handlers in addition to parameters, with the subject. */
export function defineRoute<C, P extends Schema, Q extends Schema>(spec: RouteSpec<C, P, Q>): Route<C> {
  const { params: own, handle, ...head } = spec
  const { path } = own
  const params = spec.spansSnapshots ? own : { path, query: { ...own.query, ...ASKED } }
  return {
    ...head,
    params,
    read: (rawPath, rawQuery) => {
      const values: PathValues<P> & QueryValues<Q> & { snapshot?: SnapshotChoice | undefined } = parseParams(
        params,
        rawPath,
        rawQuery,
      )
      const snapshot = values.snapshot ?? null
      // It selects no rows.
      if (snapshot !== null) values.snapshot = undefined
      return { snapshot, answer: (context) => handle(context, values) }
    },
  }
}
