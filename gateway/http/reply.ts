/** Writes answers and errors with their headers (rule 17). */
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ApiError } from '../../corpus/answers/errors.ts'
import type { SnapshotChoice } from '../../corpus/answers/parameters/ids.ts'
import { isFullId } from '../../corpus/answers/snapshot-choice.ts'
import { MAX_HEADER_BYTES, MAX_TARGET } from '../process/bounds.ts'
import type { EncodedAnswer } from './encoded-answer.ts'
import { headersTooLarge, malformedRequest, requestTimeout, uriTooLong } from './errors.ts'
import type { OpenAnswer } from './open-route.ts'
import type { RequestHeaders } from './request-headers.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** Status and size of an answer, for the log. */
export interface Sent {
  status: number
  /** Bytes of the body. */
  bytes: number
}

/** Alternating header names and values, the fastest form for Node. */
export type HeaderList = readonly string[]

export const CACHING = ['Cache-Control', 'private, no-cache', 'X-Content-Type-Options', 'nosniff'] as const
const VARY = ['Vary', 'Accept-Encoding'] as const

const IMMUTABLE = [
  'Cache-Control',
  'private, max-age=31536000, immutable',
  'X-Content-Type-Options',
  'nosniff',
] as const

/**
 * Returns the caching headers of an answer to a request for `snapshot`. A full id can be no other snapshot later. RFC 7089
 * defines what names the snapshot's time and the list of all snapshots.
 */
export function cachingOf({ pinnedAt }: EncodedAnswer, snapshot: SnapshotChoice | null, prefix: string): HeaderList {
  if (pinnedAt === undefined || snapshot === null) return CACHING
  return [
    ...(isFullId(snapshot) ? IMMUTABLE : CACHING),
    'Memento-Datetime',
    new Date(pinnedAt).toUTCString(),
    'Link',
    `<${prefix}/snapshots>; rel="timemap"; type="application/json"`,
  ]
}

/** Returns whether `If-None-Match` contains the tag of this answer. */
export const isNamed = ({ ifNoneMatch }: RequestHeaders, { tag }: EncodedAnswer): boolean =>
  ifNoneMatch !== undefined && namesContent(ifNoneMatch, tag)

/** Returns whether `If-None-Match` is `*`. */
export const isAnyNamed = ({ ifNoneMatch }: RequestHeaders): boolean =>
  ifNoneMatch !== undefined && isAnyTag(ifNoneMatch)

/** Sends a 304 if the answer is unchanged, else a 200 in the accepted coding. `more` are additional headers, `caching` among them. */
export function sendAnswer(
  response: ServerResponse,
  request: RequestHeaders,
  isHead: boolean,
  answer: EncodedAnswer,
  unchanged: boolean,
  more: HeaderList,
): Sent {
  const gzip = acceptsGzip(request.acceptEncoding)
  const headers: string[] = [
    'ETag',
    entityTag(answer.tag, gzip),
    ...VARY,
    'Snapshot-Id',
    answer.snapshotId,
    'Served-From',
    answer.servedFrom,
    ...more,
  ]
  if (unchanged) return sendUnchanged(response, headers)
  if (gzip) headers.push('Content-Encoding', 'gzip')
  return sendBody(response, 200, headers, gzip ? answer.gzip() : answer.identity(), isHead)
}

export function sendError(response: ServerResponse, isHead: boolean, error: ApiError, more: HeaderList): Sent {
  const headers = [...CACHING, ...VARY, ...Object.entries(error.headers).flat(), ...more]
  return sendBody(response, error.status, headers, Buffer.from(JSON.stringify(error.body)), isHead)
}

/** Sends an answer outside the API: health, explorer. A 304 if `If-None-Match` contains its tag. */
export function sendOpen(
  response: ServerResponse,
  { acceptEncoding, ifNoneMatch }: RequestHeaders,
  isHead: boolean,
  { status = 200, type, body, gzip, tag, headers: own }: OpenAnswer,
  id: string,
): Sent {
  const headers = [...own, 'X-Content-Type-Options', 'nosniff', 'X-Request-Id', id]
  if (gzip !== undefined) headers.push(...VARY)
  const zipped = gzip !== undefined && acceptsGzip(acceptEncoding)
  if (tag !== undefined) {
    headers.push('ETag', entityTag(tag, zipped))
    if (ifNoneMatch !== undefined && (isAnyTag(ifNoneMatch) || namesContent(ifNoneMatch, tag))) {
      return sendUnchanged(response, headers)
    }
  }
  if (zipped) headers.push('Content-Encoding', 'gzip')
  return sendBody(response, status, headers, zipped ? gzip : body, isHead, type)
}

