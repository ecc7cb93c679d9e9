/**
 * One request of a connection at a time. A client may send many without waiting (RFC 9112 9.3.2), and Node hands over all
 * requests of a chunk of up to 64 KB at once. Answered together, the answers for a client that reads none would fill
 * memory.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { WAITING_BYTES, WAITING_REQUESTS } from '../process/bounds.ts'
import { hasTooManyHeaders } from './request-headers.ts'

interface Connection {
  /** The response to the latest request, sent or not. */
  last: ServerResponse
  /** The response that is due. */
  current: ServerResponse
  /** Requests that wait for the answers to those before them, and the memory of their targets and headers. */
  waiting: number
  waitingBytes: number
  /** Answers the latest request, whose body is malformed or late, once it is due. */
  end: (() => void) | null
}

export interface RequestSerializer {
  /** Passes a request to the listener when all requests before it on its connection are answered. */
  handle: RequestListener
  /**
   * Calls `end` when all requests before a fault of the connection are answered. A request whose body is at fault gets no
   * other answer.
   */
  endAfterAnswers(socket: Socket, end: () => void): void
  /** The response that is due on a connection. */
  current(socket: Socket): ServerResponse | undefined
}

/** Resets a connection on which more waits than `WAITING_REQUESTS` or `WAITING_BYTES`. */
export function createRequestSerializer(listener: RequestListener): RequestSerializer {
  const connections = new WeakMap<Socket, Connection>()

  function pass(connection: Connection, response: ServerResponse): void {
    const { req: request } = response
    connection.current = response
    // Only the end of a chunked body shows that it is well-formed.
    if (!hasChunkedBody(request) || request.readableEnded) listener(request, response)
    else if (connection.end) connection.end()
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
    const isBody = hasBody(request)
    // No handler reads it.
    if (isBody) request.resume()
    if (isBody || isUpgrade(request) || hasTooManyHeaders(request)) response.shouldKeepAlive = false
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
    if (hasChunkedBody(last.req) && !last.req.complete) {
      connection.end = end
      if (connection.current === last) end()
    } else if (!last.writableFinished) {
      last.once('finish', () => {
        if (last.shouldKeepAlive) end()
      })
    } else if (last.shouldKeepAlive) end()
  }

  return { handle, endAfterAnswers, current: (socket) => connections.get(socket)?.current }
}

const hasChunkedBody = ({ headers }: IncomingMessage) => headers['transfer-encoding'] !== undefined

const hasBody = (request: IncomingMessage) =>
  hasChunkedBody(request) || (request.headers['content-length'] ?? '0') !== '0'

/** Node drops the rest of a chunk behind such a request, and reads the next chunk as a new request. */
const isUpgrade = ({ headers }: IncomingMessage) => headers.upgrade !== undefined

/** Of a header name or value, besides its characters. */
const BYTES_PER_STRING = 24

function bytesOf({ url, rawHeaders }: IncomingMessage): number {
  return rawHeaders.reduce((sum, text) => sum + BYTES_PER_STRING + text.length, url!.length)
}

/** What a parser returns for a message behind which it stops: the code for an upgrade. */
const STOP = 2

/**
 * Reads no further request of a connection. Node has no public way to stop its parser, and would create up to 3,000
 * requests of 2 KB from the rest of a chunk.
 */
function stop(socket: Socket & { parser?: { onIncoming: () => number } | null }): void {
  if (socket.parser) socket.parser.onIncoming = () => STOP
}

/** A reset makes the system drop unread answers at once. */
function reset(socket: Socket): void {
  stop(socket)
  socket.resetAndDestroy()
}
