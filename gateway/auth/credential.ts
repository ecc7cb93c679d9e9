/** Finds the token of a request: in the `Authorization` header, or in a browser's session cookie (rules 13, 16). */
import { unauthenticated } from '../http/errors.ts'
import type { RequestHeaders } from '../http/request-headers.ts'

const SCHEME = /^bearer +/i
const isBearer = (authorization: string) => /^bearer\b/i.test(authorization)
const NO_TOKEN = 'the Authorization header must be "Bearer <access token>"'
/** Three base64url parts: a signed JWT in compact form (RFC 7515 7.1). */
const COMPACT_JWS = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*$/

/** Returns the unverified token. The cookie counts only without a bearer token. @throws ApiError 401 without a token */
export function findToken(headers: RequestHeaders, cookieName: string): string {
  const { authorization, cookie } = headers
  if (authorization !== undefined) {
    if (headers.authorizations > 1)
      throw unauthenticated('the request has more than one Authorization header', 'malformed')
    if (authorization.startsWith('Bearer ') && authorization.charCodeAt(7) !== 0x20) return authorization.slice(7)
    const scheme = SCHEME.exec(authorization)
    if (scheme !== null) return authorization.slice(scheme[0].length)
    // Credentials of another scheme are for a proxy: they are no token, so the cookie counts.
    if (isBearer(authorization)) throw unauthenticated(NO_TOKEN, 'missing')
  }
  const session = cookie === undefined ? undefined : findCookie(cookie, cookieName)
  if (session === undefined || session === '') {
    if (authorization !== undefined) throw unauthenticated(NO_TOKEN, 'missing')
    throw unauthenticated('an access token is required; send "Authorization: Bearer <access token>"', 'missing')
  }
  return session
}

export function isCompactJws(token: string): boolean {
  return COMPACT_JWS.test(token)
}

/** Browsers send the most specific path first (RFC 6265 5.4). */
function findCookie(header: string, name: string): string | undefined {
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=')
    if (equals === -1 || pair.slice(0, equals).trim() !== name) continue
    const value = pair.slice(equals + 1).trim()
    return value.startsWith('"') && value.endsWith('"') && value.length > 1 ? value.slice(1, -1) : value
  }
  return undefined
}
