/**
 * Handles a request from the socket to its answer. API 6.17 defines the order of the checks: token (401, or 429 after
 * too many failed tokens), administrator (403), subject limit (429), route (404), method (405), parameters (400).
 */
import type { RequestListener, ServerResponse } from 'node:http'
import polka, { type Request } from 'polka'
import { asApiError, notFound } from '../../corpus/answers/errors.ts'
import { routeMatcher } from '../../corpus/answers/match.ts'
import { quote } from '../../corpus/answers/parameters/parameter.ts'
import type { Question, Route } from '../../corpus/answers/route.ts'
import type { Subject } from '../auth/subject.ts'
import { createCors } from './cors.ts'
import type { EncodedAnswer } from './encoded-answer.ts'
import { ALLOWED_METHODS, methodNotAllowed } from './errors.ts'
import { createGate, type GateDeps, type GateOptions, withOwn } from './gate.ts'
import type { OpenRoute } from './open-route.ts'
import { cachingOf, isAnyNamed, isNamed, sendAnswer, sendError, sendOpen } from './reply.ts'
import { assertRequest, readHeaders } from './request-headers.ts'
import { requestId } from './request-id.ts'
import { parseTarget } from './target.ts'

export interface AppOptions extends GateOptions {
  /** Path prefix of every route. */
  prefix?: string
  /** Origins of web pages that may read answers (CORS). Default: none. */
  origins?: readonly string[]
  /** Names of routes that need no token. They have a limit for each address. */
  anonymous?: readonly string[]
}

export interface AppDeps<C> extends GateDeps {
  /** In order of precedence: `/cnas/stats` before `/cnas/:slug`. */
  routes: readonly Route<C>[]
  openRoutes: readonly OpenRoute[]
  /** `target` is without the prefix; `charge` takes one more unit of the quota. @throws or rejects with ApiError */
  answer(
    route: Route<C>,
    question: Question<C>,
    subject: Subject,
    target: string,
    charge: () => Promise<void>,
  ): EncodedAnswer | Promise<EncodedAnswer>
}

/** Paths match in any case. */
const hasPrefix = (path: string, prefix: string): boolean =>
  path.startsWith(prefix) || path.slice(0, prefix.length).toLowerCase() === prefix

/** The caller of a route that needs no token. */
const NOBODY: Subject = { sub: '', logName: '', admin: false, tier: 0 }

export function createApp<C>(options: AppOptions, deps: AppDeps<C>): RequestListener {
  const { prefix = '/api/v1', origins = [] } = options
  const anonymous = new Set(options.anonymous)
  const gate = createGate(options, deps)
  const cors = createCors(origins, ['RateLimit-Policy', deps.limits.policy])

  const router = polka({
    // `serve` handles every error; this handles a fault in the router itself.
    onError: (error, request, response) => {
      const id = requestId(readHeaders(request.rawHeaders).requestId)
      gate.logLimited('error', { id, err: error }, 'request failed in the router')
      if (!response.headersSent) sendError(response, false, asApiError(error), ['X-Request-Id', id])
      else response.destroy()
    },
    onNoMatch: (request, response) => serve(null, request, response),
  })
  router.parse = parseTarget
  const openRouter = polka()
  for (const route of deps.openRoutes) {
    const handler = (request: Request, response: ServerResponse) => serveOpen(route, request, response)
    if (route.method === 'POST') openRouter.post(route.path, handler)
    else openRouter.get(route.path, handler)
  }
  const match = routeMatcher(deps.routes)
  const handlers = new Map(
    deps.routes.map((route) => [
      route,
      [(request: Request, response: ServerResponse) => serve(route, request, response)],
    ]),
  )
  // The routes of the API match as they do without a gateway.
  router.find = (method, path) => {
    const isRead = method === 'GET' || method === 'HEAD'
    const found = isRead && hasPrefix(path, prefix) ? match(path.slice(prefix.length)) : null
    return found ? { params: found.values, handlers: handlers.get(found.route)! } : openRouter.find(method, path)
  }

  async function serve(route: Route<C> | null, request: Request, response: ServerResponse): Promise<void> {
    const headers = readHeaders(request.rawHeaders)
    const passage = gate.open(headers, route === null ? null : route.path)
    const isHead = request.method === 'HEAD'
    const more = cors.headers(headers.origin)
    try {
      assertRequest(response, headers)
      const preflight = cors.preflight(request, headers, response, passage.id)
      if (preflight !== null) return gate.note(request, preflight, passage)
      const allowed = openMethods(request)
      if (allowed !== null) throw methodNotAllowed(allowed)
      const isAnonymous = route !== null && anonymous.has(route.name)
      const admitted = isAnonymous ? gate.admitAddress(passage, request) : gate.admit(passage, headers)
      if (admitted !== undefined) await admitted
      if (route === null) throw noRoute(request)
      const question = route.read(rawParams(request), request.search.slice(1))
      passage.query = request.search
      const charge = () => gate.charge(passage, request)
      const result = deps.answer(route, question, passage.subject ?? NOBODY, request.url.slice(prefix.length), charge)
      const answer = result instanceof Promise ? await result : result
      passage.servedFrom = answer.servedFrom
      const isKnown = isNamed(headers, answer)
      // A 304 is free if the client sent the content's tag (rule 16). `*` is not: it would make every answer free.
      const refunded = isKnown ? gate.refund(passage, request) : undefined
      if (refunded !== undefined) await refunded
      const unchanged = isKnown || isAnyNamed(headers)
      const sent = sendAnswer(response, headers, isHead, answer, unchanged, [
        ...cachingOf(answer, question.snapshot, prefix),
        ...withOwn(more, passage),
      ])
      gate.note(request, sent, passage)
    } catch (thrown) {
      const error = await gate.judge(thrown, request, passage)
      if (response.headersSent) response.destroy()
      else gate.note(request, sendError(response, isHead, error, withOwn(more, passage)), passage)
    }
  }

  async function serveOpen(route: OpenRoute, request: Request, response: ServerResponse): Promise<void> {
    const isHead = request.method === 'HEAD'
    const headers = readHeaders(request.rawHeaders)
    const passage = gate.open(headers, route.path)
    const { id } = passage
    try {
      assertRequest(response, headers)
      const address = () => deps.limits.addressOf(request)
      const { path, params: parameters, search } = request
      const answer = route.answer({ path, parameters, search, address, isHead, headers })
      sendOpen(response, headers, isHead, answer instanceof Promise ? await answer : answer, id)
    } catch (thrown) {
      const caught = asApiError(thrown)
      const error = caught.fault === undefined ? caught : await gate.judge(caught, request, passage)
      if (error.status === 500) gate.logLimited('error', { id, err: error.cause, path: route.path }, error.message)
      if (response.headersSent) response.destroy()
      else sendError(response, isHead, error, ['X-Request-Id', id])
    }
  }

  /** Returns the methods of an open route, as in `Allow`; null if none has the path. */
  function openMethods({ path }: Request): string | null {
    if (openRouter.find('GET', path).handlers.length > 0) return ALLOWED_METHODS
    return openRouter.find('POST', path).handlers.length > 0 ? 'POST' : null
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

  // Polka calls its own handler chain if `next` is absent; its types do not declare this.
  return router.handler as RequestListener
}
