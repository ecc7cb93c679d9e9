/**
 * Handles one request of a connection at a time. Clients may pipeline (RFC 9112 9.3.2), and Node emits all requests of
 * a chunk of up to 64 KB at once. If all were answered at once, the answers to a client that reads none would fill
 * memory.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { WAITING_BYTES, WAITING_REQUESTS } from '../process/bounds.ts'
import { hasTooManyHeaders } from './request-headers.ts'

interface Connection {
  /** The response to the latest request, sent or not. */
  last: ServerResponse
  /** The response to the request that is handled now. */
  current: ServerResponse
  /** Number of queued requests, and the memory of their targets and headers in bytes. */
  waiting: number
  waitingBytes: number
  /** Answers the latest request, which has a malformed or late body, when its turn comes. */
  end: (() => void) | null
}

export interface RequestSerializer {
  /** Passes a request to the listener when all earlier requests of its connection are answered. */
  handle: RequestListener
  /** Calls `end` when all requests before a connection error are answered. A faulty body gets no other answer. */
  endAfterAnswers(socket: Socket, end: () => void): void
  /** Returns the response to the request that is handled now. */
  current(socket: Socket): ServerResponse | undefined
  /** Returns the response to the latest request. */
  last(socket: Socket): ServerResponse | undefined
}

/**
 * Resets a connection when its queue exceeds `WAITING_REQUESTS` or `WAITING_BYTES`. With `readsBodies`, the listener
 * reads each body. Otherwise, bodies are discarded.
 */
export function createRequestSerializer(
  listener: RequestListener,
  { readsBodies = false }: { readsBodies?: boolean } = {},
): RequestSerializer {
  const connections = new WeakMap<Socket, Connection>()

  function pass(connection: Connection, response: ServerResponse): void {
    const { req: request } = response
    connection.current = response
    if (connection.end && !request.complete) connection.end()
    // A chunked body is known to be well-formed only at its end.
    else if (readsBodies || !hasChunkedBody(request) || request.readableEnded) listener(request, response)
    else request.once('end', () => listener(request, response))
  }

  function wait(connection: Connection, before: ServerResponse, response: ServerResponse): void {
    const { req: request } = response
    const bytes = bytesOf(request)
    connection.waiting++
    connection.waitingBytes += bytes
    if (connection.waiting > WAITING_REQUESTS || connection.waitingBytes > WAITING_BYTES) reset(request.socket)
    before.once('finish', () => {
      connection.waiting--
      connection.waitingBytes -= bytes
      if (before.shouldKeepAlive) pass(connection, response)
    })
  }

  function handle(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    const isDiscarded = !readsBodies && hasBody(request)
    if (isDiscarded) request.resume()
    if (isDiscarded || isUpgrade(request) || hasFaultyFraming(request) || hasTooManyHeaders(request)) {
      response.shouldKeepAlive = false
    }
    const connection = connections.get(socket)
    if (connection === undefined) {
      const first = { last: response, current: response, waiting: 0, waitingBytes: 0, end: null }
      connections.set(socket, first)
      pass(first, response)
    } else if (!connection.last.shouldKeepAlive) stop(socket)
    else {
      const before = connection.last
      connection.last = response
      if (before.writableFinished) pass(connection, response)
      else wait(connection, before, response)
    }
  }

  function endAfterAnswers(socket: Socket, end: () => void): void {
    const connection = connections.get(socket)
    if (connection === undefined) {
      end()
      return
    }
    const { last } = connection
    const isAwaited = readsBodies ? hasBody(last.req) && !last.headersSent : hasChunkedBody(last.req)
    if (isAwaited && !last.req.complete) {
      connection.end = end
      if (connection.current === last) end()
    } else if (!last.writableFinished) {
      last.once('finish', () => {
        if (last.shouldKeepAlive) end()
      })
    } else if (last.shouldKeepAlive) end()
  }

  return {
    handle,
    endAfterAnswers,
    current: (socket) => connections.get(socket)?.current,
    last: (socket) => connections.get(socket)?.last,
  }
}

/** Without Node's `headers`, which would be an object per request. Names are compared in lower case. */
function header({ rawHeaders }: IncomingMessage, name: string): string | undefined {
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]!.length === name.length && rawHeaders[i]!.toLowerCase() === name) return rawHeaders[i + 1]
  }
  return undefined
}

const hasChunkedBody = (request: IncomingMessage) => header(request, 'transfer-encoding') !== undefined

const hasBody = (request: IncomingMessage) =>
  hasChunkedBody(request) || (header(request, 'content-length') ?? '0') !== '0'

/** HTTP/1.0 has no `Transfer-Encoding`: a proxy may see the end of the body elsewhere (RFC 9112 6.1). */
const hasFaultyFraming = (request: IncomingMessage) => request.httpVersionMinor === 0 && hasChunkedBody(request)

/** Node drops the rest of a chunk after such a request, and parses the next chunk as a new request. */
const isUpgrade = (request: IncomingMessage) => header(request, 'upgrade') !== undefined

/** Memory of a header name or value in addition to its characters, in bytes. */
const BYTES_PER_STRING = 24

function bytesOf({ url, rawHeaders }: IncomingMessage): number {
  return rawHeaders.reduce((sum, text) => sum + BYTES_PER_STRING + text.length, url!.length)
}

/** Return value that makes the parser stop after a message: the code for an upgrade. */
const STOP = 2

/**
 * Stops reading requests from a connection. Node has no public way to stop its parser. It would create up to 3,000
 * requests of 2 KB from the rest of a chunk.
 */
function stop(socket: Socket & { parser?: { onIncoming: () => number } | null }): void {
  if (socket.parser) socket.parser.onIncoming = () => STOP
}

/** After a reset, the system drops unread answers at once. */
function reset(socket: Socket): void {
  stop(socket)
  socket.resetAndDestroy()
}
