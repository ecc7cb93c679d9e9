/** The request headers that the gateway uses, read in one pass over the raw list, and the checks for all requests. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { MAX_HEADERS, MAX_TARGET } from '../process/bounds.ts'
import { badHost, expectationFailed, tooManyHeaders, uriTooLong } from './errors.ts'

export interface RequestHeaders {
  host: string | undefined
  /** Number of `Host` headers. Node keeps the first and hides others; more than one is a 400 (RFC 9112 3.2). */
  hosts: number
  authorization: string | undefined
  /** Number of `Authorization` headers. Node keeps the first and hides others; more than one is a 401 (rule 16). */
  authorizations: number
  cookie: string | undefined
  acceptEncoding: string | undefined
  ifNoneMatch: string | undefined
  origin: string | undefined
  /** `X-Requested-With`. Another page needs the permission of the server to send it (Fetch, "CORS-preflight request"). */
  requestedWith: string | undefined
  /** `Sec-Fetch-Site` and `Sec-Fetch-Mode`: where a browser's request comes from. Pages cannot set them (Fetch Metadata). */
  fetchSite: string | undefined
  fetchMode: string | undefined
  /** `X-Request-Id`, not validated. A repeated header is joined with a blank, and therefore invalid. */
  requestId: string | undefined
  /** `Expect`, unless it is `100-continue`, which Node handles. */
  expectation: string | undefined
}

const CONTINUE = /^\s*100-continue\s*$/i

/** `raw` is Node's `rawHeaders`: name, value, name, value. Joins repeated list headers (RFC 9110 5.3). */
export function readHeaders(raw: readonly string[]): RequestHeaders {
  const headers: RequestHeaders = {
    host: undefined,
    hosts: 0,
    authorization: undefined,
    authorizations: 0,
    cookie: undefined,
    acceptEncoding: undefined,
    ifNoneMatch: undefined,
    origin: undefined,
    requestedWith: undefined,
    fetchSite: undefined,
    fetchMode: undefined,
    requestId: undefined,
    expectation: undefined,
  }
  for (let i = 0; i < raw.length; i += 2) {
    const value = raw[i + 1]!
    switch (raw[i]!.toLowerCase()) {
      case 'host':
        headers.host ??= value
        headers.hosts++
        break
      case 'authorization':
        headers.authorization ??= value
        headers.authorizations++
        break
      case 'cookie':
        headers.cookie = joined(headers.cookie, value, '; ')
        break
      case 'accept-encoding':
        headers.acceptEncoding = joined(headers.acceptEncoding, value, ', ')
        break
      case 'if-none-match':
        headers.ifNoneMatch = joined(headers.ifNoneMatch, value, ', ')
        break
      case 'origin':
        headers.origin = value
        break
      case 'x-requested-with':
        headers.requestedWith = value
        break
      case 'sec-fetch-site':
        headers.fetchSite = value
        break
      case 'sec-fetch-mode':
        headers.fetchMode = value
        break
      case 'x-request-id':
        headers.requestId = joined(headers.requestId, value, ', ')
        break
      case 'expect':
        if (!CONTINUE.test(value)) headers.expectation = value
        break
    }
  }
  return headers
}

function joined(before: string | undefined, value: string, separator: string): string {
  return before === undefined ? value : before + separator + value
}

/** Returns whether the request has more than `MAX_HEADERS` headers. Node drops further ones. */
export const hasTooManyHeaders = ({ rawHeaders }: IncomingMessage) => rawHeaders.length > 2 * MAX_HEADERS

/** `uri-host [":" port]` (RFC 3986 3.2.2); may be empty. */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\w.:%-]*\])(?::\d*)?$/

export const isHost = (text: string): boolean => HOST.test(text)

/**
 * Rejects a request that gets the same error on every path. After an invalid `Host`, the connection closes: a proxy may
 * have interpreted the request differently.
 * @throws ApiError with status 400 (RFC 9112 3.2), 414, 417 or 431
 */
export function assertRequest(response: ServerResponse, { host, hosts, expectation }: RequestHeaders): void {
  const { req: request } = response
  if (request.url!.length > MAX_TARGET) throw uriTooLong(MAX_TARGET)
  if (hasTooManyHeaders(request)) throw tooManyHeaders(MAX_HEADERS)
  if (hosts > 1 || (host === undefined ? request.httpVersionMinor === 1 : !isHost(host))) {
    response.shouldKeepAlive = false
    throw badHost()
  }
  if (expectation !== undefined) throw expectationFailed()
}
