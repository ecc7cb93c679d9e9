/** Addresses that are answered without a token, outside `/api/v1`. */

/** What `answer` throws is answered as any error is. */
export interface OpenRoute {
  path: string
  /** What a GET is answered. */
  answer(): OpenAnswer
}

/** A 200 that is not of the API. */
export interface OpenAnswer {
  /** The media type. */
  readonly type: string
  readonly body: Buffer
  /** The same as one gzip member, for who accepts it. */
  readonly gzip?: Buffer
  /** Names and values in turn. */
  readonly headers: readonly string[]
}

/** An answer that is true only at this moment: nobody keeps it. */
export function uncachedJson(value: object): OpenAnswer {
  return {
    type: 'application/json; charset=utf-8',
    body: Buffer.from(JSON.stringify(value)),
    headers: ['Cache-Control', 'no-store'],
  }
}
