/** A keep-alive connection of the load generator: raw bytes, one request at a time. */
import { connect } from 'node:net'

const READ_BYTES = 256 * 1024

export interface Connection {
  send(request: Buffer): void
  destroy(): void
}

export interface ConnectionEvents {
  onConnect(connection: Connection): void
  /** Called when a response is complete. */
  onResponse(connection: Connection, status: number, bytes: number): void
  /** Called when the connection is unusable. */
  onFailure(error: Error): void
}

export function openConnection(port: number, { onConnect, onResponse, onFailure }: ConnectionEvents): Connection {
  const read = responseReader((status, bytes) => onResponse(connection, status, bytes))
  const buffer = Buffer.allocUnsafe(READ_BYTES)
  const onread = {
    buffer,
    callback: (length: number) => {
      read(buffer.subarray(0, length))
      return true
    },
  }
  const socket = connect({ host: '127.0.0.1', port, noDelay: true, onread })
  const connection: Connection = {
    send: (request) => void socket.write(request),
    destroy: () => void socket.destroy(),
  }
  socket.on('connect', () => onConnect(connection))
  socket.on('error', onFailure)
  socket.on('end', () => onFailure(new Error('the server closed a connection')))
  return connection
}

const HEAD_END = Buffer.from('\r\n\r\n')
const LENGTH = 'content-length:'
const NOTHING = Buffer.alloc(0)

/**
 * Returns a function that takes received pieces of any size. It calls `onResponse` with status and body length of each
 * complete response.
 * @throws Error for a response with a body and no `Content-Length`: the measured servers always send one
 */
export function responseReader(onResponse: (status: number, bytes: number) => void): (chunk: Buffer) => void {
  /** An incomplete head. */
  let held: Buffer = NOTHING
  let status = 0
  let length = 0
  /** Remaining bytes of the body, or -1 between responses. */
  let left = -1

  return (chunk) => {
    let rest = chunk
    while (rest.length > 0 || left === 0) {
      if (left < 0) {
        const bytes = held.length === 0 ? rest : Buffer.concat([held, rest])
        const end = bytes.indexOf(HEAD_END)
        if (end < 0) {
          // The socket's buffer is reused for the next piece.
          held = Buffer.from(bytes)
          return
        }
        held = NOTHING
        const head = bytes.toString('latin1', 0, end)
        status = Number(head.slice(9, 12))
        // A 304 has no body and needs no `Content-Length` (RFC 9110 15.4.5).
        length = status === 304 ? 0 : contentLength(head)
        left = length
        rest = bytes.subarray(end + HEAD_END.length)
      }
      const taken = Math.min(left, rest.length)
      left -= taken
      rest = rest.subarray(taken)
      if (left > 0) return
      left = -1
      onResponse(status, length)
    }
  }
}

function contentLength(head: string): number {
  const at = head.toLowerCase().indexOf(LENGTH)
  const length = at < 0 ? Number.NaN : Number.parseInt(head.slice(at + LENGTH.length), 10)
  if (!(length >= 0)) throw new Error('a response has no Content-Length')
  return length
}
