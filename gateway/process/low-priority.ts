/** Threads and processes that must not take time from the one that answers. */
import { setPriority } from 'node:os'

/** A tenth of what a thread of normal priority gets beside it: at 19 a swap would take minutes on a busy machine. */
const LOW = 10

/**
 * Lowers the priority of the calling thread, or of a process that was just started. On Linux priorities belong to threads,
 * and 0 is the one that asks; elsewhere they belong to processes, so nothing is done there.
 */
export function lowerCpuPriority(pid = 0): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(pid, LOW)
  } catch {
    // A container may forbid it: then the system shares the time out evenly, as it would have anyway.
  }
}
