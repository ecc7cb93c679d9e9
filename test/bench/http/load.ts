/**
 * The load generator, a process of its own: keep-alive connections, each with one request under way, written and read
 * as raw bytes. It makes requests as fast as they are answered, and times every one.
 */
import { connect } from 'node:net'
import { performance } from 'node:perf_hooks'
import { responseReader } from './responses.ts'

/** What the bench asks of it. */
export type LoadTask =
  /** From now on request these, one after the other and again from the first. */
  | { kind: 'targets'; targets: string[]; headers: string[] }
  | { kind: 'run'; port: number; connections: number; seconds: number }

export interface LoadResult {
  requests: number
  seconds: number
  /** Bytes of all bodies. */
  bytes: number
  /** Of each request, from its first byte out to its last byte in, in ms. */
  latencies: Float32Array
  /** Share of the time in which this process was not waiting: near 1, it is the load generator that is measured. */
  busy: number
}

export type LoadReply = { result: LoadResult } | { error: string }

/** Requests as bytes, and which comes next: servers in turn get different ones. */
let requests: Buffer[] = []
let next = 0

const READ_BYTES = 256 * 1024

function run(port: number, connections: number, seconds: number): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const latencies: number[] = []
    const sockets: { destroy(): void }[] = []
    let bytes = 0
    let open = 0
    const began = performance.now()
    const end = began + seconds * 1000
    const before = performance.eventLoopUtilization()

    const finish = (error?: Error) => {
      for (const socket of sockets.splice(0)) socket.destroy()
      if (error) return reject(error)
      resolve({
        requests: latencies.length,
        seconds: (performance.now() - began) / 1000,
        bytes,
        latencies: Float32Array.from(latencies),
        busy: performance.eventLoopUtilization(before).utilization,
      })
    }

    const openOne = () => {
      let sentAt = 0
      const read = responseReader((status, length) => {
        if (status !== 200) return finish(new Error(`a request was answered ${status}`))
        const now = performance.now()
        latencies.push(now - sentAt)
        bytes += length
        if (now < end) send(now)
        else if (--open === 0) finish()
      })
      const buffer = Buffer.allocUnsafe(READ_BYTES)
      const onread = {
        buffer,
        callback: (length: number) => {
          read(buffer.subarray(0, length))
          return true
        },
      }
      const socket = connect({ host: '127.0.0.1', port, noDelay: true, onread })
      const send = (now: number) => {
        sentAt = now
        socket.write(requests[next]!)
        next = (next + 1) % requests.length
      }
      sockets.push(socket)
      open++
      socket.on('connect', () => send(performance.now()))
      socket.on('error', finish)
      socket.on('end', () => finish(new Error('the server closed a connection')))
    }
    for (let i = 0; i < connections; i++) openOne()
  })
}

process.on('message', async (task: LoadTask) => {
  if (task.kind === 'targets') {
    const head = task.headers.map((line) => `${line}\r\n`).join('')
    requests = task.targets.map((target) => Buffer.from(`GET ${target} HTTP/1.1\r\n${head}\r\n`, 'latin1'))
    next = 0
    return
  }
  try {
    process.send!({ result: await run(task.port, task.connections, task.seconds) } satisfies LoadReply)
  } catch (error) {
    process.send!({ error: error instanceof Error ? error.message : String(error) } satisfies LoadReply)
  }
})
