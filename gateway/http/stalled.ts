/** Disconnects clients that do not read their answers, so that answers cannot fill memory. */
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Checks all open connections every `intervalMs`, and disconnects a client that still reads the same answer as at the last
 * check. A Node timer per socket would cost 5 % of each request. `current` returns the response that is handled now.
 */
export function closeStalled(
  server: Server,
  sockets: ReadonlySet<Socket>,
  intervalMs: number,
  current: (socket: Socket) => ServerResponse | undefined,
): void {
  let unread = new Map<Socket, ServerResponse | undefined>()
  const timer = setInterval(() => {
    const before = unread
    unread = new Map()
    for (const socket of sockets) {
      if (socket.writableLength === 0) continue
      const answer = current(socket)
      // A reset drops what the system still buffers for the client.
      if (before.has(socket) && before.get(socket) === answer) socket.resetAndDestroy()
      else unread.set(socket, answer)
    }
  }, intervalMs)
  timer.unref()
  server.once('close', () => clearInterval(timer))
}
