/** One GET with redirects. Credentials go only to their own origin, and network failures become TransferErrors. */

import { VERSION } from '../command/version.ts'
import { TransferError } from './error.ts'
import type { Answer, NetworkEffects, Outgoing } from './network.ts'

/** Contains the version: publishers ask clients to identify themselves. */
export const USER_AGENT = `vulnshelf/${VERSION}`
const MAX_REDIRECTS = 5
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

/** `Authorization` header by origin (`https://api.github.com`). No other origin receives it, even after a redirect. */
export type Credentials = ReadonlyMap<string, string>

/**
 * Returns the address of a folder on a web server, ending in `/`, without name and password. These become a header for
 * its own origin and appear in no message.
 */
export function withoutPassword(url: URL): { base: URL; credentials: Credentials } {
  const { bare: base, authorization } = takePassword(url)
  base.search = ''
  base.hash = ''
  if (!base.pathname.endsWith('/')) base.pathname += '/'
  return { base, credentials: new Map(authorization === undefined ? [] : [[base.origin, authorization]]) }
}

/** Returns the address without name and password, and these as an `Authorization` header. */
export function takePassword(url: URL): { bare: URL; authorization: string | undefined } {
  const bare = new URL(url)
  const { username, password } = bare
  bare.username = ''
  bare.password = ''
  if (username === '' && password === '') return { bare, authorization: undefined }
  const pair = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')
  return { bare, authorization: `Basic ${pair}` }
}

/** An invalid `%` sequence is kept as text. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export interface LocatedAnswer extends Answer {
  /** The final URL after redirects. */
  url: URL
}

/** The bytes of a file, from some position on. */
export interface Body {
  bytes: AsyncIterable<Uint8Array>
  /** Position of the first byte. It may be before the requested one, because some servers ignore ranges. */
  from: number
  /** Whether the server ignored the range and sends the whole file. */
  isWhole?: boolean
  /** Frees the file or the connection. Call it unless you read to the end. */
  discard(): Promise<void>
}

/** Returns the `Range` header for the bytes from `from` up to `to`. Undefined for a whole file. */
export const rangeHeader = (from: number, to: number | undefined): string | undefined =>
  from === 0 && to === undefined ? undefined : `bytes=${from}-${to === undefined ? '' : to - 1}`

/**
 * Sends one GET, or a HEAD.
 * @throws TransferError `network` or `stalled` where there is no answer, `redirect` where redirects lead nowhere good
 */
export async function get(
  effects: Pick<NetworkEffects, 'request'>,
  start: URL,
  headers: Record<string, string>,
  credentials: Credentials,
  outgoing?: Outgoing & { method: 'HEAD' },
): Promise<LocatedAnswer> {
  let url = start
  for (let redirects = 0; ; redirects++) {
    // Length and ranges must refer to the uncompressed file.
    const plain = { 'accept-encoding': 'identity', ...headers }
    const answer = await send(effects, url, plain, credentials, outgoing)
    if (!REDIRECTS.includes(answer.status)) return { ...answer, url }
    await answer.discard()
    if (redirects === MAX_REDIRECTS) throw new TransferError('redirect', `more than ${MAX_REDIRECTS} redirects`)
    url = nextUrl(url, answer.headers.location)
  }
}

/**
 * Sends one request, and follows no redirect.
 * @throws TransferError `network` or `stalled`
 */
export async function send(
  effects: Pick<NetworkEffects, 'request'>,
  url: URL,
  headers: Record<string, string>,
  credentials: Credentials,
  outgoing?: Outgoing,
): Promise<Answer> {
  const authorization = credentials.get(url.origin)
  const all = { 'user-agent': USER_AGENT, ...headers, ...(authorization === undefined ? {} : { authorization }) }
  try {
    return await (outgoing === undefined ? effects.request(url, all) : effects.request(url, all, outgoing))
  } catch (cause) {
    throw networkError(cause)
  }
}

/** Converts a failed connection, a timeout or a broken body. Some errors of Node have only a `code`. */
export function networkError(cause: unknown): TransferError {
  if (cause instanceof TransferError) return cause
  const { message, code } = cause as { message?: string; code?: string }
  return new TransferError('network', message || code || String(cause), { cause })
}

/** Returns the first byte of a range: 500 for `bytes 500-999/1000` (RFC 9110, 14.4). Null for other text. */
export function firstByteOf(contentRange: string | undefined): number | null {
  const first = /^bytes (\d{1,15})-/.exec(contentRange ?? '')?.[1]
  return first === undefined ? null : Number(first)
}

/**
 * Returns the address that a `Location` header names.
 * @throws TransferError `redirect` for no http, and for http after https
 */
export function nextUrl(from: URL, location: string | undefined): URL {
  const url = location === undefined ? null : URL.parse(location, from)
  if (!url || !/^https?:$/.test(url.protocol)) throw new TransferError('redirect', `redirected to '${location ?? ''}'`)
  if (from.protocol === 'https:' && url.protocol === 'http:') {
    throw new TransferError('redirect', `redirected from https to ${url.origin}`)
  }
  // Do not use names and passwords from a redirect.
  url.username = ''
  url.password = ''
  return url
}
