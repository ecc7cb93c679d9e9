/** Servers of tests on a free port of this machine. */
import { createServer as createHttpServer, type Server as HttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'

export interface Listening {
  port: number
  /** Without a path. */
  origin: string
  /** Closes all connections too. */
  close(): Promise<void>
}

export async function listening(server: Server | HttpServer): Promise<Listening> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        if ('closeAllConnections' in server) server.closeAllConnections()
      }),
  }
}

/** An HTTP server with this handler. */
export const listeningWith = (handler: RequestListener): Promise<Listening> => listening(createHttpServer(handler))

/** A port that was free a moment ago, for programs that cannot choose one themselves. */
export async function freePort(): Promise<number> {
  const { port, close } = await listening(createServer())
  await close()
  return port
}
