/** What every listener does with a request besides its answer: token, limits, errors, log and metrics. */
import type { IncomingMessage } from 'node:http'
import type { ServedFrom } from '../../corpus/answers/answer.ts'
import { type ApiError, asApiError } from '../../corpus/answers/errors.ts'
import type { Authenticator } from '../auth/authenticator.ts'
import type { Subject } from '../auth/subject.ts'
import { type LimitState, limitHeader } from '../limits/limiter.ts'
import type { Limits } from '../limits/limits.ts'
import type { LimitName, Meter } from '../metrics/meter.ts'
import type { Log } from '../process/log.ts'
import { type LimitedLog, limitLines } from '../process/log-limit.ts'
import { type AuthFault, forbidden, rateLimited } from './errors.ts'
import type { HeaderList, Sent } from './reply.ts'
import type { RequestHeaders } from './request-headers.ts'
import { requestId } from './request-id.ts'

export interface GateOptions {
  /** If true, only administrators are accepted (rule 14). */
  preview?: boolean
  accessLog?: boolean
}

export interface GateDeps {
  authenticate: Authenticator
  limits: Limits
  /** Counts requests; without it, nothing is counted. */
  meter?: Meter | undefined
  log: Log
}

/** The state of one request, for headers, log and metrics. */
export interface Passage {
  /** For `X-Request-Id` and the log. */
  id: string
  began: number
  /** The path template; null if no route matches. */
  route: string | null
  subject: Subject | null
  /** The limit of the subject or address; null until it is known. */
  limitState: LimitState | null
  servedFrom: ServedFrom | null
  /** The query, once validated: unknown parameters, which can contain secrets, are rejected and not logged. */
  query: string
}

export type Visit = Pick<IncomingMessage, 'method' | 'headers' | 'socket'> & { path: string }

export interface Gate {
  open(headers: RequestHeaders, route: string | null): Passage
  /**
   * Accepts a valid token within the limit of its subject. Returns a promise only if it must wait.
   * @throws or rejects with ApiError 401, 403 or 429
   */
  admit(passage: Passage, headers: RequestHeaders): void | Promise<void>
  /** Accepts any client within the limit of its address. @throws or rejects with ApiError 429 */
  admitAddress(passage: Passage, request: Visit): void | Promise<void>
  /** Takes one more unit for an accepted request that needs much work. It may be the last, or exceed the quota. */
  charge(passage: Passage, request: Visit): Promise<void>
  /**
   * Returns the unit that a subject's or address's request has used, at most the quota per window. Returns a promise only
   * if the answer must wait.
   */
  refund(passage: Passage, request: Visit): void | Promise<void>
  /** Returns the error to answer, and logs it. A 401 becomes a 429 after too many failed tokens of the address. */
  judge(thrown: unknown, request: Visit, passage: Passage): Promise<ApiError>
  /** Logs and counts an answered request. */
  note(request: Visit, sent: Sent, passage: Passage): void
  logLimited: LimitedLog
}

