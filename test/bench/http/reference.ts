/** The reference server, a separate process: polka with the gateway's routes, and a constant body with its headers. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import polka from 'polka'

/** The answer from now on: alternating header names and values, and the body. */
export interface Constant {
  status: number
  headers: string[]
  body: Uint8Array
}

let constant: Constant = { status: 200, headers: [], body: Buffer.alloc(0) }

const router = polka()
for (const route of ['cves', 'cves/:cveId', 'cwes/:cweId/cves', 'affected', 'advisories/:advisoryId']) {
  router.get(`/api/v1/${route}`, (_request, response) => {
    response.writeHead(constant.status, constant.headers)
    response.end(constant.body)
  })
}

process.on('message', (message: Constant) => {
  constant = message
  process.send!('constant')
})

const server = createServer(router.handler as RequestListener)
server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }))
