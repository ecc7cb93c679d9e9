/** Errors of requests that no answer can have, and of the operator. */
import { ApiError, wholeSeconds } from '../../corpus/answers/errors.ts'
import { CodedError } from '../../corpus/errors/coded-error.ts'

export const ALLOWED_METHODS = 'GET, HEAD'

/** Reasons of a 401: the token is missing or invalid. `unknown` and `revoked` are those of API keys. */
export const AUTH_FAULTS = [
  'missing',
  'session',
  'malformed',
  'unknown',
  'revoked',
  'algorithm',
  'key',
  'signature',
  'issuer',
  'audience',
  'claims',
  'expired',
  'early',
] as const
export type AuthFault = (typeof AUTH_FAULTS)[number]

/** The challenge names an error only if the client sent a token (RFC 6750 3.1). */
export const unauthenticated = (message: string, fault: AuthFault) =>
  new ApiError('unauthenticated', message, {
    challenge: fault === 'missing' ? 'Bearer' : 'Bearer error="invalid_token"',
    fault,
  })

/** The page that asks renews the session after this challenge, if it can (`POST /auth/refresh`). */
export const sessionExpired = (isRenewable: boolean) =>
  new ApiError('unauthenticated', 'the session has expired; sign in again', {
    challenge: `Bearer error="invalid_token", error_description="${isRenewable ? 'session_expired' : 'session_ended'}"`,
    fault: 'session',
  })

export const forbidden = () =>
  new ApiError(
    'forbidden',
    'only administrators may use this service during the preview; use a token with the role admin, or let the operator ' +
      'start the gateway with --no-preview, which accepts every account',
  )

/** A request that another page could have sent for its user. */
export const crossSite = () =>
  new ApiError('forbidden', 'the header X-Requested-With is required: pages of other hosts cannot send it')

export const methodNotAllowed = (allow = ALLOWED_METHODS) =>
  new ApiError('method_not_allowed', `this method is not allowed; use ${allow.replace(/, (?=[^,]*$)/, ' or ')}`, {
    allow,
  })

/** The message ends with the time to wait, as in `Retry-After`. */
export function rateLimited(message: string, retryAfterSeconds: number): ApiError {
  const seconds = wholeSeconds(retryAfterSeconds)
  const wait = `retry in ${seconds} second${seconds === 1 ? '' : 's'}`
  return new ApiError('rate_limited', `${message}; ${wait}`, { retryAfterSeconds })
}

export const uriTooLong = (limit: number) =>
  new ApiError('uri_too_long', `the request target is longer than ${limit} characters`)

export const headersTooLarge = (limit: number) =>
  new ApiError('headers_too_large', `the request headers are larger than ${limit} bytes`)

export const tooManyHeaders = (limit: number) =>
  new ApiError('headers_too_large', `the request has more than ${limit} headers`)

export const malformedRequest = () => new ApiError('invalid_parameter', 'the HTTP request is malformed')

export const contentTooLarge = (message: string) => new ApiError('content_too_large', message)

export const unsupportedMediaType = (message: string) => new ApiError('unsupported_media_type', message)

export const notImplemented = (message: string) => new ApiError('not_implemented', message)

export const badHost = () =>
  new ApiError('invalid_parameter', 'the request must have exactly one Host header: a host, with or without a port')

export const expectationFailed = () =>
  new ApiError('expectation_failed', 'the only supported Expect header is 100-continue')

export const requestTimeout = () => new ApiError('request_timeout', 'the request did not arrive in time')

export type GatewayErrorCode =
  | 'bad_option'
  | 'port_in_use'
  | 'port_forbidden'
  | 'address_unavailable'
  | 'key_file'
  | 'access_policy'
  | 'worker_ended'
  | 'no_snapshot'

/** An error that the operator can fix. It is printed as one line without a stack. */
export class GatewayError extends CodedError<GatewayErrorCode> {}
