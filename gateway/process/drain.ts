/**
 * Stops a server without losing requests: accepts the connections that wait, stops listening, answers the requests that
 * have arrived, and closes the connections.
 */
import cluster from 'node:cluster'
import type { Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import type { RequestSerializer } from '../http/request-serializer.ts'

export interface Drain {
  /** Calls `handle` for a request: at once, unless the server stops. */
  pass(response: ServerResponse, handle: () => void): void
  /** Resolves when the server accepts no connection any more. Connections stay open and are answered. */
  stopListening(): Promise<void>
  /** Answers all requests that arrive. Resolves when all connections are closed, at the latest after `drainMs`. */
  close(): Promise<void>
}

export interface DrainOptions {
  /** Time for requests in progress, in ms. */
  drainMs: number
  /** Time without a request, in ms, after which connections without one are closed. */
  idleMs: number
}

/** Longest time to accept connections that wait, in ms. */
const ACCEPT_MS = 2000
const SWEEP_MS = 50

export function createDrain(
  server: Server,
  sockets: ReadonlySet<Socket>,
  { current, last }: Pick<RequestSerializer, 'current' | 'last'>,
  { drainMs, idleMs }: DrainOptions,
): Drain {
  let state: 'open' | 'accepting' | 'closing' = 'open'
  let accepted = 0
  let requestedAt = 0
  let listening: Promise<void> | null = null
  let closed: Promise<void> | null = null
  const ended = Promise.withResolvers<void>()
  /** Requests that are handled when the server has stopped listening, because turns with requests are long. */
  const deferred: (() => void)[] = []
  server.on('connection', () => {
    accepted++
  })

  /** Requests that follow on the connection have arrived too, so they are answered first. */
  function closeAfter(response: ServerResponse): void {
    if (!response.headersSent && last(response.req.socket) === response) response.shouldKeepAlive = false
  }

  /**
   * The system would reset connections that wait when the server stops listening, although their clients may have sent
   * requests. For a worker, its primary accepts them. `close` of Node's HTTP servers also closes connections whose
   * requests it has not read yet, so this is `close` of its base class.
   */
  async function unlisten(): Promise<void> {
    if (!cluster.isWorker) {
      state = 'accepting'
      await whileGrowing(() => accepted, ACCEPT_MS)
    }
    NetServer.prototype.close.call(server, () => ended.resolve())
    state = 'open'
    for (const handle of deferred) handle()
  }

  function closeIdle(): void {
    if (performance.now() - requestedAt < idleMs) return
    server.closeIdleConnections()
    // Node does not call a connection idle before its first request.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  }

  async function end(): Promise<void> {
    await stopListening()
    state = 'closing'
    for (const socket of sockets) {
      const response = current(socket)
      if (response) closeAfter(response)
    }
    requestedAt = performance.now()
    const cut = setTimeout(() => server.closeAllConnections(), drainMs)
    // An immediate follows the reading of sockets: a request that has arrived is read.
    const sweep = setInterval(() => setImmediate(closeIdle), SWEEP_MS)
    setImmediate(closeIdle)
    await ended.promise
    clearTimeout(cut)
    clearInterval(sweep)
    // Ends Node's checks of timeouts.
    server.close(() => {})
  }

  function stopListening(): Promise<void> {
    listening ??= unlisten()
    return listening
  }

  return {
    pass(response, handle) {
      if (state === 'open') handle()
      else if (state === 'accepting') deferred.push(handle)
      else {
        requestedAt = performance.now()
        // All requests of a chunk are read first.
        setImmediate(() => {
          closeAfter(response)
          handle()
        })
      }
    },
    stopListening,
    close() {
      closed ??= end()
      return closed
    },
  }
}

/** Resolves when a number does not increase during a turn of the event loop, at the latest after `mostMs`. */
export async function whileGrowing(numberOf: () => number, mostMs: number): Promise<void> {
  const end = performance.now() + mostMs
  for (let before = -1; numberOf() > before && performance.now() < end; ) {
    before = numberOf()
    await turn()
    // This one follows a whole turn, in which Node accepts one connection.
    await turn()
  }
}
