/**
 * The way of a request from the socket to its handler and back. The order of judgement is that of decisions, "Errors":
 * 401, 403, unknown route, method, parameters, then the handler.
 */
import type { RequestListener, ServerResponse } from 'node:http'
import polka, { type Request } from 'polka'
import type { Authenticator } from './auth/authenticator.ts'
import type { Subject } from './auth/subject.ts'
import { createCors } from './cors.ts'
import { asApiError, forbidden, malformedRequest, methodNotAllowed, notFound, uriTooLong } from './errors.ts'
import type { Log } from './log.ts'
import type { OpenRoute } from './open-route.ts'
import { quote } from './params/kind.ts'
import { MAX_TARGET, type Sent, sendAnswer, sendError, sendOpen } from './reply.ts'
import { readHeaders } from './request-headers.ts'
import type { Route } from './route.ts'
import { parseTarget } from './target.ts'

export interface AppOptions {
  /** Path before every route. */
  prefix?: string
  /** While true, only administrators are let in (decisions 14). */
  preview?: boolean
  /** Origins of web pages that may read answers; none by default. */
  origins?: readonly string[]
  /** Whether each request leaves a line in the log. */
  accessLog?: boolean
}

export interface AppDeps<C> {
  /** In order of precedence: `/cnas/stats` before `/cnas/:slug`. */
  routes: readonly Route<C>[]
  openRoutes: readonly OpenRoute[]
  authenticate: Authenticator
  /** What handlers get besides their parameters; throws 503 while there is no snapshot. */
  context(subject: Subject): C
  log: Log
}

/** The way of one request so far: what the log tells of it. */
interface Passage {
  began: number
  subject: Subject | null
  servedFrom: string | null
  /** The query, once every name in it is known to be no secret. */
  query: string
}

export function createApp<C>(options: AppOptions, deps: AppDeps<C>): RequestListener {
  const { prefix = '/api/v1', preview = true, origins = [], accessLog = true } = options
  const { log } = deps
  const cors = createCors(origins)
  const openPaths = new Set(deps.openRoutes.map(({ path }) => path))

  const router = polka({
    // `serve` answers whatever is thrown; this remains for a fault in the router itself.
    onError: (error, _request, response) => {
      log.error({ err: error }, 'request failed outside its handler')
      if (!response.headersSent) sendError(response, false, asApiError(error), [])
      else response.destroy()
    },
    onNoMatch: (request, response) => serve(null, request, response),
  })
  router.parse = parseTarget
  for (const route of deps.openRoutes)
    router.get(route.path, (request, response) => serveOpen(route, request, response))
  for (const route of deps.routes) {
    router.get(prefix + route.path, (request, response) => serve(route, request, response))
  }

  async function serve(route: Route<C> | null, request: Request, response: ServerResponse): Promise<void> {
    const passage: Passage = { began: performance.now(), subject: null, servedFrom: null, query: '' }
    const headers = readHeaders(request.rawHeaders)
    const isHead = request.method === 'HEAD'
    // Nobody reads a body, so nobody should wait for the rest of it either.
    if (headers.body) response.shouldKeepAlive = false
    const preflight = cors.preflight(request, headers, response)
    if (preflight !== null) return note(request, preflight, passage)
    const more = cors.headers(headers.origin)
    try {
      if (request.url.length > MAX_TARGET) throw uriTooLong(MAX_TARGET)
      if (headers.host === undefined && request.httpVersionMinor === 1) throw malformedRequest()
      if (openPaths.has(request.path)) throw methodNotAllowed()
      const known = deps.authenticate(headers)
      const subject = known instanceof Promise ? await known : known
      passage.subject = subject
      if (preview && !subject.admin) throw forbidden()
      if (route === null) throw noRoute(request)
      const proceed = route.read(rawParams(request), request.search.slice(1))
      passage.query = request.search
      const result = proceed(deps.context(subject))
      const answer = result instanceof Promise ? await result : result
      passage.servedFrom = answer.servedFrom
      note(request, sendAnswer(response, headers, isHead, answer, more), passage)
    } catch (thrown) {
      const error = asApiError(thrown)
      if (error.status >= 500) log.error({ err: error.cause ?? error, path: pathOf(request) }, error.message)
      if (response.headersSent) response.destroy()
      else note(request, sendError(response, isHead, error, more), passage)
    }
  }

  function serveOpen(route: OpenRoute, request: Request, response: ServerResponse): void {
    const isHead = request.method === 'HEAD'
    try {
      sendOpen(response, request.headers['accept-encoding'], isHead, route.answer())
    } catch (thrown) {
      sendError(response, isHead, asApiError(thrown), [])
    }
  }

  /** 405 where the path would answer a GET, else 404. */
  function noRoute(request: Request) {
    return router.find('GET', request.path).handlers.length > 0
      ? methodNotAllowed()
      : notFound(`there is nothing at ${quote(request.path)}`)
  }

  /** The path's parameters as sent: the router decodes them, and hides where that fails. */
  function rawParams(request: Request): Record<string, string> {
    return request.path.includes('%') ? router.find('GET', request.path).params : request.params
  }

  function note(request: Request, sent: Sent, { began, subject, servedFrom, query }: Passage): void {
    if (!accessLog) return
    log.access({
      method: request.method,
      path: pathOf(request),
      query,
      status: sent.status,
      bytes: sent.bytes,
      ms: performance.now() - began,
      subject: subject?.logName ?? null,
      from: servedFrom,
    })
  }

  // Polka starts its own chain where `next` is left out, which its types do not know.
  return router.handler as RequestListener
}

const SHOWN_PATH = 200

/** The path for the log: never the query of a request that was refused, for it may hold anything. */
function pathOf({ path }: Request): string {
  return path.length > SHOWN_PATH ? `${path.slice(0, SHOWN_PATH)}…` : path
}
