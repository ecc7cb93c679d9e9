/** Starts the HTTP server, bounds slow clients, and stops without dropping requests. */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { ApiError } from '../../corpus/answers/errors.ts'
import { hasStuckThread } from '../../corpus/runtime/threads.ts'
import { GatewayError, methodNotAllowed } from '../http/errors.ts'
import { endWith, parserError } from '../http/reply.ts'
import { readHeaders } from '../http/request-headers.ts'
import { requestId } from '../http/request-id.ts'
import { createRequestSerializer } from '../http/request-serializer.ts'
import { closeStalled } from '../http/stalled.ts'
import { ANSWER_MS, DRAIN_MS, IDLE_MS, MAX_CONNECTIONS, MAX_HEADER_BYTES, MAX_HEADERS } from './bounds.ts'
import { createDrain } from './drain.ts'
import type { Log, OpenLog } from './log.ts'

export interface ServeOptions {
  host?: string
  /** 0 selects a free port. */
  port: number
  /** Time for requests in flight after `close()`, in ms. */
  drainMs?: number
  /** Time without a request after `close()`, in ms, after which connections without one are closed. */
  idleMs?: number
  /** Timeouts for slow clients, in ms. */
  headersTimeoutMs?: number
  requestTimeoutMs?: number
  keepAliveMs?: number
  /** Time for a client to read an answer, in ms. The check interval can double it. */
  answerMs?: number
  maxConnections?: number
  /** Whether the app reads request bodies. Otherwise, they are discarded. */
  readsBodies?: boolean
  /** Called for each connection that is closed because too many are open. */
  onRefused?: () => void
}

export interface RunningServer {
  url: string
  port: number
  /** Resolves when no connection is accepted any more. Open ones are answered. */
  stopListening(): Promise<void>
  /**
   * Stops listening. Resolves when all requests that arrive are answered and their connections closed, at the latest
   * after `drainMs`.
   */
  close(): Promise<void>
}

/** Listens and answers requests. @throws GatewayError if the port is invalid or unavailable */
export async function startServer(app: RequestListener, options: ServeOptions): Promise<RunningServer> {
  const { host = '127.0.0.1', port, drainMs = DRAIN_MS, idleMs = IDLE_MS, readsBodies = false } = options
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new GatewayError('bad_option', `invalid port '${port}'; use a whole number from 0 to 65535`)
  }
  const pipeline = createRequestSerializer(
    (request, response) => draining.pass(response, () => app(request, response)),
    { readsBodies },
  )
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: options.headersTimeoutMs ?? 10_000,
      requestTimeout: options.requestTimeoutMs ?? 30_000,
      keepAliveTimeout: options.keepAliveMs ?? 65_000,
      connectionsCheckingInterval: 1000,
      // Nearly no request has a body. Requests without one get no stream for it.
      optimizeEmptyRequests: true,
      // The app answers a missing `Host` itself, with a body.
      requireHostHeader: false,
    },
    pipeline.handle,
  )
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const draining = createDrain(server, sockets, pipeline, { drainMs, idleMs })
  closeStalled(server, sockets, options.answerMs ?? ANSWER_MS, pipeline.current)
  server.maxConnections = options.maxConnections ?? MAX_CONNECTIONS
  // Otherwise the primary process would offer a connection to its workers repeatedly while all of them are full.
  Object.assign(server, { dropMaxConnection: true })
  if (options.onRefused) server.on('drop', options.onRefused)
  // One more than the limit, to detect too many headers.
  server.maxHeadersCount = MAX_HEADERS + 1
  /** Connections that end with an error. */
  const ended = new WeakSet<Socket>()
  const end = (socket: Socket, error: ApiError, id = requestId()) => {
    if (ended.has(socket)) return
    ended.add(socket)
    pipeline.endAfterAnswers(socket, () => endWith(socket, error, id))
  }
  server.on('clientError', (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket) => {
    if (socket.destroyed || error.code === 'ECONNRESET') socket.destroy()
    else end(socket as Socket, parserError(error))
  })
  // A CONNECT requests a tunnel to another server (RFC 9110 9.3.6), which the gateway never opens. Node leaves errors
  // and closing of the socket to this listener.
  server.on('connect', (request, socket) => {
    socket.on('error', () => socket.destroy())
    socket.once('finish', () => socket.destroy())
    socket.resume()
    end(socket as Socket, methodNotAllowed(), requestId(readHeaders(request.rawHeaders).requestId))
  })
  // The app sends the 100 when it reads the body. A rejected request need not send one.
  if (readsBodies) server.on('checkContinue', pipeline.handle)
  // Node would reject the expectation without a body.
  server.on('checkExpectation', pipeline.handle)
  await listen(server, host, port)
  const bound = (server.address() as AddressInfo).port
  return {
    url: `http://${shownHost(host)}:${bound}`,
    port: bound,
    stopListening: draining.stopListening,
    close: draining.close,
  }
}

/** A terminal, npm and a supervisor can each send the same signal. Within this time, they count as one. */
const SAME_SIGNAL_MS = 1000

/** Returns a signal that aborts at the first SIGTERM or SIGINT. A later one ends the process at once. */
export function stopSignal(log: Log): AbortSignal {
  const stop = new AbortController()
  const onSignal = (signal: NodeJS.Signals) => {
    if (stop.signal.aborted) return
    log.info({ signal }, 'stopping')
    stop.abort(new Error(signal))
    setTimeout(() => {
      for (const name of ['SIGTERM', 'SIGINT'] as const) process.off(name, onSignal)
    }, SAME_SIGNAL_MS).unref()
  }
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, onSignal)
  return stop.signal
}

/** Ends the process with SIGKILL if a thread is stuck in a native call: `process.exit` would wait for the thread. */
export async function killIfStuck(log: OpenLog): Promise<void> {
  if (!(await hasStuckThread())) return
  log.error({}, 'thread stuck in a native call, ending the process with SIGKILL')
  await log.flush()
  process.kill(process.pid, 'SIGKILL')
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)))
    server.listen({ host, port }, resolve)
  })
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): GatewayError {
  switch (error.code) {
    case 'EADDRINUSE':
      return new GatewayError(
        'port_in_use',
        `port ${port} on ${host} is already in use; choose another with --port, --compat-port or --metrics-port`,
        { cause: error },
      )
    case 'EACCES':
      return new GatewayError(
        'port_forbidden',
        `this user has no permission to listen on port ${port}; choose another with --port, --compat-port or --metrics-port`,
        { cause: error },
      )
    default:
      return new GatewayError('address_unavailable', `cannot listen on ${host}: ${error.code ?? error.message}`, {
        cause: error,
      })
  }
}

/** Returns the host for a URL that works on this machine. */
function shownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
