/** Asking again: which answers may be otherwise next time, how long to wait, and when to give up. */

import { TransferError, type TransferErrorCode } from './error.ts'
import type { NetworkEffects } from './network.ts'

/** Attempts in a row that brought nothing. */
const MAX_FRUITLESS = 6
/** Of these each attempt may have cost a whole file: they count double. */
const WHOLE_FOR_NOTHING: readonly TransferErrorCode[] = ['wrong_body', 'digest']
const FIRST_WAIT_MS = 1000
const LONGEST_WAIT_MS = 60_000
/** Whoever says "in an hour" is asked in five minutes: a nightly run must end. */
const LONGEST_RETRY_AFTER_MS = 300_000

export interface RetryOptions {
  /** Told before each attempt, from 1 on. */
  onAttempt?(attempt: number): void
  /** Told before each wait. */
  onWait?(error: TransferError, ms: number): void
  /** Whether the attempt that failed brought enough to count as a fresh start. */
  gained?(): boolean
  /**
   * What is read lies on this machine, and a minute later it is the same: there is one more attempt, at once, since what had
   * arrived before the first one may have been wrong.
   */
  local?: boolean | undefined
  /** Ends a wait; its reason is thrown. */
  signal?: AbortSignal | undefined
}

/** So much more than ever before counts as a success of its own: a line that breaks off now and then gets there. */
const GAIN_BYTES = 64 << 10

/** Watches how far a file comes over several attempts; `gained` is for `RetryOptions`. */
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

/** Tells the operator that a file is waited for; for `RetryOptions`. */
export const tellWait =
  (name: string, { log }: Pick<NetworkEffects, 'log'>) =>
  ({ message }: TransferError, ms: number): void =>
    log(`${name}: ${message}; asking again in ${Math.ceil(ms / 1000)} s`)

/**
 * Does `work` until it goes well. An error that may pass is waited for: as long as the server says, else twice as long
 * each time, with jitter so that many clients do not come back together.
 */
export async function withRetries<T>(
  effects: Pick<NetworkEffects, 'sleep' | 'random'>,
  work: () => Promise<T>,
  { onAttempt, onWait, gained, local = false, signal }: RetryOptions = {},
): Promise<T> {
  for (let attempt = 1, fruitless = 0; ; attempt++) {
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
      if (WHOLE_FOR_NOTHING.includes(error.code)) fruitless += 2
      else fruitless = isGain ? 0 : fruitless + 1
      if (fruitless >= MAX_FRUITLESS) throw error
      const ms = waitMs(Math.max(fruitless, 1), error.retryAfterMs, effects.random())
      onWait?.(error, ms)
      await effects.sleep(ms, signal)
      signal?.throwIfAborted()
    }
  }
}

/** How long to wait after `fruitless` failures (from 1): half of it certain, half by `random` (0 to 1). */
export function waitMs(fruitless: number, retryAfterMs: number | null, random: number): number {
  const wait = Math.min(FIRST_WAIT_MS * 2 ** (fruitless - 1), LONGEST_WAIT_MS)
  const own = Math.round(wait / 2 + (wait / 2) * random)
  return retryAfterMs === null ? own : Math.max(own, Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS))
}

/** `Retry-After` in ms from now: seconds or an HTTP date (RFC 9110 10.2.3); null where it is absent or neither. */
export function retryAfterMs(header: string | undefined, now: Date): number | null {
  const text = header?.trim() ?? ''
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1000
  // An HTTP date begins with its weekday; Date.parse alone would take much else for a date.
  const date = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, date - now.getTime())
}

const PASSING_STATUS: readonly number[] = [408, 425, 429]

/** The error that an answer other than success stands for. */
export function statusError(
  { status, headers }: { status: number; headers: Readonly<Record<string, string>> },
  now: Date,
): TransferError {
  const wait = retryAfterMs(headers['retry-after'], now) ?? quotaResetMs(headers, now)
  const message = `the server answers ${status}`
  if (status === 404 || status === 410) return new TransferError('missing', message)
  // GitHub says 403 where it means 429, and then tells when to come back.
  const passing = status >= 500 || PASSING_STATUS.includes(status) || (status === 403 && wait !== null)
  return new TransferError(passing ? 'busy_server' : 'refused', message, { retryAfterMs: wait })
}

/** GitHub's way to say when the used-up quota is there again: `x-ratelimit-reset`, in seconds since 1970. */
function quotaResetMs(headers: Readonly<Record<string, string>>, now: Date): number | null {
  const reset = headers['x-ratelimit-reset']
  if (headers['x-ratelimit-remaining'] !== '0' || !reset || !/^\d{1,12}$/.test(reset)) return null
  return Math.max(0, Number(reset) * 1000 - now.getTime())
}
