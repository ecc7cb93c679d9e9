/** Ends a process whose parent has ended. */
import { Worker } from 'node:worker_threads'
import { moduleUrl } from '../../corpus/runtime/module-url.ts'
import { THREAD_YOUNG_MB } from './bounds.ts'

/**
 * Watches the parent in a thread, because the event loop can be busy: the closed IPC channel is an event. On Windows, a
 * process keeps the id of its parent, and only the channel ends it.
 */
export function endWithParent(): void {
  const resourceLimits = { maxYoungGenerationSizeMb: THREAD_YOUNG_MB, maxOldGenerationSizeMb: THREAD_OLD_MB }
  const options = { workerData: process.ppid, resourceLimits }
  new Worker(moduleUrl('./parent-watch.ts', import.meta.url), options).unref()
}

/** Limit of the thread's old generation, in MB. */
const THREAD_OLD_MB = 16
