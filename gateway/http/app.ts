/**
 * Handles a request from the socket to its answer. API 6.17 defines the order of the checks: token (401, or 429 after
 * too many failed tokens), administrator (403), subject limit (429), route (404), method (405), parameters (400).
 */
import type { RequestListener, ServerResponse } from 'node:http'
import polka, { type Request } from 'polka'
import type { Authenticator } from '../auth/authenticator.ts'
import type { Subject } from '../auth/subject.ts'
import { type LimitState, limitHeader } from '../limits/limiter.ts'
import type { Limits } from '../limits/limits.ts'
import type { Meter } from '../metrics/meter.ts'
import { quote } from '../params/parameter.ts'
import type { Log } from '../process/log.ts'
import { limitLines } from '../process/log-limit.ts'
import type { ServedFrom } from './answer.ts'
import { createCors } from './cors.ts'
import { type ApiError, asApiError, forbidden, methodNotAllowed, notFound, rateLimited } from './errors.ts'
import type { OpenRoute } from './open-route.ts'
import { type HeaderList, isAnyNamed, isNamed, type Sent, sendAnswer, sendError, sendOpen } from './reply.ts'
import { assertRequest, readHeaders } from './request-headers.ts'
import type { Route } from './route.ts'
import { parseTarget, routeIndex } from './router.ts'

export interface AppOptions {
  /** Path prefix of every route. */
  prefix?: string
  /** If true, only administrators are accepted (rule 14). */
  preview?: boolean
  /** Origins of web pages that may read answers (CORS). Default: none. */
  origins?: readonly string[]
  accessLog?: boolean
}

export interface AppDeps<C> {
  /** In order of precedence: `/cnas/stats` before `/cnas/:slug`. */
  routes: readonly Route<C>[]
  openRoutes: readonly OpenRoute[]
  authenticate: Authenticator
  limits: Limits
  /** Counts requests; without it, nothing is counted. */
  meter?: Meter | undefined
  /**
   * Returns the inputs of handlers in addition to their parameters.
   * @throws ApiError 503 while no snapshot is loaded
   */
  context(subject: Subject, target: string): C
  log: Log
}

/** The state of one request, for headers, log and metrics. */
interface Passage {
  began: number
  /** The path template; null if no route matches. */
  route: string | null
  subject: Subject | null
  /** The subject's limit; null until it is known. */
  limitState: LimitState | null
  servedFrom: ServedFrom | null
  /** The query, once validated: unknown parameters, which can contain secrets, are rejected and not logged. */
  query: string
}

