/** Retries: which errors are temporary, how long to wait, and when to give up. */

import { about, TransferError, type TransferErrorCode } from './error.ts'
import type { NetworkEffects } from './network.ts'

/** Maximum consecutive attempts without progress. */
const MAX_FRUITLESS = 6
/** Errors that may have cost a complete download. They count double. */
const COSTLY_ERRORS: readonly TransferErrorCode[] = ['wrong_body', 'digest']
const FIRST_WAIT_MS = 1000
const LONGEST_WAIT_MS = 60_000
/** Maximum `Retry-After` that is honored, because a nightly run must end. */
const LONGEST_RETRY_AFTER_MS = 300_000

export interface RetryOptions {
  /** Called before each attempt, from 1 on. */
  onAttempt?(attempt: number): void
  /** Called before each wait. */
  onWait?(error: TransferError, ms: number): void
  /** Returns whether the failed attempt made enough progress to reset the count. */
  gained?(): boolean
  /**
   * For local files, which do not change within a minute: retry once, without a wait. The bytes from before the first
   * attempt may have been wrong.
   */
  local?: boolean | undefined
  /** The host failed before: a connection that brings nothing is not retried. */
  unreachable?: boolean | undefined
  /** Checked before each attempt; aborts a wait. Its reason is thrown. */
  signal?: AbortSignal | undefined
}

/** Progress that resets the count, so that an unstable connection still completes. */
const GAIN_BYTES = 64 << 10

/** Measures the progress of a file over several attempts. `gained` is for `RetryOptions`. */
export function watchGain(): { reached(length: number): void; gained(): boolean } {
  let furthest = 0
  let counted = 0
  return {
    reached(length) {
      furthest = Math.max(furthest, length)
    },
    gained() {
      const hasGained = furthest >= counted + GAIN_BYTES
      if (hasGained) counted = furthest
      return hasGained
    },
  }
}

/**
 * As `withRetries`. Log lines and errors name the file that `work` transfers.
 * @throws TransferError, and what `work` throws
 */
export async function transferring<T>(
  name: string,
  effects: Pick<NetworkEffects, 'sleep' | 'random' | 'log'>,
  work: () => Promise<T>,
  options: Omit<RetryOptions, 'onWait'> = {},
): Promise<T> {
  try {
    return await withRetries(effects, work, { ...options, onWait: logWait(name, effects) })
  } catch (error) {
    throw about(name, error)
  }
}

/** Returns an `onWait` for `RetryOptions` that logs the wait. */
export const logWait =
  (name: string, { log }: Pick<NetworkEffects, 'log'>) =>
  ({ message }: TransferError, ms: number): void =>
    log(`${name}: ${message}; retrying in ${Math.ceil(ms / 1000)} s`)

/**
 * Repeats `work` until it succeeds. Waits after temporary errors as long as the server requests, else exponentially
 * longer. Jitter prevents that many clients return at once.
 */
export async function withRetries<T>(
  effects: Pick<NetworkEffects, 'sleep' | 'random'>,
  work: () => Promise<T>,
  { onAttempt, onWait, gained, local = false, unreachable = false, signal }: RetryOptions = {},
): Promise<T> {
  for (let attempt = 1, fruitless = 0; ; attempt++) {
    signal?.throwIfAborted()
    onAttempt?.(attempt)
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof TransferError) || !error.mayPass) throw error
      if (local) {
        if (attempt > 1) throw error
        continue
      }
      const isGain = gained?.() ?? false
      if (unreachable && error.code === 'network' && !isGain) throw error
      if (COSTLY_ERRORS.includes(error.code)) fruitless += 2
      else fruitless = isGain ? 0 : fruitless + 1
      if (fruitless >= MAX_FRUITLESS) throw error
      const ms = waitMs(Math.max(fruitless, 1), error.retryAfterMs, effects.random())
      onWait?.(error, ms)
      await effects.sleep(ms, signal)
    }
  }
}

/** Returns the wait in ms after `fruitless` failures (from 1): half is fixed, half depends on `random` (0 to 1). */
export function waitMs(fruitless: number, retryAfterMs: number | null, random: number): number {
  const wait = Math.min(FIRST_WAIT_MS * 2 ** (fruitless - 1), LONGEST_WAIT_MS)
  const own = Math.round(wait / 2 + (wait / 2) * random)
  return retryAfterMs === null ? own : Math.max(own, Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS))
}

/** Returns `Retry-After` in ms from now: seconds or an HTTP date (RFC 9110 10.2.3). Null if absent or invalid. */
export function retryAfterMs(header: string | undefined, now: Date): number | null {
  const text = header?.trim() ?? ''
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1000
  // An HTTP date begins with its weekday. Date.parse alone accepts many other texts.
  const date = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, date - now.getTime())
}

const PASSING_STATUS: readonly number[] = [408, 425, 429]

/** Returns the error for an unsuccessful answer. */
export function statusError(
  { status, headers }: { status: number; headers: Readonly<Record<string, string>> },
  now: Date,
): TransferError {
  const wait = retryAfterMs(headers['retry-after'], now) ?? quotaResetMs(headers, now)
  const message = `the server answers ${status}`
  if (status === 404 || status === 410) return new TransferError('missing', message)
  // GitHub sends 403 instead of 429, with the time of the next allowed request.
  const passing = status >= 500 || PASSING_STATUS.includes(status) || (status === 403 && wait !== null)
  return new TransferError(passing ? 'busy_server' : 'refused', message, { retryAfterMs: wait })
}

/** Returns the wait in ms until GitHub's quota resets: `x-ratelimit-reset`, in seconds since 1970. */
function quotaResetMs(headers: Readonly<Record<string, string>>, now: Date): number | null {
  const reset = headers['x-ratelimit-reset']
  if (headers['x-ratelimit-remaining'] !== '0' || !reset || !/^\d{1,12}$/.test(reset)) return null
  return Math.max(0, Number(reset) * 1000 - now.getTime())
}
