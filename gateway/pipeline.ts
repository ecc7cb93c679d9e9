/**
 * One request of a connection at a time. A client may send many without waiting (RFC 9112 9.3.2), and node hands over at
 * once all that came in one piece: answered together, the answers to whoever does not read them pile up in memory.
 */
import type { RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

interface Connection {
  /** The response to the latest request, sent or not. */
  last: ServerResponse
  /** Requests that wait for the answers to those before them. */
  waiting: number
}

/** Beyond so many that wait, nothing more is read of a connection. */
const MAX_WAITING = 64

/** Hands a request on once the answer to the one before it on the same connection is gone; never, where that is cut off. */
export function oneByOne(listener: RequestListener): RequestListener {
  const connections = new WeakMap<Socket, Connection>()
  return (request, response) => {
    const { socket } = request
    const known = connections.get(socket)
    if (known === undefined) {
      connections.set(socket, { last: response, waiting: 0 })
      return listener(request, response)
    }
    const before = known.last
    known.last = response
    if (before.writableFinished) return listener(request, response)
    if (++known.waiting > MAX_WAITING) socket.pause()
    before.once('finish', () => {
      if (--known.waiting === 0) socket.resume()
      listener(request, response)
    })
  }
}
