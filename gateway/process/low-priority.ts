/** Lowers the priority of threads and processes that must not take CPU time from the answering thread. */
import { setPriority } from 'node:os'

/** About a tenth of the time of a thread with normal priority. At 19, a swap would take minutes on a busy machine. */
const LOW = 10

/**
 * Lowers the priority of the calling thread (`pid` 0), or of a process that was just started. Does nothing outside
 * Linux, where priorities belong to processes and not to threads.
 */
export function lowerCpuPriority(pid = 0): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(pid, LOW)
  } catch {
    // A container may forbid it. Then threads share the CPU evenly.
  }
}
