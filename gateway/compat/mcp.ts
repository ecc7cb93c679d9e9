/** The Model Context Protocol over HTTP, for AI clients (`--compat mcp`): Streamable HTTP without sessions. */
import { ApiError } from '../../corpus/answers/errors.ts'
import { parseUntrustedJson } from '../../corpus/model/values/json-text.ts'
import { MCP_BODY_BOUNDS } from '../process/bounds.ts'
import type { CompatAnswer, CompatInterface, CompatRequest } from './interface.ts'

/** Codes of JSON-RPC 2.0 (5.1); the others are those of a server. */
const [PARSE_ERROR, INVALID_REQUEST, SERVER_ERROR] = [-32_700, -32_600, -32_000]

const errorMessage = (code: number, message: string) => ({ jsonrpc: '2.0', id: null, error: { code, message } })

/** What the parser of bodies returns for a text that is no JSON. */
const NO_JSON = Symbol('no JSON')

export function mcpInterface(): CompatInterface {
  return {
    routes: [
      {
        name: '/mcp',
        path: /^\/mcp\/?$/,
        // A GET would open a stream of messages of the server, and a DELETE end a session. It has neither.
        methods: ['POST'],
        body: { type: 'application/json', parse: parseMessage },
        handle: answer,
      },
    ],
    bodies: MCP_BODY_BOUNDS,
    errorBody: ({ status, message }) => errorMessage(status === 400 ? INVALID_REQUEST : SERVER_ERROR, message),
  }
}

function parseMessage(bytes: Buffer): unknown {
  try {
    return parseUntrustedJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return NO_JSON
  }
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Rejects pages of other hosts, as Streamable HTTP requires ("Security Warning"): the name of such a page can lead to this
 * machine (DNS rebinding). Programs send no `Origin`.
 * @throws ApiError 403
 */
function assertOrigin(origin: string | undefined): void {
  if (origin === undefined || (URL.canParse(origin) && LOOPBACK.has(new URL(origin).hostname))) return
  throw new ApiError('forbidden', 'requests of web pages of other hosts are not accepted; connect from a program')
}

async function answer(request: CompatRequest): Promise<CompatAnswer> {
  const { body, headers } = request
  assertOrigin(headers.origin)
  const refused = (code: number, message: string): CompatAnswer => ({
    status: 400,
    body: errorMessage(code, message),
    servedFrom: null,
  })
  if (body === NO_JSON) return refused(PARSE_ERROR, 'the body is not valid JSON in UTF-8')
  // One message could be thousands of calls. Revisions since 2025-06-18 have no batches.
  if (Array.isArray(body)) return refused(INVALID_REQUEST, 'batches are not supported; send one message per request')
  const { answerMessage } = await import('./mcp-answer.ts')
  return answerMessage(request)
}
