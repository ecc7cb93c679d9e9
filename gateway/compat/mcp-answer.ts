/** Answers one message of the Model Context Protocol. Only `mcp.ts` loads this module, because the SDK is large. */
import {
  createMcpHandler,
  isLegacyRequest,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { ApiError } from '../../corpus/answers/errors.ts'
import { mcpServer } from '../../corpus/mcp/server.ts'
import type { ToolSource } from '../../corpus/mcp/tools.ts'
import { WORK } from '../process/bounds.ts'
import type { CompatAnswer, CompatRequest } from './interface.ts'

/** Looking up a package takes about a tenth of a millisecond. In comparisons, see `WORK`. */
const WORK_OF_A_PACKAGE = 100

/** A server answers one message. @throws what is no error of the client */
export async function answerMessage(request: CompatRequest): Promise<CompatAnswer> {
  const faults: unknown[] = []
  const describe = (error: unknown): string => {
    if (error instanceof ApiError && error.status < 500) return error.message
    faults.push(error)
    return 'the service failed'
  }
  const open = () => mcpServer(() => sourceOf(request), describe)
  const message = new Request(`${request.origin()}${request.path}`, {
    method: 'POST',
    headers: protocolHeaders(request.headers),
  })
  const response = await respond(open, message, request.body)
  // The listener logs the error and answers it.
  if (faults.length > 0) throw faults[0]
  const body = await response.text()
  const type = response.headers.get('content-type')
  return { status: response.status, body, servedFrom: null, ...(type !== null && { type }) }
}

/** The SDK has one entry for the revisions with a handshake, and one for those since. */
async function respond(open: () => McpServer, message: Request, parsedBody: unknown): Promise<Response> {
  if (!(await isLegacyRequest(message, parsedBody))) {
    return createMcpHandler(open, { legacy: 'reject', maxSubscriptions: 0 }).fetch(message, { parsedBody })
  }
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  const server = open()
  try {
    await server.connect(transport)
    return await transport.handleRequest(message, { parsedBody })
  } finally {
    await server.close()
  }
}

/** The tools ask as the caller. A call of a tool uses the quota of its work. */
function sourceOf({ api, work }: CompatRequest): ToolSource {
  const index = api()
  let { snapshot } = index
  return {
    ecosystems: index.ecosystems,
    releases: index.releases,
    get snapshot() {
      return snapshot
    },
    async request(target) {
      const reply = await index.request(target, () => work(WORK.perUnit))
      snapshot = reply.snapshot ?? snapshot
      return reply
    },
    async affected(question) {
      await work(WORK_OF_A_PACKAGE)
      const rows = await index.affected(question)
      await work(rows.length * WORK_OF_A_PACKAGE)
      return [...rows]
    },
  }
}

/** Credentials stay here. */
function protocolHeaders(given: CompatRequest['headers']): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(given)) {
    if (typeof value === 'string' && /^(?:accept|content-type|mcp-.+)$/.test(name)) headers.set(name, value)
  }
  return headers
}
