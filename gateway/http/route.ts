/** A row of the route table: path, parameters, answer and handler in one place, from which everything else is made. */
import type { ZodType } from 'zod'
import type { PathValues, QueryValues, Schema } from '../params/parameter.ts'
import { type ParamSchemas, parseParams } from '../params/parse.ts'
import type { Answer } from './answer.ts'
import type { ErrorCode } from './errors.ts'

/** What a route says of itself. */
interface RouteHead {
  /** What generated clients call it, as its constant is called: `getCve`. Never changed once it is out. */
  readonly name: string
  /** Below `/api/v1`, with `:name` for each path parameter: `/cves/:cveId`. */
  readonly path: string
  /** A few words: `List CVEs`. */
  readonly summary: string
  /** What it returns, and in which order; Markdown. */
  readonly description: string
  /** Path and query of the example request; its answer is in `openapi/examples.json`. */
  readonly example?: string
  /** What it may answer besides the errors that follow from its parameters: `['not_found']` of a catalog's detail. */
  readonly errors?: readonly ErrorCode[]
}

interface RouteSpec<C, P extends Schema, Q extends Schema> extends RouteHead {
  params: ParamSchemas<P, Q>
  /** The body of a 200. */
  answer: ZodType
  /** Path and query parameters come in one object. */
  handle(context: C, params: PathValues<P> & QueryValues<Q>): Answer | Promise<Answer>
}

/** A route whose parameter types are settled inside it, so that routes of all kinds can stand in one table. */
export interface Route<C> extends RouteHead {
  readonly params: ParamSchemas<Schema, Schema>
  readonly answer: ZodType
  /** Judges the parameters (400 before anything is looked up) and gives back what remains to be done. */
  read(rawPath: Readonly<Record<string, string>>, rawQuery: string): (context: C) => Answer | Promise<Answer>
}

/** `C` is what handlers are given besides parameters: whatever the app's `context` makes, with the subject in it. */
export function defineRoute<C, P extends Schema, Q extends Schema>(spec: RouteSpec<C, P, Q>): Route<C> {
  const { params, handle, ...head } = spec
  return {
    ...head,
    params,
    read: (rawPath, rawQuery) => {
      const values = parseParams(params, rawPath, rawQuery)
      return (context) => handle(context, values)
    },
  }
}
