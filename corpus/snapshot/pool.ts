/**
 * A pool of worker threads that run the tasks of one module. With no threads the tasks run in the caller's own, one
 * after the other: the same results, and nothing hidden from a test.
 */
import type { Worker } from 'node:worker_threads'
import { endThread, startThread } from './threads.ts'

/** What a task module exports: pure work on what it is handed, by name. */
export type Tasks = Record<string, (input: never) => TaskResult | Promise<TaskResult>>

/** The result of a task and the buffers that are moved instead of copied. */
export interface TaskResult {
  value: unknown
  transfer?: ArrayBuffer[]
}

export interface Pool {
  /** Runs a task; `input` must survive a structured clone. */
  run<T>(task: string, input: unknown): Promise<T>
  /** Tasks that may be under way at once without one waiting for another. */
  width: number
  /** Lets go of what the threads still hold, by starting others. Nothing may be under way. */
  renew(): Promise<void>
  close(): Promise<void>
}

/** An error on its way between threads, which keeps neither its class nor its code on that way. */
interface ErrorReply {
  name: string
  message: string
  stack: string | undefined
  code: unknown
}

export type TaskReply = { value: unknown } | { error: ErrorReply }

export function errorReply(thrown: unknown): ErrorReply {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  return {
    name: error.name,
    message: error.message,
    stack: error.stack,
    code: 'code' in error ? error.code : undefined,
  }
}

/** The error again: an `Error` that is told by its name and code. */
function errorOf({ name, message, stack, code }: ErrorReply): Error {
  return Object.assign(new Error(message), { name, stack }, code === undefined ? {} : { code })
}

/**
 * Opens a pool of `threads` workers over the module at `module`, which exports `tasks`. A thread that ends, of whatever,
 * fails all tasks: those under way and those that are asked for later.
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

/**
 * What a thread's short-lived objects may take before they are collected. By default it is several times as much, which
 * saves nothing: 100,000 CVEs build in the same CPU time and 150 MB less.
 */
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
    const worker = startThread<TaskReply>(new URL('./pool-worker.ts', import.meta.url), options, (reply) => {
      const job = running.get(worker)
      running.delete(worker)
      if ('error' in reply) job?.reject(errorOf(reply.error))
      else job?.resolve(reply.value as never)
      next(worker)
    })
    worker.on('error', fail)
    worker.on('messageerror', fail)
    // Whatever ends a thread: its task would be awaited for ever.
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
      await end()
      open()
    },
    close: end,
  }
}

/** A promise that is awaited later: until then its failure must not pass for one that nobody hears, which ends node. */
export function heard<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}

/**
 * Runs one task for each input and hands the results on in the order of the inputs, with no more under way than the
 * pool is wide, so that results never pile up.
 */
export async function* runInOrder<T>(
  pool: Pool,
  task: string,
  inputs: Iterable<unknown> | AsyncIterable<unknown>,
): AsyncGenerator<T> {
  const under: Promise<T>[] = []
  try {
    for await (const input of inputs) {
      under.push(heard(pool.run<T>(task, input)))
      if (under.length >= pool.width) yield await under.shift()!
    }
    while (under.length > 0) yield await under.shift()!
  } finally {
    await Promise.allSettled(under)
  }
}
