/** Repeats a mirror run. Temporary errors are reported, and the next run tries again. */
import { setTimeout } from 'node:timers/promises'
import { isSystemError } from '../../corpus/command/system-error.ts'

/**
 * Marks a gateway's mirror process, which ends with its gateway. The value is the source; it may contain a password,
 * and other users can read command lines.
 */
export const FOLLOWED_BY_GATEWAY = 'VULNSHELF_FOLLOWED_BY_GATEWAY'

/** Errors of the data or the connection, not of this program. */
const TOLD = ['KeyError', 'MirrorError', 'SnapshotError', 'TransferError']

export interface Following<T> {
  /** Between two runs. */
  intervalMs: number
  /** The caller must end a run in progress. */
  signal: AbortSignal
  onReport(report: T): void
  onError(error: Error): void
  /** From 0 to 1, for jitter. */
  random(): number
}

/** Spreads the polls of mirrors that started together. */
const JITTER = 0.1

/**
 * Resolves when the signal aborts.
 * @throws unexpected errors of a run
 */
export async function follow<T>(run: () => Promise<T>, following: Following<T>): Promise<void> {
  const { intervalMs, signal, onReport, onError, random } = following
  while (!signal.aborted) {
    try {
      onReport(await run())
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof Error) || !isTold(error)) throw error
      onError(error)
    }
    const wait = intervalMs * (1 + JITTER * (2 * random() - 1))
    await setTimeout(wait, undefined, { signal }).catch(() => {})
  }
}

/** Disk errors are temporary, usage errors are not. */
const isTold = (error: Error & { code?: string }) =>
  error.code !== 'usage' && (TOLD.includes(error.name) || isSystemError(error))
