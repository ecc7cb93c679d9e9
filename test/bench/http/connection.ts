/** A keep-alive connection of the load generator: written and read as raw bytes, one request under way. */
import { connect } from 'node:net'
import { responseReader } from './responses.ts'

const READ_BYTES = 256 * 1024

export interface Connection {
  send(request: Buffer): void
  destroy(): void
}

export interface ConnectionEvents {
  onConnect(connection: Connection): void
  /** All of a response is there. */
  onResponse(connection: Connection, status: number, bytes: number): void
  /** The connection is of no use any more. */
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
