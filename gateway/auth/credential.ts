/** Finds the token of a request: in the `Authorization` header, or in a browser's session cookie (rules 13, 16). */
import { unauthenticated } from '../http/errors.ts'
import type { RequestHeaders } from '../http/request-headers.ts'
import type { SessionCookie } from './session.ts'

const SCHEME = /^bearer +/i
const isBearer = (authorization: string) => /^bearer\b/i.test(authorization)
const NO_TOKEN = 'the Authorization header must be "Bearer <access token>"'
/** Three base64url parts: a signed JWT in compact form (RFC 7515 7.1). */
const COMPACT_JWS = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*$/

export interface Credential {
  /** Not verified. */
  token: string
  isCookie: boolean
}

/** The cookie counts only without a bearer token. @throws ApiError 401 without a token */
export function findCredential(headers: RequestHeaders, sessionCookie: SessionCookie): Credential {
  const { authorization, cookie } = headers
  if (authorization !== undefined) {
    if (headers.authorizations > 1)
      throw unauthenticated('the request has more than one Authorization header', 'malformed')
    if (authorization.startsWith('Bearer ') && authorization.charCodeAt(7) !== 0x20)
      return bearer(authorization.slice(7))
    const scheme = SCHEME.exec(authorization)
    if (scheme !== null) return bearer(authorization.slice(scheme[0].length))
    // Credentials of another scheme are for a proxy: they are no token, so the cookie counts.
    if (isBearer(authorization)) throw unauthenticated(NO_TOKEN, 'missing')
  }
  const session = cookie === undefined || isForeign(headers) ? undefined : sessionCookie.find(cookie)
  if (session === undefined || session === '') {
    if (authorization !== undefined) throw unauthenticated(NO_TOKEN, 'missing')
    throw unauthenticated('an access token is required; send "Authorization: Bearer <access token>"', 'missing')
  }
  return { token: session, isCookie: true }
}

const bearer = (token: string): Credential => ({ token, isCookie: false })

/**
 * Whether a page of another host has made the request, unless it opens an address (Fetch Metadata). `SameSite` keeps the
 * cookie from other sites, not from other hosts of the same domain.
 */
export const isForeign = ({ fetchSite, fetchMode }: RequestHeaders): boolean =>
  (fetchSite === 'cross-site' || fetchSite === 'same-site') && fetchMode !== 'navigate'

export function isCompactJws(token: string): boolean {
  return COMPACT_JWS.test(token)
}
