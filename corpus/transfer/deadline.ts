/** A deadline that no interim answer (1xx, RFC 9110 15.2) and no single byte puts off, as they do the timeouts of clients. */
import { TransferError } from './error.ts'

/**
 * Returns what `work` returns. Its signal aborts when it takes longer than `ms`; `moved` starts that time again.
 * @throws TransferError `stalled`, and what `work` throws
 */
export async function withDeadline<T>(
  ms: number,
  work: (signal: AbortSignal, moved: () => void) => Promise<T>,
): Promise<T> {
  const stop = new AbortController()
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const error = new TransferError('stalled', `no answer within ${ms / 1000} s`)
    late.reject(error)
    stop.abort(error)
  }, ms)
  try {
    return await Promise.race([work(stop.signal, () => timer.refresh()), late.promise])
  } finally {
    clearTimeout(timer)
  }
}
