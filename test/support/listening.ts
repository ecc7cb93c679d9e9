/** Servers for tests on a free port. Closing one also closes its connections. */
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Listening {
  /** Without a path. */
  origin: string
  close(): Promise<void>
}

export async function listening(server: Server): Promise<Listening> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
