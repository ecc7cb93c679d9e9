/**
 * A pool of worker threads that run the tasks of one module. With 0 threads, tasks run in the caller's thread, with the
 * same results.
 */

import type { Worker } from 'node:worker_threads'
import { receivedError, type SentError } from '../errors/sent-error.ts'
import { moduleUrl } from './module-url.ts'
import { endThread, startThread } from './threads.ts'

/** The exports of a task module, by task name. Tasks depend only on their input. */
export type Tasks = Record<string, (input: never) => TaskResult | Promise<TaskResult>>

export interface TaskResult {
  value: unknown
  transfer?: ArrayBuffer[]
}

export interface Pool {
  /** Runs a task. `input` must survive a structured clone. */
  run<T>(task: string, input: unknown): Promise<T>
  /** Number of tasks to keep in progress: two per thread, or one without threads. */
  width: number
  /**
   * Replaces the threads to release their memory.
   * @throws Error if a task is in progress
   */
  renew(): Promise<void>
  close(): Promise<void>
}

export type TaskReply = { value: unknown } | { error: SentError }

/**
 * Opens a pool of `threads` workers for the module at `module`, which exports `tasks`. When a thread ends unexpectedly,
 * all current and later tasks fail.
 */
export function openPool(module: URL, threads: number): Pool {
  return threads > 0 ? threadPool(module, threads) : inlinePool(module)
}

function inlinePool(module: URL): Pool {
  const loaded = import(module.href) as Promise<{ tasks: Tasks }>
  return {
    width: 1,
    async run<T>(task: string, input: unknown) {
      const { tasks } = await loaded
      return (await tasks[task]!(input as never)).value as T
    },
    renew: async () => {},
    close: async () => {},
  }
}

interface Job {
  task: string
  input: unknown
  resolve(value: never): void
  reject(error: Error): void
}

/** The default is several times larger and saves no CPU time. This saves 150 MB for 100,000 CVEs. */
const YOUNG_MB = 16

function threadPool(module: URL, threads: number): Pool {
  const waiting: Job[] = []
  const running = new Map<Worker, Job>()
  const idle: Worker[] = []
  let failure: Error | null = null

  const fail = (error: Error) => {
    failure ??= error
    for (const job of [...running.values(), ...waiting.splice(0)]) job.reject(failure)
    running.clear()
  }
  const next = (worker: Worker) => {
    const job = waiting.shift()
    if (!job) return void idle.push(worker)
    running.set(worker, job)
    worker.postMessage({ task: job.task, input: job.input })
  }
  const start = () => {
    const options = { workerData: module.href, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } }
    const worker = startThread<TaskReply>(moduleUrl('./pool-worker.ts', import.meta.url), options, (reply) => {
      const job = running.get(worker)
      running.delete(worker)
      if ('error' in reply) job?.reject(receivedError(reply.error))
      else job?.resolve(reply.value as never)
      next(worker)
    })
    worker.on('error', fail)
    worker.on('messageerror', fail)
    // Otherwise the task of a dead thread would never settle.
    worker.on('exit', (code) => {
      if (workers.includes(worker)) fail(new Error(`a worker thread ended by itself, with exit code ${code}`))
    })
    return worker
  }
  const end = async () => {
    idle.length = 0
    await Promise.all(workers.splice(0).map((worker) => endThread(worker)))
  }
  const workers: Worker[] = []
  const open = () => {
    for (let i = 0; i < threads; i++) workers.push(start())
    for (const worker of workers) next(worker)
  }
  open()

  return {
    width: threads * 2,
    run: (task, input) =>
      new Promise((resolve, reject) => {
        if (failure) return reject(failure)
        waiting.push({ task, input, resolve, reject })
        const worker = idle.pop()
        if (worker) next(worker)
      }),
    async renew() {
      // Such a task would never settle.
      if (running.size + waiting.length > 0) throw new Error('threads are replaced while a task is in progress')
      await end()
      open()
    },
    close: end,
  }
}

/** Marks a promise as handled: it is awaited later, and a rejection before that would end Node. */
export function handleLater<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}

/**
 * Yields one task result per input, in input order. At most `pool.width` tasks are in progress, so that results do not
 * accumulate.
 */
export async function* runInOrder<T>(
  pool: Pool,
  task: string,
  inputs: Iterable<unknown> | AsyncIterable<unknown>,
): AsyncGenerator<T> {
  const under: Promise<T>[] = []
  try {
    for await (const input of inputs) {
      under.push(handleLater(pool.run<T>(task, input)))
      if (under.length >= pool.width) yield await under.shift()!
    }
    while (under.length > 0) yield await under.shift()!
  } finally {
    await Promise.allSettled(under)
  }
}
