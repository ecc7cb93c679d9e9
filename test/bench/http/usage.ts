/**
 * Resource use of a process so far, from proc(5); Linux only.
 *
 * `/proc/<pid>/io` counts every read and write call and its bytes in all threads: files, the access log, and sockets
 * (each request costs at least one read and one write). It does not count `epoll_wait`.
 */
import { readFileSync } from 'node:fs'

export interface Usage {
  /** User and system time of all threads, in ms. */
  cpuMs: number
  bytesRead: number
  reads: number
  writes: number
}

/** Milliseconds per tick of `/proc/<pid>/stat`: USER_HZ is 100 on every Linux that Node supports. */
const TICK_MS = 10
const KB = 1024

export function usageOf(pid: number): Usage {
  const io = fieldsOf(readFileSync(`/proc/${pid}/io`, 'utf8'))
  const cpuMs = cpuMsOf(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  return { cpuMs, bytesRead: io.rchar!, reads: io.syscr!, writes: io.syscw! }
}

export const usedBetween = (before: Usage, after: Usage): Usage => ({
  cpuMs: after.cpuMs - before.cpuMs,
  bytesRead: after.bytesRead - before.bytesRead,
  reads: after.reads - before.reads,
  writes: after.writes - before.writes,
})

/** Returns the memory of a process in MB: current and peak. */
export function memoryOf(pid: number): { rssMb: number; peakMb: number } {
  const status = fieldsOf(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return { rssMb: (status.VmRSS! * KB) / 1e6, peakMb: (status.VmHWM! * KB) / 1e6 }
}

/** Parses `name: number` lines. */
export function fieldsOf(text: string): Record<string, number> {
  return Object.fromEntries(text.matchAll(/^(\w+):\s+(\d+)/gm).map(([, name, value]) => [name!, Number(value)]))
}

/** Parses `/proc/<pid>/stat`. Its second field can contain blanks and brackets. */
export function cpuMsOf(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

const POLL_MS = 250
const QUIET_SHARE = 0.04

/** Waits until a process is idle: after its start, a gateway reads and checks all its files. */
export async function settled(pid: number, mostMs = 180_000): Promise<void> {
  const end = performance.now() + mostMs
  let quiet = 0
  let before = usageOf(pid).cpuMs
  while (quiet < 3 && performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    const now = usageOf(pid).cpuMs
    quiet = now - before <= POLL_MS * QUIET_SHARE ? quiet + 1 : 0
    before = now
  }
}
