/** The worker threads of an ingest. They start with the first large task and stay until the end. */
import { openPool, type Pool } from '../../corpus/snapshot/pool.ts'

export interface Threads {
  /**
   * Returns worker threads if they run already or the task is worth starting them. Else it returns the caller's
   * thread.
   */
  pool(isWorthIt: boolean): Pool
  close(): Promise<void>
}

/** Opens up to `jobs` worker threads; 0 runs everything in the caller's thread. */
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
