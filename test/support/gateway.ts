/** A complete gateway on a free port, with an administrator's token. */
import { join } from 'node:path'
import { LOCAL, makeToken } from '../../gateway/auth/token.ts'
import { type Gateway, type GatewayOptions, startGateway } from '../../gateway/process/gateway.ts'
import { CONTRACT, heldFetch } from './contract.ts'
import { type LogLine, listLog } from './server.ts'

export interface TestGateway extends Gateway {
  token: string
  log: LogLine[]
  /** Requests `path` below `/api/v1` with the administrator's token. Checks the answer against the OpenAPI document. */
  get(path: string, headers?: Record<string, string>): Promise<Response>
  /** Returns the body of a 200 as text. */
  body(path: string): Promise<string>
}

export async function testGateway(
  folder: string,
  dist: string,
  options: Partial<GatewayOptions> = {},
): Promise<TestGateway> {
  const { token, jwksFile } = await makeToken({ dir: join(folder, 'keys') })
  const { log, lines } = listLog()
  const { issuer, audience } = LOCAL
  // Walks exceed the default limit, and a busy machine the default deadline.
  const [rateLimit, query] = [1_000_000, { deadlineMs: 30_000, ...options.query }]
  const given = { dist, port: 0, issuer, audience, jwks: jwksFile, pollMs: 0, rateLimit, ...options, query }
  const gateway = await startGateway(given, log)
  const ask = heldFetch(CONTRACT)
  const get = (path: string, headers: Record<string, string> = {}) =>
    ask(`${gateway.url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}`, ...headers } })
  const body = async (path: string) => {
    const response = await get(path)
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${path} was answered ${response.status}: ${text}`)
    return text
  }
  return {
    ...gateway,
    // A spread would read the getter only once.
    get registry() {
      return gateway.registry
    },
    token,
    log: lines,
    get,
    body,
  }
}
