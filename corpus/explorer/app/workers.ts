/** Scripts that run beside the page. `bundle.ts` has their sources. */

/** The files of the workers in `assets/`, by name. `bundle.ts` replaces it. */
declare const WORKER_FILES: Readonly<Record<WorkerName, string>>

export type WorkerName = 'inventory' | 'markdown'

export const startWorker = (name: WorkerName): Worker =>
  new Worker(new URL(WORKER_FILES[name], import.meta.url), { type: 'module', name })
