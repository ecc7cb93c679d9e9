/** Reads the cookies of a request, and writes the gateway's own (rule 13). */

/** Browsers store 4,096 bytes of name and value (RFC 6265bis, 5.7). */
const PART_LENGTH = 3900
/** Three parts, and the other headers of a request, are within `MAX_HEADER_BYTES`. */
const MOST_PARTS = 3
export const MAX_COOKIE_LENGTH = PART_LENGTH * MOST_PARTS

/** `<number of parts>:` before a value that is split. No token has a colon. */
const SPLIT = /^([2-9]):/

/** Returns the value of a cookie. Browsers send the most specific path first (RFC 6265 5.4); the first one counts. */
export function findCookie(header: string, name: string): string | undefined {
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=')
    if (equals === -1 || pair.slice(0, equals).trim() !== name) continue
    const value = pair.slice(equals + 1).trim()
    return value.startsWith('"') && value.endsWith('"') && value.length > 1 ? value.slice(1, -1) : value
  }
  return undefined
}

/** Returns the value of a cookie that may be split; undefined if a part is missing. */
export function readCookie(header: string, name: string): string | undefined {
  const first = findCookie(header, name)
  const count = first === undefined ? null : SPLIT.exec(first)
  if (first === undefined || count === null) return first
  let whole = first.slice(count[0].length)
  for (let i = 1; i < Math.min(Number(count[1]), MOST_PARTS); i++) {
    const part = findCookie(header, `${name}.${i}`)
    if (part === undefined) return undefined
    whole += part
  }
  return whole
}

/** Returns the names of the cookies in a header that begin with `prefix`. */
export const cookieNames = (header: string, prefix: string): string[] =>
  header
    .split(';')
    .map((pair) => pair.split('=', 1)[0]!.trim())
    .filter((name) => name.startsWith(prefix))

export interface CookieKind {
  /** Whether browsers may send it over TLS only. Then its name has the prefix `__Host-`, see `cookieName`. */
  isSecure: boolean
  /** `Lax` for a cookie that must arrive with a redirect of another host. */
  sameSite: 'Strict' | 'Lax'
  /** Null: until the browser closes. */
  seconds: number | null
}

/** `__Host-` keeps other hosts of the domain, and pages without TLS, from setting the cookie (RFC 6265bis, 4.1.3.2). */
export const cookieName = (name: string, isSecure: boolean): string => (isSecure ? `__Host-${name}` : name)

/** Returns a `Set-Cookie` header, as name and value. */
export function setCookie(name: string, value: string, { isSecure, sameSite, seconds }: CookieKind): string[] {
  const age = seconds === null ? '' : ` Max-Age=${seconds};`
  return ['Set-Cookie', `${name}=${value}; Path=/;${age} HttpOnly;${isSecure ? ' Secure;' : ''} SameSite=${sameSite}`]
}

/**
 * Returns the headers that set a cookie in as many parts as it needs, and remove the further parts that the browser has.
 * `header` is the `Cookie` header of the request. A value is at most `MAX_COOKIE_LENGTH` long.
 */
export function setSplitCookie(name: string, value: string, kind: CookieKind, header = ''): string[] {
  const parts = Array.from({ length: Math.max(1, Math.ceil(value.length / PART_LENGTH)) }, (_, i) =>
    value.slice(i * PART_LENGTH, (i + 1) * PART_LENGTH),
  )
  if (parts.length > 1) parts[0] = `${parts.length}:${parts[0]}`
  const kept = parts.flatMap((part, i) => setCookie(i === 0 ? name : `${name}.${i}`, part, kind))
  const rest = Array.from({ length: MOST_PARTS - parts.length }, (_, i) => `${name}.${parts.length + i}`)
  const removed = rest.filter((one) => findCookie(header, one) !== undefined)
  return [...kept, ...removed.flatMap((one) => setCookie(one, '', { ...kind, seconds: 0 }))]
}
