/** A client for preparation: sends requests to the gateway, decodes and compares answers. */
import { gunzipSync } from 'node:zlib'
import { Pool } from 'undici'
import type { LoadRequest } from './load.ts'

export interface Received {
  status: number
  /** Alternating names and values, as received. */
  headers: string[]
  body: Buffer
}

/** The fields of an answer that the bench uses. */
export interface Body {
  cve_id?: string
  id?: string
  data?: object[]
  pagination?: { next_cursor: string | null }
  results?: object
  suggestions?: object[]
}

export interface Client {
  /** Returns an answer as received. */
  receive(request: LoadRequest, coding: 'gzip' | 'identity'): Promise<Received>
  /**
   * Returns the decoded body of an answer.
   * @throws Error if the status is not 200
   */
  body(target: string): Promise<Body>
  close(): Promise<void>
}

export function createClient(port: number, token: string): Client {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 1 })
  const receive: Client['receive'] = async ({ target, headers: own = [], body }, coding) => {
    const headers = { authorization: `Bearer ${token}`, 'accept-encoding': coding, ...namedHeaders(own) }
    const method = body === undefined ? 'GET' : 'POST'
    const sent = { path: target, method, headers, body: body ?? null, responseHeaders: 'raw' } as const
    const answer = await pool.request(sent)
    // `raw` gives names and values in turn, which undici's types do not state.
    const received = answer.headers as unknown as string[]
    return { status: answer.statusCode, headers: received, body: Buffer.from(await answer.body.arrayBuffer()) }
  }
  return {
    receive,
    async body(target) {
      const { status, body } = await receive({ target }, 'identity')
      if (status !== 200) throw new Error(`${target} was answered ${status}: ${body}`)
      return JSON.parse(body.toString()) as Body
    },
    close: () => pool.close(),
  }
}

const namedHeaders = (lines: readonly string[]) =>
  Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]))

export function headerOf({ headers }: Received, name: string): string | undefined {
  const at = headers.findIndex((one, i) => i % 2 === 0 && one.toLowerCase() === name)
  return at < 0 ? undefined : headers[at + 1]
}

/** Returns whether a gzip answer and an identity answer have the same content. */
export const isSameBody = (gzip: Received, identity: Received): boolean => gunzipSync(gzip.body).equals(identity.body)
