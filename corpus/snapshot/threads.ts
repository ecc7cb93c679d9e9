/** Starting and ending worker threads. */
import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, Worker, type WorkerOptions } from 'node:worker_threads'
import Database from 'better-sqlite3'

/** The message of a thread that has loaded its modules. */
export const LOADED = 'loaded'
/** More than modules take to load on a busy machine. */
const LOADING_MS = 10_000

/** More than a thread takes to end that is not in a native call. */
const ENDING_MS = 2000

const loading = new WeakMap<Worker, Promise<void>>()
/** Threads that were told to end, and have not; each with the promise of `endThread`. */
const ending = new Map<Worker, Promise<void>>()

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
 * ends during the initialization of a native module. Returns after two more seconds also where a native call, which nothing
 * interrupts, keeps the thread from ending.
 */
export function endThread(worker: Worker): Promise<void> {
  // The process must not end while a caller awaits this.
  worker.ref()
  const ended = end(worker)
  ending.set(worker, ended)
  return ended
}

async function end(worker: Worker): Promise<void> {
  await Promise.race([loading.get(worker), delay(LOADING_MS, undefined, { ref: false })])
  const terminated = worker.terminate().then(() => void ending.delete(worker))
  await Promise.race([terminated, delay(ENDING_MS, undefined, { ref: false })])
}

/** Waits for the threads that were told to end. Returns whether one is stuck: then `process.exit` would wait for ever. */
export async function hasStuckThread(): Promise<boolean> {
  await Promise.all(ending.values())
  return ending.size > 0
}
