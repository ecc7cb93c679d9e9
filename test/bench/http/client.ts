/** A client for preparation: sends requests to the gateway, decodes and compares answers. */
import { Agent, request } from 'node:http'
import { gunzipSync } from 'node:zlib'
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
  counts?: Record<string, number>
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
  close(): void
}

export function createClient(port: number, token: string): Client {
  const agent = new Agent({ keepAlive: true })
  const receive: Client['receive'] = ({ target, headers: own = [], body }, coding) =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, 'accept-encoding': coding, ...namedHeaders(own) }
      const options = {
        host: '127.0.0.1',
        port,
        method: body === undefined ? 'GET' : 'POST',
        path: target,
        agent,
        headers,
      }
      const sent = request(options, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, headers: response.rawHeaders, body: Buffer.concat(chunks) })
        })
      })
      sent.on('error', reject)
      sent.end(body)
    })
  return {
    receive,
    async body(target) {
      const { status, body } = await receive({ target }, 'identity')
      if (status !== 200) throw new Error(`${target} was answered ${status}: ${body}`)
      return JSON.parse(body.toString()) as Body
    },
    close: () => agent.destroy(),
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
