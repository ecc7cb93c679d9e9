/** A client for the time before the measuring: asks the gateway, decodes, compares. */
import { Agent, get } from 'node:http'
import { gunzipSync } from 'node:zlib'

export interface Received {
  status: number
  /** Names and values in turn, as they came. */
  headers: string[]
  body: Buffer
}

/** The fields of an answer that the bench looks at. */
export interface Body {
  cve_id?: string
  data?: { cve_id: string; assigner: string | null; date_published: string | null }[]
  pagination?: { next_cursor: string | null }
}

export interface Client {
  /** An answer as it came. @throws Error when it is no 200 */
  receive(target: string, coding: 'gzip' | 'identity'): Promise<Received>
  /** The body of an answer, decoded. */
  body(target: string): Promise<Body>
  close(): void
}

export function createClient(port: number, token: string): Client {
  const agent = new Agent({ keepAlive: true })
  const receive: Client['receive'] = (target, coding) =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, 'accept-encoding': coding }
      const request = get({ host: '127.0.0.1', port, path: target, agent, headers }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const { statusCode: status = 0, rawHeaders } = response
          const body = Buffer.concat(chunks)
          if (status === 200) resolve({ status, headers: rawHeaders, body })
          else reject(new Error(`${target} was answered ${status}: ${body}`))
        })
      })
      request.on('error', reject)
    })
  return {
    receive,
    body: async (target) => JSON.parse(gunzipSync((await receive(target, 'gzip')).body).toString()) as Body,
    close: () => agent.destroy(),
  }
}
