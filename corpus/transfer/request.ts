/** One GET with its redirects followed, credentials only where they belong, and a network failure as a `TransferError`. */

import { watchCrawl } from './crawl.ts'
import { TransferError } from './error.ts'
import type { Answer, NetworkEffects } from './network.ts'
import { statusError } from './retry.ts'

/** The commands' own version goes with it: publishers ask to be told who is asking. */
const USER_AGENT = 'vulnshelf/0.1.0'
const MAX_REDIRECTS = 5
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

/** `Authorization` by origin (`https://api.github.com`): no other origin gets it, redirected to or not. */
export type Credentials = ReadonlyMap<string, string>

/**
 * The address of a folder on a web server, ending in `/`. Name and password go to its own origin, in a header, and into no
 * message.
 */
export function withoutPassword(url: URL): { base: URL; credentials: Credentials } {
  const base = new URL(url)
  const { username, password } = base
  base.username = ''
  base.password = ''
  base.search = ''
  base.hash = ''
  if (!base.pathname.endsWith('/')) base.pathname += '/'
  if (username === '' && password === '') return { base, credentials: new Map() }
  const pair = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')
  return { base, credentials: new Map([[base.origin, `Basic ${pair}`]]) }
}

/** A `%` that encodes nothing is meant as it stands. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export interface LocatedAnswer extends Answer {
  /** Where the answer came from in the end. */
  url: URL
}

/**
 * @throws TransferError `network` or `stalled` where there is no answer, `redirect` where redirects lead nowhere good
 */
export async function get(
  effects: NetworkEffects,
  start: URL,
  headers: Record<string, string>,
  credentials: Credentials,
): Promise<LocatedAnswer> {
  let url = start
  for (let redirects = 0; ; redirects++) {
    const authorization = credentials.get(url.origin)
    const answer = await asked(effects, url, {
      'user-agent': USER_AGENT,
      // Length and ranges must be those of the file itself.
      'accept-encoding': 'identity',
      ...headers,
      ...(authorization === undefined ? {} : { authorization }),
    })
    if (!REDIRECTS.includes(answer.status)) return { ...answer, url }
    await answer.discard()
    if (redirects === MAX_REDIRECTS) throw new TransferError('redirect', `more than ${MAX_REDIRECTS} redirects`)
    url = nextUrl(url, answer.headers.location)
  }
}

async function asked(effects: NetworkEffects, url: URL, headers: Record<string, string>): Promise<Answer> {
  try {
    return await effects.request(url, headers)
  } catch (cause) {
    throw networkError(cause)
  }
}

/** A failed connection, a timeout, a body that breaks off. Node names the trouble in `code`, sometimes only there. */
export function networkError(cause: unknown): TransferError {
  if (cause instanceof TransferError) return cause
  const { message, code } = cause as { message?: string; code?: string }
  return new TransferError('network', message || code || String(cause), { cause })
}

/** `bytes 500-999/1000` begins at 500 (RFC 9110, 14.4); null for anything else. */
export function firstByteOf(contentRange: string | undefined): number | null {
  const first = /^bytes (\d{1,15})-/.exec(contentRange ?? '')?.[1]
  return first === undefined ? null : Number(first)
}

function nextUrl(from: URL, location: string | undefined): URL {
  const url = location === undefined ? null : URL.parse(location, from)
  if (!url || !/^https?:$/.test(url.protocol)) throw new TransferError('redirect', `redirected to '${location ?? ''}'`)
  if (from.protocol === 'https:' && url.protocol === 'http:') {
    throw new TransferError('redirect', `redirected from https to ${url.origin}`)
  }
  // Names and passwords in a redirect are somebody else's.
  url.username = ''
  url.password = ''
  return url
}

/**
 * A small text: a listing, a `.meta` file.
 * @throws TransferError, `too_large` where it is longer than `maxBytes`
 */
export async function readText(
  effects: NetworkEffects,
  url: URL,
  maxBytes: number,
  credentials: Credentials,
): Promise<string> {
  const answer = await get(effects, url, {}, credentials)
  if (answer.status !== 200) {
    await answer.discard()
    throw statusError(answer, effects.now())
  }
  return (await readWhole(answer.body, maxBytes, effects.now)).toString('utf8')
}

/**
 * All of a small body.
 * @throws TransferError `network`, `stalled`, or `too_large` where it is longer than `maxBytes`
 */
export async function readWhole(body: AsyncIterable<Uint8Array>, maxBytes: number, now: () => Date): Promise<Buffer> {
  const arrived = watchCrawl(now)
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of body) {
      bytes += chunk.length
      if (bytes > maxBytes) throw new TransferError('too_large', `more than ${maxBytes} bytes`)
      chunks.push(chunk)
      arrived(chunk.length)
    }
  } catch (cause) {
    throw networkError(cause)
  }
  return Buffer.concat(chunks)
}