function sendUnchanged(response: ServerResponse, headers: string[]): Sent {
  response.writeHead(304, headers)
  response.end()
  return { status: 304, bytes: 0 }
}

/** Sends an answer of any status. `headers` gets type and length. */
export function sendBody(
  response: ServerResponse,
  status: number,
  headers: string[],
  body: Buffer,
  isHead: boolean,
  type = JSON_TYPE,
): Sent {
  headers.push('Content-Type', type, 'Content-Length', String(body.length))
  response.writeHead(status, headers)
  response.end(isHead ? undefined : body)
  return { status, bytes: isHead ? 0 : body.length }
}

/** Time for the client to read its error and close the connection, in ms. */
const LINGER_MS = 1000

/**
 * Writes an error to a bare socket and closes it after `LINGER_MS`. An immediate close would answer the client's
 * remaining data with a reset, and the error would be lost. The client may never close the connection, so the wait is
 * bounded.
 */
export function endWith(socket: Duplex, error: ApiError, id: string): void {
  const linger = setTimeout(() => socket.destroy(), LINGER_MS).unref()
  socket.once('close', () => clearTimeout(linger))
  const body = JSON.stringify(error.body)
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    `Content-Type: ${JSON_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...Object.entries(error.headers).map(([name, value]) => `${name}: ${value}`),
    'X-Content-Type-Options: nosniff',
    `X-Request-Id: ${id}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** Returns the error for a request that Node's parser cannot read, or that did not arrive in time. */
export function parserError({ code, rawPacket }: { code?: string; rawPacket?: Buffer }): ApiError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return requestTimeout()
  if (code !== 'HPE_HEADER_OVERFLOW') return malformedRequest()
  // The parser counts target and headers together. An incomplete or long first line means that the target is too long.
  const firstLine = rawPacket?.indexOf('\r\n') ?? 0
  return firstLine === -1 || firstLine > MAX_TARGET ? uriTooLong(MAX_TARGET) : headersTooLarge(MAX_HEADER_BYTES)
}

/** Returns whether to send gzip: the client accepts it and gives identity no higher weight (rule 17). */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  if (acceptEncoding === undefined) return false
  let accepted = remembered.get(acceptEncoding)
  if (accepted === undefined) {
    accepted = judge(acceptEncoding)
    // Clients send few different values; the bound protects against a client that sends many.
    if (remembered.size >= 64) remembered.clear()
    remembered.set(acceptEncoding, accepted)
  }
  return accepted
}

const remembered = new Map<string, boolean>()

function judge(acceptEncoding: string): boolean {
  let gzip: number | undefined
  let any: number | undefined
  let identity = 0
  for (const member of acceptEncoding.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = member.split(';').map((part) => part.trim())
    const weight = weightOf(parameters)
    if (coding === 'gzip' || coding === 'x-gzip') gzip = Math.max(gzip ?? 0, weight)
    else if (coding === '*') any = weight
    else if (coding === 'identity') identity = weight
  }
  const weight = gzip ?? any ?? 0
  return weight > 0 && weight >= identity
}

/** Returns the member's `q`: 1 if absent, 0 if malformed. */
function weightOf(parameters: readonly string[]): number {
  const weight = parameters.find((part) => part.startsWith('q='))
  if (weight === undefined) return 1
  return /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight.slice(2)) : 0
}

/** Returns the strong entity tag of one coding, `"…"` or `"…-gz"` (rule 17). */
export function entityTag(tag: string, gzip: boolean): string {
  return gzip ? `"${tag}-gz"` : `"${tag}"`
}

/** Returns whether `If-None-Match` is `*`, which matches any content. */
export const isAnyTag = (ifNoneMatch: string) => ifNoneMatch.trim() === '*'

/**
 * Returns whether `If-None-Match` contains the content's tag in either coding. Weak and strong tags compare equal (RFC
 * 9110 13.1.2).
 */
export function namesContent(ifNoneMatch: string, tag: string): boolean {
  for (const [, opaque] of ifNoneMatch.matchAll(/"([^"]*)"/g)) {
    if (opaque === tag || opaque === `${tag}-gz`) return true
  }
  return false
}
