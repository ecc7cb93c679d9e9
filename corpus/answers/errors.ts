/** The errors that a client can get, with their statuses, codes and bodies (gateway/API.md, "Errors"). */
import { CodedError } from '../errors/coded-error.ts'
import type { Rejection } from '../model/claim.ts'
import { SnapshotError } from '../snapshot/index.ts'

export const STATUS = {
  invalid_parameter: 400,
  invalid_cursor: 400,
  unauthenticated: 401,
  forbidden: 403,
  tier_restricted: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  gone: 410,
  uri_too_long: 414,
  expectation_failed: 417,
  rate_limited: 429,
  headers_too_large: 431,
  internal: 500,
  unavailable: 503,
  overloaded: 503,
} as const

export type ErrorCode = keyof typeof STATUS

/** Errors of the interfaces of other tools. The API has none. */
const COMPAT_STATUS = { content_too_large: 413, unsupported_media_type: 415, not_implemented: 501 } as const
type CompatErrorCode = keyof typeof COMPAT_STATUS
const STATUSES = { ...STATUS, ...COMPAT_STATUS }

export interface ErrorBody {
  error: ErrorCode | CompatErrorCode
  message: string
  parameter?: string
  /** Why the CVE was rejected. */
  reason?: string | null
  /** The CVEs that replace a rejected one. */
  replaced_by?: string[]
}

export interface ErrorDetails {
  /** The invalid parameter, for a 400. */
  parameter?: string
  /** Becomes `Retry-After`, rounded up to whole seconds. */
  retryAfterSeconds?: number
  /** Becomes `WWW-Authenticate`. */
  challenge?: string
  /** Becomes `Allow`, for a 405. */
  allow?: string
  /** For a 401. */
  fault?: string
  /** For a 404 of a rejected CVE. */
  rejection?: Rejection
  /** For the log, never for the client. */
  cause?: unknown
}

/** An error response. `message` is for people. It never contains a token, a stack or a path of the server. */
export class ApiError extends CodedError<ErrorCode | CompatErrorCode> {
  readonly status: number
  readonly parameter: string | undefined
  readonly retryAfterSeconds: number | undefined
  readonly challenge: string | undefined
  readonly allow: string | undefined
  readonly fault: string | undefined
  readonly rejection: Rejection | undefined

  constructor(code: ErrorCode | CompatErrorCode, message: string, details: ErrorDetails = {}) {
    super(code, message, { cause: details.cause })
    this.status = STATUSES[code]
    this.parameter = details.parameter
    this.retryAfterSeconds = details.retryAfterSeconds
    this.challenge = details.challenge
    this.allow = details.allow
    this.fault = details.fault
    this.rejection = details.rejection
  }

  get body(): ErrorBody {
    const { code: error, message, parameter, rejection } = this
    return {
      error,
      message,
      ...(parameter !== undefined && { parameter }),
      ...(rejection && { reason: rejection.reason, replaced_by: rejection.replacedBy }),
    }
  }

  /** The headers that only this error has. */
  get headers(): Record<string, string> {
    const headers: Record<string, string> = {}
    if (this.challenge !== undefined) headers['WWW-Authenticate'] = this.challenge
    if (this.retryAfterSeconds !== undefined) headers['Retry-After'] = String(wholeSeconds(this.retryAfterSeconds))
    if (this.allow !== undefined) headers.Allow = this.allow
    return headers
  }
}

export const wholeSeconds = (seconds: number) => Math.max(1, Math.ceil(seconds))

export const invalidParameter = (parameter: string | undefined, message: string) =>
  new ApiError('invalid_parameter', message, parameter === undefined ? {} : { parameter })

export const invalidCursor = (message: string) => new ApiError('invalid_cursor', message, { parameter: 'cursor' })

export const tierRestricted = (cveId: string) =>
  new ApiError('tier_restricted', `${cveId} is outside the access tier of this account`)

export const notFound = (message: string, rejection?: Rejection) =>
  new ApiError('not_found', message, rejection ? { rejection } : {})

export const gone = (message: string) => new ApiError('gone', message)

export const unavailable = (message: string, retryAfterSeconds: number, cause?: unknown) =>
  new ApiError('unavailable', message, { retryAfterSeconds, cause })

export const overloaded = (message: string, retryAfterSeconds: number) =>
  new ApiError('overloaded', message, { retryAfterSeconds })

/**
 * Returns the error of an answer that needs records which a partial mirror does not have; null for other errors. A
 * balancer asks the next gateway after a 503. It has no `Retry-After`: waiting does not help.
 */
export const leftOutAnswer = (thrown: unknown): ApiError | null =>
  thrown instanceof SnapshotError && thrown.code === 'left_out'
    ? new ApiError('unavailable', thrown.message, { cause: thrown })
    : null

/** Returns an error for the response. Anything but an `ApiError` is a bug and becomes `internal`, without details. */
export function asApiError(thrown: unknown): ApiError {
  const leftOut = leftOutAnswer(thrown)
  if (leftOut) return leftOut
  return thrown instanceof ApiError ? thrown : new ApiError('internal', 'internal error', { cause: thrown })
}
