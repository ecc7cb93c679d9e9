/**
 * Answers the requests of other tools, on a port of their own. The checks have the order of the API: token (or the limit
 * of the address), route (404), method (405), body.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { notFound, unavailable } from '../../corpus/answers/errors.ts'
import { quote } from '../../corpus/answers/parameters/parameter.ts'
import { type Piece, spliceGzip, splicePlain } from '../../corpus/snapshot/index.ts'
import type { Subject } from '../auth/subject.ts'
import { methodNotAllowed } from '../http/errors.ts'
import { createGate, type GateDeps, type GateOptions, type Passage, type Visit, withOwn } from '../http/gate.ts'
import { acceptsGzip, CACHING, type HeaderList, sendBody } from '../http/reply.ts'
import { assertRequest, type RequestHeaders, readHeaders } from '../http/request-headers.ts'
import { parseTarget } from '../http/target.ts'
import type { ApiIndex } from './api-index.ts'
import { type Bodies, createBodies, expectsContinue } from './body.ts'
import type { ScoreIndex } from './epss-scores.ts'
import {
  ClientGone,
  type CompatAnswer,
  type CompatInterface,
  type CompatRequest,
  type CompatRoute,
  type PackageIndex,
} from './interface.ts'
import { countWork } from './work.ts'

export type CompatAuth = 'bearer' | 'none'

export interface CompatOptions extends GateOptions {
  /** `none` accepts requests without a token, and limits them per address. */
  auth: CompatAuth
}

export interface CompatDeps extends GateDeps {
  interfaces: readonly CompatInterface[]
  /** Keeps the current snapshot open until `release`. Null if it has no packages. The subject is null without a token. */
  openPackages(subject: Subject | null): { index: PackageIndex | null; release(): void }
  /** As `openPackages`. Null if the snapshot has no EPSS. */
  openScores(subject: Subject | null): { index: ScoreIndex | null; release(): void }
  openApi(subject: Subject | null): { index: ApiIndex; release(): void }
}

export function createCompatApp({ auth, ...options }: CompatOptions, deps: CompatDeps): RequestListener {
  const gate = createGate(options, deps)
  const shared = createBodies()
  const routes = deps.interfaces.flatMap(({ routes, bodies: bounds, ...own }) => {
    const bodies = bounds === undefined ? shared : createBodies(bounds)
    return routes.map((route): ListedRoute => ({ ...route, ...own, bodies }))
  })

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname: path, search } = parseTarget(request)
    const route = routes.find((one) => one.path.test(path)) ?? null
    const visit: Visit = { method: request.method, headers: request.headers, socket: request.socket, path }
    const headers = readHeaders(request.rawHeaders)
    const passage = gate.open(headers, route?.name ?? null)
    const send = ({ status, body, headers: own = [], type = route?.type }: Omit<CompatAnswer, 'servedFrom'>) => {
      const { bytes, coding } = encoded(body, headers.acceptEncoding)
      const all = withOwn([...CACHING, ...own, ...coding, 'RateLimit-Policy', deps.limits.policy], passage)
      const sent = sendBody(response, status, [...all], bytes, request.method === 'HEAD', type)
      gate.note(visit, sent, passage)
    }
    try {
      assertRequest(response, headers)
      await admit(passage, headers, visit)
      if (route === null) throw notFound(`no endpoint has the path ${quote(path)}`)
      const { methods } = route
      if (!methods.some((method) => method === request.method)) throw methodNotAllowed(methods.join(', '))
      const answer = await answerOf(route, { path, search, headers: request.headers, visit, passage }, response)
      passage.servedFrom = answer.servedFrom
      if (route.isFree) await gate.refund(passage, visit)
      await drained(request, response)
      send(answer)
    } catch (thrown) {
      if (thrown instanceof ClientGone) return void response.destroy()
      const error = await gate.judge(thrown, visit, passage)
      if (route?.isFree && error.status === 404) await gate.refund(passage, visit)
      await drained(request, response)
      if (response.headersSent) return void response.destroy()
      const body = route ? route.errorBody(error) : error.body
      send({ status: error.status, body, headers: Object.entries(error.headers).flat() })
    }
  }

  async function admit(passage: Passage, headers: RequestHeaders, visit: Visit): Promise<void> {
    await (auth === 'none' ? gate.admitAddress(passage, visit) : gate.admit(passage, headers))
  }

  async function answerOf(
    route: ListedRoute,
    {
      passage,
      visit,
      ...target
    }: Pick<CompatRequest, 'path' | 'search' | 'headers'> & { passage: Passage; visit: Visit },
    response: ServerResponse,
  ): Promise<CompatAnswer> {
    let release = () => {}
    const held = <Index>({ index, ...opened }: { index: Index | null; release(): void }, missing: string): Index => {
      release = opened.release
      if (index === null) throw unavailable(`the snapshot has no ${missing} and build it again`, RETRY_SECONDS)
      return index
    }
    const packages = () => held(deps.openPackages(passage.subject), 'packages; ingest a feed of advisories')
    const scores = () => held(deps.openScores(passage.subject), 'EPSS scores; ingest the feed EPSS')
    const api = () => {
      const opened = deps.openApi(passage.subject)
      release = opened.release
      return opened.index
    }
    const origin = () => deps.limits.originOf(visit)
    const work = countWork({ charge: () => gate.charge(passage, visit), isGone: () => response.closed })
    const handle = async (parsed: unknown) =>
      route.handle({ ...target, body: parsed, origin, packages, scores, api, work })
    const sharer = passage.subject ? `subject ${passage.subject.sub}` : `address ${deps.limits.addressOf(visit)}`
    try {
      const { body, bodies } = route
      return await (body && response.req.method === 'POST'
        ? bodies.use(response, body, sharer, handle)
        : handle(undefined))
    } finally {
      release()
    }
  }

  return (request, response) => void serve(request, response)
}

/** A route with what its interface states for all of them. */
type ListedRoute = CompatRoute & Omit<CompatInterface, 'routes' | 'bodies'> & { bodies: Bodies }

/** Returns the body and the headers of its coding. */
function encoded(
  body: CompatAnswer['body'],
  acceptEncoding: string | undefined,
): { bytes: Buffer; coding: HeaderList } {
  if (typeof body === 'string') return { bytes: Buffer.from(body), coding: [] }
  if (!isPieces(body)) return { bytes: Buffer.from(JSON.stringify(body)), coding: [] }
  const vary = ['Vary', 'Accept-Encoding']
  if (!acceptsGzip(acceptEncoding)) return { bytes: splicePlain(body), coding: vary }
  return { bytes: spliceGzip(body), coding: [...vary, 'Content-Encoding', 'gzip'] }
}

const isPieces = (body: CompatAnswer['body']): body is readonly Piece[] => Array.isArray(body)

/** A snapshot with packages or scores may be built later. */
const RETRY_SECONDS = 60

/** Time for the client to send a body that nobody reads, in ms. */
const DRAIN_MS = 1000

/**
 * Discards the rest of a body before its answer. If unread bytes remained, the connection would be reset, and the
 * client would lose the answer. A longer body is cut, and its connection closes.
 */
async function drained(request: IncomingMessage, response: ServerResponse): Promise<void> {
  // A client that waits for a 100 sends nothing before it.
  const sendsNothing = expectsContinue(request) && request.readableFlowing === null
  if (!request.complete && !request.destroyed && !sendsNothing) {
    request.resume()
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, DRAIN_MS)
      request.once('close', () => {
        clearTimeout(timer)
        resolve()
      })
    })
  }
  if (!request.complete) response.shouldKeepAlive = false
}
