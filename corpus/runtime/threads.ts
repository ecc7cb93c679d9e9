/** Starts and ends worker threads. */
import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, Worker, type WorkerOptions } from 'node:worker_threads'
import Database from 'better-sqlite3'

/** The message of a thread that has loaded its modules. */
export const LOADED = 'loaded'
/** Longer than modules take to load on a busy machine. */
const LOADING_MS = 10_000

/** Longer than a thread takes to end outside native calls. In steps, because a busy event loop can skip a whole one. */
const ENDING_STEPS = 20
const ENDING_STEP_MS = 100

const loading = new WeakMap<Worker, Promise<void>>()
const ending = new Map<Worker, Promise<void>>()

/** Starts a thread; its module must call `reportLoaded` after its imports. `receive` gets its other messages. */
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

/** Loads the native module of better-sqlite3, which otherwise loads with the first database of a thread. */
export function loadSqlite(): void {
  new Database(':memory:').close()
}

export function reportLoaded(): void {
  parentPort!.postMessage(LOADED)
}

/**
 * Terminates a thread. Waits up to ten seconds while it loads modules: Node aborts when a thread ends during native
 * initialization. Then waits at most two seconds, because native calls cannot be interrupted.
 */
export function endThread(worker: Worker): Promise<void> {
  // The process must not exit while a caller awaits this.
  worker.ref()
  const ended = end(worker)
  ending.set(worker, ended)
  return ended
}

async function end(worker: Worker): Promise<void> {
  await Promise.race([loading.get(worker), delay(LOADING_MS, undefined, { ref: false })])
  const terminated = worker.terminate().then(() => void ending.delete(worker))
  for (let step = 0; step < ENDING_STEPS && ending.has(worker); step++) {
    await Promise.race([terminated, delay(ENDING_STEP_MS, undefined, { ref: false })])
  }
}

/** Waits for ending threads. Returns whether one is stuck; then `process.exit` would hang. */
export async function hasStuckThread(): Promise<boolean> {
  await Promise.all(ending.values())
  return ending.size > 0
}
