/** Worker threads of an ingest, started with the first large task. */
import { openPool, type Pool } from '../../corpus/runtime/pool.ts'

export interface Threads {
  /** Returns the workers if they run already or the task is worth starting them, else the caller's thread. */
  pool(isWorthIt: boolean): Pool
  close(): Promise<void>
}

/** With 0 jobs, everything runs in the caller's thread. */
export function openThreads(jobs: number): Threads {
  const tasks = new URL('./tasks.ts', import.meta.url)
  const inline = openPool(tasks, 0)
  let threads: Pool | null = null
  return {
    pool(isWorthIt) {
      if (jobs === 0 || (threads === null && !isWorthIt)) return inline
      threads ??= openPool(tasks, jobs)
      return threads
    },
    close: async () => threads?.close(),
  }
}
