/** Routes without authentication, outside `/api/v1`. */

/** An error thrown by `answer` becomes an error answer as in other routes. */
export interface OpenRoute {
  path: string
  answer(): OpenAnswer
}

/** A 200 outside the API. */
export interface OpenAnswer {
  readonly type: string
  readonly body: Buffer
  /** The body as one gzip member, for clients that accept it. */
  readonly gzip?: Buffer
  /** Alternating names and values. */
  readonly headers: readonly string[]
}

/** Returns an answer that caches must not store. */
export function uncachedJson(value: object): OpenAnswer {
  return {
    type: 'application/json; charset=utf-8',
    body: Buffer.from(JSON.stringify(value)),
    headers: ['Cache-Control', 'no-store'],
  }
}
