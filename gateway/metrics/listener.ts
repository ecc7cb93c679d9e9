/**
 * A separate listener for metrics, by default on loopback. A loopback-only path on the main port would be unsafe:
 * behind a reverse proxy on the same machine, every request comes from loopback.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError } from '../../corpus/answers/errors.ts'
import { sendError } from '../http/reply.ts'
import { assertRequest, readHeaders } from '../http/request-headers.ts'
import { type RunningServer, startServer } from '../process/serve.ts'
import type { Exposed } from './metrics.ts'

export interface ListenerOptions {
  host?: string
  port: number
}

/** Answers only `GET /metrics`. Rejects with a `GatewayError` if the port is unavailable. */
export function startMetricsListener(metrics: Exposed, { host, port }: ListenerOptions): Promise<RunningServer> {
  const listener = (request: IncomingMessage, response: ServerResponse) => void answer(metrics, request, response)
  return startServer(listener, { port, ...(host === undefined ? {} : { host }) })
}

async function answer(metrics: Exposed, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url } = request
  try {
    assertRequest(response, readHeaders(request.rawHeaders))
    const found = url?.split('?')[0] === '/metrics'
    const allowed = method === 'GET' || method === 'HEAD'
    if (!found || !allowed) {
      response.writeHead(found ? 405 : 404, found ? { Allow: 'GET, HEAD' } : {})
      response.end()
      return
    }
    const text = await metrics.expose()
    response.writeHead(200, { 'Content-Type': metrics.contentType, 'Content-Length': Buffer.byteLength(text) })
    response.end(text)
  } catch (error) {
    if (error instanceof ApiError) sendError(response, method === 'HEAD', error, [])
    else response.destroy(error as Error)
  }
}
