/** Mirroring again and again: what goes wrong once is told, and tried again at the next turn. */
import { setTimeout } from 'node:timers/promises'
import { isSystemError } from '../../corpus/command/system-error.ts'

/**
 * A variable by which a mirror knows that it is a gateway's: then it ends with that, also where that has ended already. Its
 * value is the source, which may hold a password: what a process is started with everybody on its machine may read.
 */
export const FOLLOWED_BY_GATEWAY = 'VULNSHELF_FOLLOWED_BY_GATEWAY'

/** Errors that concern what was offered, or the way to it, and not this program. */
const TOLD = ['KeyError', 'MirrorError', 'SnapshotError', 'TransferError']

export interface Following<T> {
  /** From the end of one run to the beginning of the next, in ms. */
  intervalMs: number
  /** Ends it: a run under way is the caller's to end. */
  signal: AbortSignal
  onReport(report: T): void
  onError(error: Error): void
  /** From 0 to 1, for jitter. */
  random(): number
}

/** Many mirrors that were started together should not come back together: intervals differ by up to so much. */
const JITTER = 0.1

/**
 * Runs until the signal says to stop; it resolves then.
 * @throws what a run throws that nobody expected
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

/** Trouble of this disk passes as well: a full one may have room tomorrow. What was asked for wrongly stays wrong. */
const isTold = (error: Error & { code?: string }) =>
  error.code !== 'usage' && (TOLD.includes(error.name) || isSystemError(error))
