/** Limits the total bytes per second of all transfers. */
import type { NetworkEffects } from '../../corpus/transfer/network.ts'

/** Shorter waits accumulate. */
const LEAST_WAIT_MS = 10

/** Returns a function to call after each piece. It resolves when the next piece may be received. */
export function pacer(
  bytesPerSecond: number | null,
  { now, sleep }: Pick<NetworkEffects, 'now' | 'sleep'>,
): (bytes: number) => Promise<void> {
  /** When the bytes received so far are within the rate, in ms since the epoch. */
  let paidAt = 0
  return async (bytes) => {
    if (bytesPerSecond === null) return
    const time = now().getTime()
    paidAt = Math.max(paidAt, time) + (bytes / bytesPerSecond) * 1000
    if (paidAt - time >= LEAST_WAIT_MS) await sleep(paidAt - time)
  }
}