export function createGate(
  { preview = true, accessLog = true }: GateOptions,
  { authenticate, limits, meter, log }: GateDeps,
): Gate {
  const logLimited = limitLines(log)

  function admitSubject(passage: Passage, subject: Subject): void | Promise<void> {
    passage.subject = subject
    if (preview && !subject.admin) return refuseSubject(passage, subject)
    return count(passage, limits.subjects.take(subject.sub), 'subject')
  }

  async function refuseSubject(passage: Passage, subject: Subject): Promise<void> {
    passage.limitState = await limits.subjects.look(subject.sub)
    throw forbidden()
  }

  function count(passage: Passage, taken: LimitState | Promise<LimitState>, limit: LimitName): void | Promise<void> {
    if (taken instanceof Promise) return taken.then((state) => count(passage, state, limit))
    passage.limitState = taken
    if (!taken.refused) return
    meter?.refused(limit)
    const who = limit === 'subject' ? 'account' : 'address'
    throw rateLimited(`this ${who} has used its request quota`, taken.resetSeconds)
  }

  /** Logs a 5xx error with its stack. A 503 without a cause is a warning without a stack. */
  function logFault(error: ApiError, request: Visit, { id, route }: Passage): void {
    const path = shownPath(request)
    if (error.status === 503 && error.cause === undefined) logLimited('warn', { id, path }, error.message)
    else logLimited('error', { id, err: error.cause ?? error, path }, error.message, route ?? '')
  }

  /**
   * Returns the 401, or a 429 after too many failed tokens from the address. Neither a missing token nor an expired session
   * is a failed token.
   */
  async function judgeFailure(error: ApiError, request: Visit): Promise<ApiError> {
    meter?.unrecognised(error.fault as AuthFault)
    if (error.fault === 'missing' || error.fault === 'session') return error
    const limitState = await limits.failedTokens.take(limits.addressOf(request))
    if (!limitState.refused) return error
    meter?.refused('address')
    return rateLimited('too many invalid tokens from this address', limitState.resetSeconds)
  }

  return {
    open: (headers, route) => ({
      id: requestId(headers.requestId),
      began: performance.now(),
      route,
      subject: null,
      limitState: null,
      servedFrom: null,
      query: '',
    }),
    admit(passage, headers) {
      const known = authenticate(headers)
      return known instanceof Promise
        ? known.then((subject) => admitSubject(passage, subject))
        : admitSubject(passage, known)
    },
    admitAddress: (passage, request) => count(passage, limits.anonymous.take(limits.addressOf(request)), 'anonymous'),
    async charge(passage, request) {
      const { subject } = passage
      passage.limitState = await (subject
        ? limits.subjects.take(subject.sub)
        : limits.anonymous.take(limits.addressOf(request)))
    },
    refund(passage, request) {
      const { subject, limitState } = passage
      if (!limitState?.refundable) return
      passage.limitState = { ...limitState, left: limitState.left + 1 }
      return subject
        ? limits.subjects.giveBack(subject.sub, limitState)
        : limits.anonymous.giveBack(limits.addressOf(request), limitState)
    },
    async judge(thrown, request, passage) {
      const caught = asApiError(thrown)
      const error = caught.fault === undefined ? caught : await judgeFailure(caught, request)
      // A 501 is a fault of the request.
      if (error.status >= 500 && error.code !== 'not_implemented') logFault(error, request, passage)
      else log.debug({ id: passage.id, error: error.code, fault: caught.fault }, 'request rejected')
      return error
    },
    note(request, sent, { id, began, route, subject, servedFrom, query }) {
      const ms = performance.now() - began
      meter?.answered(route, sent, servedFrom, ms / 1000)
      if (!accessLog) return
      log.access({
        id,
        method: request.method!,
        path: shownPath(request),
        query,
        status: sent.status,
        bytes: sent.bytes,
        ms,
        subject: subject?.logName ?? null,
        from: servedFrom,
      })
    },
    logLimited,
  }
}

/** Adds `X-Request-Id`, and `RateLimit` if the limit is known (rules 16 and 17). */
export const withOwn = (more: HeaderList, { id, limitState }: Passage): HeaderList =>
  limitState === null
    ? [...more, 'X-Request-Id', id]
    : [...more, 'X-Request-Id', id, 'RateLimit', limitHeader(limitState)]

const SHOWN_PATH = 200

/** Prefix of login links; the code follows. A POST, or a link with a slash after it, does not use the code up. */
const LOGIN = '/login/'

/** Returns the path for the log, without secrets and the query: the query of a rejected request can contain secrets. */
function shownPath({ path }: Visit): string {
  if (path.startsWith(LOGIN)) return `${LOGIN}…`
  return path.length > SHOWN_PATH ? `${path.slice(0, SHOWN_PATH)}…` : path
}
