/** Routes without authentication, outside `/api/v1`. */
import type { RequestHeaders } from './request-headers.ts'

/** An error thrown by `answer` becomes an error answer as in other routes. */
export interface OpenRoute {
  /** May have parameters: `/assets/:name`. */
  path: string
  /** Default: GET, which includes HEAD. */
  method?: 'POST'
  answer(request: OpenRequest): OpenAnswer | Promise<OpenAnswer>
}

export interface OpenRequest {
  path: string
  /** The query with its `?`, or empty. */
  search: string
  /** Returns the address that limits count. */
  address(): string
  parameters: Record<string, string>
  isHead: boolean
  headers: RequestHeaders
}

/** An answer outside the API. */
export interface OpenAnswer {
  /** Default: 200. */
  readonly status?: number
  readonly type: string
  readonly body: Buffer
  /** The body as one gzip member, for clients that accept it. */
  readonly gzip?: Buffer
  /** Hash of the content, without quotes, for conditional requests. Default: no `ETag`. */
  readonly tag?: string
  /** Alternating names and values. */
  readonly headers: readonly string[]
}

/** Returns the reference from a path to `/`: a proxy may serve the gateway below a folder (RFC 3986, 5.2). */
export function rootFrom(path: string): string {
  const folders = path.split('/').length - 2
  return folders === 0 ? './' : '../'.repeat(folders)
}

/** Returns an answer that caches must not store. */
export function uncachedJson(value: object): OpenAnswer {
  return {
    type: 'application/json; charset=utf-8',
    body: Buffer.from(JSON.stringify(value)),
    headers: ['Cache-Control', 'no-store'],
  }
}