export function createApp<C>(options: AppOptions, deps: AppDeps<C>): RequestListener {
  const { prefix = '/api/v1', preview = true, origins = [], accessLog = true } = options
  const { log, limits, meter } = deps
  const logLimited = limitLines(log)
  const cors = createCors(origins, ['RateLimit-Policy', limits.policy])
  const openPaths = new Set(deps.openRoutes.map(({ path }) => path))

  const router = polka({
    // `serve` handles every error; this handles a fault in the router itself.
    onError: (error, _request, response) => {
      logLimited('error', { err: error }, 'request failed in the router')
      if (!response.headersSent) sendError(response, false, asApiError(error), [])
      else response.destroy()
    },
    onNoMatch: (request, response) => serve(null, request, response),
  })
  router.parse = parseTarget
  const table = routeIndex()
  router.find = table.find
  for (const route of deps.openRoutes) table.get(route.path, (request, response) => serveOpen(route, request, response))
  for (const route of deps.routes) {
    table.get(prefix + route.path, (request, response) => serve(route, request, response))
  }

  async function serve(route: Route<C> | null, request: Request, response: ServerResponse): Promise<void> {
    const passage: Passage = {
      began: performance.now(),
      route: route === null ? null : route.path,
      subject: null,
      limitState: null,
      servedFrom: null,
      query: '',
    }
    const headers = readHeaders(request.rawHeaders)
    const isHead = request.method === 'HEAD'
    const more = cors.headers(headers.origin)
    try {
      assertRequest(response, headers)
      const preflight = cors.preflight(request, headers, response)
      if (preflight !== null) return note(request, preflight, passage)
      if (openPaths.has(request.path)) throw methodNotAllowed()
      const known = deps.authenticate(headers)
      const subject = known instanceof Promise ? await known : known
      passage.subject = subject
      if (preview && !subject.admin) {
        passage.limitState = await limits.subjects.look(subject.sub)
        throw forbidden()
      }
      const taken = limits.subjects.take(subject.sub)
      const limitState = taken instanceof Promise ? await taken : taken
      passage.limitState = limitState
      if (limitState.refused) throw overLimit(limitState)
      if (route === null) throw noRoute(request)
      const proceed = route.read(rawParams(request), request.search.slice(1))
      passage.query = request.search
      const result = proceed(deps.context(subject, request.url))
      const answer = result instanceof Promise ? await result : result
      passage.servedFrom = answer.servedFrom
      const isKnown = isNamed(headers, answer)
      if (isKnown && limitState.refundable) passage.limitState = giveBack(subject, limitState)
      const unchanged = isKnown || isAnyNamed(headers)
      const sent = sendAnswer(response, headers, isHead, answer, unchanged, withLimit(more, passage.limitState))
      note(request, sent, passage)
    } catch (thrown) {
      const caught = asApiError(thrown)
      const error = caught.fault === undefined ? caught : await judgeFailure(caught, request)
      if (error.status >= 500) logFault(error, request, passage.route)
      if (response.headersSent) response.destroy()
      else note(request, sendError(response, isHead, error, withLimit(more, passage.limitState)), passage)
    }
  }

  /** Logs a 5xx error with its stack. A 503 without a cause is a warning without a stack. */
  function logFault(error: ApiError, request: Request, route: string | null): void {
    const path = pathOf(request)
    if (error.status === 503 && error.cause === undefined) logLimited('warn', { path }, error.message)
    else logLimited('error', { err: error.cause ?? error, path }, error.message, route ?? '')
  }

  function overLimit(limitState: LimitState): ApiError {
    meter?.refused('subject')
    return rateLimited('this account has used its request quota', limitState.resetSeconds)
  }

  /** A 304 is free if the client sent the content's tag (rule 16). `*` is not: it would make every answer free. */
  function giveBack(subject: Subject, taken: LimitState): LimitState {
    limits.subjects.giveBack(subject.sub, taken)
    return { ...taken, left: taken.left + 1 }
  }

  /** Returns the 401, or a 429 after too many failed tokens from the address. A missing token is not a failed one. */
  async function judgeFailure(error: ApiError, request: Request): Promise<ApiError> {
    meter?.unrecognised(error.fault!)
    if (error.fault === 'missing') return error
    const limitState = await limits.failedTokens.take(limits.addressOf(request))
    if (!limitState.refused) return error
    meter?.refused('address')
    return rateLimited('too many invalid tokens from this address', limitState.resetSeconds)
  }

  function serveOpen(route: OpenRoute, request: Request, response: ServerResponse): void {
    const isHead = request.method === 'HEAD'
    try {
      const headers = readHeaders(request.rawHeaders)
      assertRequest(response, headers)
      sendOpen(response, headers.acceptEncoding, isHead, route.answer())
    } catch (thrown) {
      sendError(response, isHead, asApiError(thrown), [])
    }
  }

  /** Returns 405 if a GET of the path would match a route, else 404. */
  function noRoute(request: Request) {
    return router.find('GET', request.path).handlers.length > 0
      ? methodNotAllowed()
      : notFound(`no endpoint has the path ${quote(request.path)}`)
  }

  /** Returns the undecoded path parameters: the router decodes them and hides decoding errors. */
  function rawParams(request: Request): Record<string, string> {
    return request.path.includes('%') ? router.find('GET', request.path).params : request.params
  }

  function note(request: Request, sent: Sent, passage: Passage): void {
    const { began, route, subject, servedFrom, query } = passage
    const ms = performance.now() - began
    meter?.answered(route, sent, servedFrom, ms / 1000)
    if (!accessLog) return
    log.access({
      method: request.method,
      path: pathOf(request),
      query,
      status: sent.status,
      bytes: sent.bytes,
      ms,
      subject: subject?.logName ?? null,
      from: servedFrom,
    })
  }

  // Polka calls its own handler chain if `next` is absent; its types do not declare this.
  return router.handler as RequestListener
}

/** Adds `RateLimit` if the subject is known (rule 16). */
const withLimit = (more: HeaderList, limitState: LimitState | null): HeaderList =>
  limitState === null ? more : [...more, 'RateLimit', limitHeader(limitState)]

const SHOWN_PATH = 200

/** Returns the path for the log, without the query: the query of a rejected request can contain secrets. */
function pathOf({ path }: Request): string {
  return path.length > SHOWN_PATH ? `${path.slice(0, SHOWN_PATH)}…` : path
}
