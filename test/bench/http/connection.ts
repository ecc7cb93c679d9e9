/** A keep-alive connection of the load generator: raw bytes, one request at a time. */
import { connect } from 'node:net'
import { responseReader } from './responses.ts'

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
