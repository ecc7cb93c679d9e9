/** Waits when the service asks for it. */
import { ApiFailure } from './api.ts'

/** Used where an overloaded service states no time. */
const DEFAULT_WAIT_S = 5
/** A timer for longer ends at once. */
const MOST_WAIT_S = 86_400

export interface WaitOptions {
  signal: AbortSignal
  /** Called before a pause that the service asked for. */
  onWait?(seconds: number): void
  sleep?(ms: number, signal: AbortSignal): Promise<void>
}

/**
 * Returns the answer. After a 429, or a 503 with `Retry-After`, it waits and asks again.
 * @throws ApiFailure; DOMException `AbortError`
 */
export async function patiently<T>(ask: () => Promise<T>, { signal, onWait, sleep = pause }: WaitOptions): Promise<T> {
  for (;;) {
    signal.throwIfAborted()
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof ApiFailure) || (error.status !== 429 && error.retryAfter === null)) throw error
      const seconds = Math.min(error.retryAfter ?? DEFAULT_WAIT_S, MOST_WAIT_S)
      onWait?.(seconds)
      await sleep(seconds * 1000, signal)
    }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal.addEventListener('abort', stop, { once: true })
  })
}
