/** The messages between `test/run.ts` and the test processes. */
import type { Skipped } from './needs.ts'

/** The first message of a process: it is ready for files. */
export const READY = 'ready'

export interface FileResult {
  passed: number
  failed: number
  skipped: Skipped[]
  /** Output of the file and of uvu. */
  output: string
  /** Whether the process ends after this file: a test left an unhandled rejection, or files have left much in memory. */
  isLast?: boolean
}
