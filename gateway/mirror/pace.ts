/** Limits the total bytes per second of all transfers. */
import type { NetworkEffects } from '../../corpus/transfer/network.ts'

/** Shorter waits accumulate. */
const LEAST_WAIT_MS = 10

/** The returned function resolves when the next piece may be received. */
export function pacer(
  bytesPerSecond: number | null,
  { now, sleep }: Pick<NetworkEffects, 'now' | 'sleep'>,
): (bytes: number) => Promise<void> {
  /** In ms since the epoch: when all received bytes are within the rate. */
  let paidAt = 0
  return async (bytes) => {
    if (bytesPerSecond === null) return
    const time = now().getTime()
    paidAt = Math.max(paidAt, time) + (bytes / bytesPerSecond) * 1000
    if (paidAt - time >= LEAST_WAIT_MS) await sleep(paidAt - time)
  }
}
