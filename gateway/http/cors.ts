/** Cross-origin requests from configured origins. Without configured origins, no CORS header is sent (rule 17). */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ALLOWED_METHODS, GatewayError } from './errors.ts'
import type { HeaderList, Sent } from './reply.ts'
import type { RequestHeaders } from './request-headers.ts'

export interface Cors {
  /** Returns the additional headers of an answer to this origin. */
  headers(origin: string | undefined): HeaderList
  /** Answers a preflight (Fetch, "CORS-preflight request"), which has no token. Returns null for other requests. */
  preflight(request: IncomingMessage, headers: RequestHeaders, response: ServerResponse, id: string): Sent | null
}

const EXPOSED =
  'ETag, Snapshot-Id, Served-From, Memento-Datetime, Link, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id'

/** `always` are the headers of every answer, regardless of the origin. */
export function createCors(origins: readonly string[], always: HeaderList = []): Cors {
  for (const origin of origins) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
      throw new GatewayError(
        'bad_option',
        `invalid origin '${origin}'; use a scheme and host such as https://app.example.org`,
      )
    }
  }
  const allowed = new Set(origins)
  // With origins configured, answers vary by origin. This includes answers to requests without `Origin`.
  const others: HeaderList = allowed.size === 0 ? always : [...always, 'Vary', 'Origin']

  const headers = (origin: string | undefined): HeaderList =>
    origin !== undefined && allowed.has(origin)
      ? [...others, 'Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', EXPOSED]
      : others

  return {
    headers,
    preflight: (request, { origin }, response, id) => {
      if (origin === undefined || !allowed.has(origin) || request.method !== 'OPTIONS') return null
      if (request.headers['access-control-request-method'] === undefined) return null
      response.writeHead(204, [
        ...headers(origin),
        'Access-Control-Allow-Methods',
        ALLOWED_METHODS,
        'Access-Control-Allow-Headers',
        'Authorization, If-None-Match, X-Request-Id',
        'Access-Control-Max-Age',
        '600',
        'X-Request-Id',
        id,
      ])
      response.end()
      return { status: 204, bytes: 0 }
    },
  }
}
