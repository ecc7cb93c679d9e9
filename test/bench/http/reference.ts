/**
 * A reference server, a separate process, that sends a constant body. `polka` also sends the headers of the gateway's
 * answers and has its routes; `node` is plain node:http, the limit.
 */
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import polka from 'polka'

/** The answer from now on: alternating header names and values, and the body. */
export interface Constant {
  status: number
  headers: string[]
  body: Uint8Array
}

let constant: Constant = { status: 200, headers: [], body: Buffer.alloc(0) }

function send(response: ServerResponse): void {
  response.writeHead(constant.status, constant.headers)
  response.end(constant.body)
}

const handlers: Record<string, () => RequestListener> = {
  polka: () => {
    const router = polka()
    router.get('/api/v1/cves', (_request, response) => send(response))
    router.get('/api/v1/cves/:cveId', (_request, response) => send(response))
    router.get('/api/v1/cwes/:cweId/cves', (_request, response) => send(response))
    router.get('/api/v1/affected', (_request, response) => send(response))
    router.get('/api/v1/advisories/:advisoryId', (_request, response) => send(response))
    return router.handler as RequestListener
  },
  node: () => (_request, response) => {
    response.statusCode = constant.status
    if (constant.status !== 304) response.setHeader('Content-Length', constant.body.length)
    response.end(constant.body)
  },
}

process.on('message', (message: Constant) => {
  constant = message
  process.send!('constant')
})

const server = createServer(handlers[process.argv[2] ?? '']!())
server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }))
