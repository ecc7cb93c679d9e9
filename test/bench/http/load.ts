/**
 * The load generator, a separate process: keep-alive connections, each with one request at a time. A *closed* loop
 * sends the next request after each answer; an *open* loop sends at a fixed rate.
 */
import { type Connection, openConnection } from './connection.ts'

/** A request of the API. */
export interface LoadRequest {
  target: string
  /** Additional header lines. */
  headers?: readonly string[]
  /** Makes it a POST. */
  body?: string
}

export interface LoadRun {
  /** Name of the prepared requests; they are sent in turn, repeatedly. */
  of: string
  port: number
  connections: number
  seconds: number
  expect: readonly number[]
}

/** The tasks that the bench sends to it. */
export type LoadTask =
  | { kind: 'prepare'; name: string; requests: readonly LoadRequest[]; headers: readonly string[] }
  | ({ kind: 'closed'; polling: boolean } & LoadRun)
  | ({ kind: 'open'; perSecond: number } & LoadRun)

export interface LoadResult {
  /** Requests with an expected answer. */
  requests: number
  seconds: number
  /** Bytes of their bodies. */
  bytes: number
  /** Latency of each of them in ms, to the last byte of its answer. */
  latencies: Float32Array
  statuses: Record<number, number>
  /** Requests without an answer: their connection failed, or the run ended first. */
  unanswered: number
  /** Share of the time in which the generator was busy. Near 1, the generator is the bottleneck. */
  busy: number
}

export type LoadReply = { result: LoadResult } | { error: string }

/** Returns the next request: servers that take turns get different ones. */
type RequestSource = () => Buffer

/** Counts answers, and the time in which the generator was busy. */
interface Tally {
  add(status: number, bytes: number, latencyMs: number): void
  /** Stops counting. */
  result(seconds: number, unanswered?: number): LoadResult
}

/**
 * With `polling`, the event loop never sleeps while a server answers it. Otherwise that server pays for waking the
 * generator. Reason and figures: test/bench/README.md, "Load generator".
 */
function createTally(expect: readonly number[], polling: boolean): Tally {
  const latencies: number[] = []
  const statuses: Record<number, number> = {}
  let bytes = 0
  const began = performance.now()
  const idle = performance.eventLoopUtilization()
  let [last, busyMs, touched, stopped] = [began, 0, false, false]
  const turn = () => {
    const now = performance.now()
    if (touched) busyMs += now - last
    touched = false
    last = now
    if (!stopped) setImmediate(turn)
  }
  if (polling) setImmediate(turn)
  return {
    add(status, length, latencyMs) {
      touched = true
      statuses[status] = (statuses[status] ?? 0) + 1
      if (!expect.includes(status)) return
      latencies.push(latencyMs)
      bytes += length
    },
    result(seconds, unanswered = 0) {
      stopped = true
      const busy = polling ? busyMs / (performance.now() - began) : performance.eventLoopUtilization(idle).utilization
      const requests = latencies.length
      return { requests, seconds, bytes, latencies: Float32Array.from(latencies), statuses, unanswered, busy }
    },
  }
}

/**
 * Latencies start when the request is sent.
 * @throws Error for an answer with an unexpected status
 */
function closedLoop(run: LoadRun & { polling: boolean }, next: RequestSource): Promise<LoadResult> {
  const { port, connections, seconds, expect, polling } = run
  return new Promise((resolve, reject) => {
    const all: Connection[] = []
    const sentAt = new Map<Connection, number>()
    const tally = createTally(expect, polling)
    const began = performance.now()
    const end = began + seconds * 1000
    let left = connections

    const finish = (error?: Error) => {
      for (const one of all.splice(0)) one.destroy()
      const result = tally.result((performance.now() - began) / 1000)
      if (error) reject(error)
      else resolve(result)
    }
    const send = (connection: Connection, now: number) => {
      sentAt.set(connection, now)
      connection.send(next())
    }
    const events = {
      onConnect: (connection: Connection) => send(connection, performance.now()),
      onResponse(connection: Connection, status: number, bytes: number) {
        if (!expect.includes(status)) return finish(new Error(`a request was answered ${status}`))
        const now = performance.now()
        tally.add(status, bytes, now - sentAt.get(connection)!)
        if (now < end) send(connection, now)
        else if (--left === 0) finish()
      },
      onFailure: finish,
    }
    for (let i = 0; i < connections; i++) all.push(openConnection(port, events))
  })
}

