/** Starting and ending worker threads. */
import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, Worker, type WorkerOptions } from 'node:worker_threads'
import Database from 'better-sqlite3'

/** The message of a thread that has loaded its modules. */
export const LOADED = 'loaded'
/** More than modules take to load on a busy machine. */
const LOADING_MS = 10_000

const loading = new WeakMap<Worker, Promise<void>>()

/** Starts a thread whose module calls `reportLoaded` after its imports. `receive` gets its other messages. */
export function startThread<T>(module: URL, options: WorkerOptions, receive: (message: T) => void): Worker {
  const worker = new Worker(module, options)
  const loaded = new Promise<void>((resolve) => {
    worker.on('message', (message: T | typeof LOADED) => {
      if (message === LOADED) resolve()
      else receive(message)
    })
    worker.once('exit', () => resolve())
  })
  loading.set(worker, loaded)
  return worker
}

/** Loads the native part of better-sqlite3, which otherwise loads with the first database that a thread opens. */
export function loadSqlite(): void {
  new Database(':memory:').close()
}

/** Reports to `startThread`, from within the thread. */
export function reportLoaded(): void {
  parentPort!.postMessage(LOADED)
}

/**
 * Terminates a thread, but waits up to ten seconds while it loads its modules: Node aborts the whole process when a thread
 * ends during the initialization of a native module.
 */
export async function endThread(worker: Worker): Promise<void> {
  // The process must not end while a caller awaits this.
  worker.ref()
  await Promise.race([loading.get(worker), delay(LOADING_MS, undefined, { ref: false })])
  await worker.terminate()
}
