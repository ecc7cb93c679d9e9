/** What `test/run.ts` and the processes of the tests send each other. */
import type { Skipped } from './needs.ts'

/** The first message of a process: it takes files from now on. */
export const READY = 'ready'

export interface FileResult {
  passed: number
  failed: number
  skipped: Skipped[]
  /** What the file and uvu printed. */
  output: string
  /** Whether the process ends after it, since a test let an error slip. */
  isLast?: boolean
}
