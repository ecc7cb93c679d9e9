/** The few request headers that the gateway looks at, found in one pass over the raw list. */

export interface RequestHeaders {
  host: string | undefined
  /** Node keeps the first `Host` and hides others; two of them are 400 (RFC 9112 3.2). */
  hosts: number
  authorization: string | undefined
  /** Node keeps the first `Authorization` and hides others; two of them are 401 (rule 16). */
  authorizations: number
  cookie: string | undefined
  acceptEncoding: string | undefined
  ifNoneMatch: string | undefined
  origin: string | undefined
  /** `Expect`, unless it is the `100-continue` that node sees to. */
  expectation: string | undefined
  /** Whether a body follows, which nobody is going to read. */
  body: boolean
}

const CONTINUE = /^\s*100-continue\s*$/i

/** `raw` is node's `rawHeaders`: name, value, name, value. Repeated list headers are joined (RFC 9110 5.3). */
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
    expectation: undefined,
    body: false,
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
      case 'expect':
        if (!CONTINUE.test(value)) headers.expectation = value
        break
      case 'content-length':
        headers.body ||= value !== '0'
        break
      case 'transfer-encoding':
        headers.body = true
        break
    }
  }
  return headers
}

function joined(before: string | undefined, value: string, separator: string): string {
  return before === undefined ? value : before + separator + value
}
