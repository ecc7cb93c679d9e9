/** A bound on bytes per second, for all transfers together. */
import type { NetworkEffects } from '../../corpus/transfer/network.ts'

/** Shorter waits than this are saved up. */
const LEAST_WAIT_MS = 10

/** Gives what transfers call after each piece: it resolves when the next one may come. */
export function pacer(
  bytesPerSecond: number | null,
  { now, sleep }: Pick<NetworkEffects, 'now' | 'sleep'>,
): (bytes: number) => Promise<void> {
  /** When what was taken so far is paid for, in ms since the epoch. */
  let paidAt = 0
  return async (bytes) => {
    if (bytesPerSecond === null) return
    const time = now().getTime()
    paidAt = Math.max(paidAt, time) + (bytes / bytesPerSecond) * 1000
    if (paidAt - time >= LEAST_WAIT_MS) await sleep(paidAt - time)
  }
}
