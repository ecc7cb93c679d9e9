/** Repeats a mirror run. Temporary errors are reported, and the next run tries again. */
import { setTimeout } from 'node:timers/promises'
import { isSystemError } from '../../corpus/command/system-error.ts'
import { CodedError } from '../../corpus/errors/coded-error.ts'
import { withoutPassword } from '../../corpus/transfer/request.ts'

/**
 * Marks a gateway's mirror process, which ends with its gateway. The value is the source; it may contain a password,
 * and other users can read command lines.
 */
export const FOLLOWED_BY_GATEWAY = 'VULNSHELF_FOLLOWED_BY_GATEWAY'

/** Returns the address of a source without a password. */
export function shownSource(text: string): string {
  const url = URL.parse(text)
  return url?.username || url?.password ? withoutPassword(url).base.href : text
}

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
      if (!isTemporary(error)) throw error
      onError(error)
    }
    const wait = intervalMs * (1 + JITTER * (2 * random() - 1))
    await setTimeout(wait, undefined, { signal }).catch(() => {})
  }
}

/** Errors of the data, the disk or the connection, but not wrong usage or a bug of this program. */
const isTemporary = (error: unknown): error is Error =>
  (error instanceof CodedError && error.code !== 'usage') || isSystemError(error)
