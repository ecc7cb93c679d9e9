/** Text queries, one at a time in a thread of their own, each with a deadline, behind a bounded queue. */
import { Worker } from 'node:worker_threads'
import { overloaded } from '../errors.ts'
import { recent } from '../recent.ts'
import type { QueryReply, QueryRequest } from './protocol.ts'

export interface Queries {
  /**
   * The ordinals that `q` matches in the `query.db` at `path`, ascending. The array is shared: do not write to it.
   * @throws ApiError `overloaded` past the deadline or the queue's length
   */
  matches(path: string, q: string): Promise<Uint32Array>
  /** Opens a `query.db` and keeps it open, whatever becomes of its name, until it is forgotten. */
  open(path: string): void
  /** Lets go of a `query.db`. */
  forget(path: string): void
  readonly figures: QueryFigures
  close(): Promise<void>
}

/** How the queue fares, for the metrics. */
export interface QueryFigures {
  waiting: number
  /** Queries past their deadline, since the start. */
  timeouts: number
  /** Queries refused because too many were waiting, since the start. */
  refusals: number
}

export interface QueryOptions {
  deadlineMs?: number
  maxQueued?: number
  /** Bound of remembered results: a walk through pages asks the same again and again. */
  maxRememberedBytes?: number
}

interface Job {
  path: string
  q: string
  resolve(ordinals: Uint32Array): void
  reject(error: Error): void
  timer: NodeJS.Timeout
}

const RETRY_AFTER_SECONDS = 1
/** What an entry costs beside its ordinals. */
const ENTRY_BYTES = 200

export function openQueries(options: QueryOptions = {}): Queries {
  const { deadlineMs = 2000, maxQueued = 64, maxRememberedBytes = 16 * 1024 * 1024 } = options
  const remembered = recent<string, Uint32Array>(maxRememberedBytes, (ordinals, key) => {
    return ordinals.byteLength + key.length * 2 + ENTRY_BYTES
  })
  const queue: Job[] = []
  /** How many snapshots hold each `query.db`: two that differ elsewhere may share one. */
  const holders = new Map<string, number>()
  let running: Job | null = null
  let timeouts = 0
  let refusals = 0
  let worker = start()

  function start(): Worker {
    const started = new Worker(new URL('./thread.ts', import.meta.url))
    started.on('message', (reply: QueryReply) => {
      if (started !== worker) return
      finish((job) => ('error' in reply ? job.reject(reply.error) : job.resolve(reply.ordinals)))
    })
    started.on('error', (error: Error) => {
      if (started !== worker) return
      worker = start()
      finish((job) => job.reject(error))
    })
    started.unref()
    for (const path of holders.keys()) started.postMessage({ kind: 'open', path } satisfies QueryRequest)
    return started
  }

  function finish(settle: (job: Job) => void): void {
    const job = running
    running = null
    if (job) {
      clearTimeout(job.timer)
      settle(job)
    }
    next()
  }

  function next(): void {
    if (running) return
    const job = queue.shift()
    if (!job) return
    running = job
    worker.postMessage({ kind: 'matches', path: job.path, q: job.q } satisfies QueryRequest)
  }

  function expire(job: Job): void {
    timeouts++
    const error = overloaded(`the query took longer than ${deadlineMs} ms`, RETRY_AFTER_SECONDS)
    if (running === job) {
      // SQLite cannot be interrupted from outside: the thread goes, and a new one takes over.
      const stuck = worker
      worker = start()
      void stuck.terminate()
      finish((one) => one.reject(error))
    } else {
      queue.splice(queue.indexOf(job), 1)
      job.reject(error)
    }
  }

  return {
    async matches(path, q) {
      const key = `${path}\n${q}`
      const known = remembered.get(key)
      if (known) return known
      if (queue.length >= maxQueued) {
        refusals++
        throw overloaded('too many queries are waiting', RETRY_AFTER_SECONDS)
      }
      const ordinals = await new Promise<Uint32Array>((resolve, reject) => {
        const job: Job = { path, q, resolve, reject, timer: setTimeout(() => expire(job), deadlineMs) }
        queue.push(job)
        next()
      })
      remembered.set(key, ordinals)
      return ordinals
    },
    open(path) {
      holders.set(path, (holders.get(path) ?? 0) + 1)
      worker.postMessage({ kind: 'open', path } satisfies QueryRequest)
    },
    forget(path) {
      const left = (holders.get(path) ?? 1) - 1
      if (left > 0) return void holders.set(path, left)
      holders.delete(path)
      worker.postMessage({ kind: 'forget', path } satisfies QueryRequest)
    },
    get figures() {
      return { waiting: queue.length, timeouts, refusals }
    },
    close: async () => void (await worker.terminate()),
  }
}
