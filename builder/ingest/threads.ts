/** The threads of an ingest: started when there is first enough to do for them, and kept until the end. */
import { openPool, type Pool } from '../../corpus/snapshot/pool.ts'

export interface Threads {
  /** Worker threads for work that is worth starting them, or where they are there already; else the caller's own thread. */
  pool(isWorthIt: boolean): Pool
  close(): Promise<void>
}

/** Up to `jobs` worker threads; with 0 everything runs in the caller's. */
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