const TICK_MS = 1
/** Time limit of the last requests, in ms. */
const DRAIN_MS = 5000

/**
 * Requests are due at a steady rate, whatever the speed of the answers. Latencies start when a request is due, so that a
 * stalled server does not hide the requests it delayed (no coordinated omission). The generator's own delay, a
 * millisecond of its timer, is excluded. Counts answers of any status, and requests with a failed connection, which is
 * reopened.
 */
function openLoop(run: LoadRun & { perSecond: number }, next: RequestSource): Promise<LoadResult> {
  const { port, connections, seconds, perSecond, expect } = run
  return new Promise((resolve) => {
    const tally = createTally(expect, false)
    const free: Connection[] = []
    const all = new Set<Connection>()
    /** When the current request of a connection was due. */
    const dueAt = new Map<Connection, number>()
    /** Due but not sent: all connections are busy. */
    const waiting: number[] = []
    let failed = 0
    let began = 0
    let issued = 0
    let timer: NodeJS.Timeout | undefined

    const finish = () => {
      clearInterval(timer)
      for (const one of all) one.destroy()
      resolve(tally.result(seconds, failed + waiting.length + dueAt.size))
    }
    const take = (connection: Connection) => {
      const due = waiting.shift()
      if (due === undefined) return void free.push(connection)
      dueAt.set(connection, due)
      connection.send(next())
    }
    const tick = () => {
      const now = performance.now()
      const due = Math.floor((Math.min(now - began, seconds * 1000) * perSecond) / 1000)
      for (; issued < due; issued++) {
        waiting.push(now)
        const connection = free.pop()
        if (connection) take(connection)
      }
      const over = now - began - seconds * 1000
      if ((over > 0 && waiting.length === 0 && dueAt.size === 0) || over > DRAIN_MS) finish()
    }
    const open = () => {
      const own = openConnection(port, {
        onConnect(connection) {
          take(connection)
          if (began !== 0 || free.length < connections) return
          began = performance.now()
          timer = setInterval(tick, TICK_MS)
        },
        onResponse(connection, status, bytes) {
          tally.add(status, bytes, performance.now() - dueAt.get(connection)!)
          dueAt.delete(connection)
          take(connection)
        },
        onFailure() {
          // Node reports an error and a close: only the first has an effect.
          if (!all.delete(own)) return
          if (dueAt.delete(own)) failed++
          const at = free.indexOf(own)
          if (at >= 0) free.splice(at, 1)
          own.destroy()
          setTimeout(open, TICK_MS * 50)
        },
      })
      all.add(own)
    }
    for (let i = 0; i < connections; i++) open()
  })
}

const prepared = new Map<string, RequestSource>()

function prepare({ name, requests, headers }: Extract<LoadTask, { kind: 'prepare' }>): void {
  const bytes = requests.map(({ target, headers: own = [], body }) => {
    const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]
    const lines = [`${body === undefined ? 'GET' : 'POST'} ${target} HTTP/1.1`, ...headers, ...own, ...length]
    return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`)
  })
  let next = 0
  prepared.set(name, () => {
    const request = bytes[next]!
    next = (next + 1) % bytes.length
    return request
  })
}

async function run(task: Exclude<LoadTask, { kind: 'prepare' }>): Promise<LoadResult> {
  const source = prepared.get(task.of)
  if (!source) throw new Error(`no requests are prepared as ${task.of}`)
  return task.kind === 'closed' ? closedLoop(task, source) : openLoop(task, source)
}

process.on('message', async (task: LoadTask) => {
  if (task.kind === 'prepare') return prepare(task)
  try {
    process.send!({ result: await run(task) } satisfies LoadReply)
  } catch (error) {
    process.send!({ error: error instanceof Error ? error.message : String(error) } satisfies LoadReply)
  }
})
