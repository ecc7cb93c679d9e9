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
  /** Heap and buffers of the process after this file, with garbage. */
  usedBytes: number
  /** Whether the process ends after this file, because a test left an unhandled rejection. */
  isLast?: boolean
}
