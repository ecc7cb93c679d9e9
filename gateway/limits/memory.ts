/** Limits counted in the memory of this process, with bounded size. */
import type { Limiter, LimitState, Quota } from './limiter.ts'

interface Window {
  used: number
  refunds: number
  endsAt: number
}

export interface MemoryOptions {
  /** Monotonic clock, in ms. */
  now?: () => number
  /** Maximum number of keys; beyond it, the least recently seen keys are forgotten. */
  maxKeys?: number
}

/** About 10 MB. */
const MAX_KEYS = 65_536

/**
 * Two generations of windows, so that no key needs a sweep or a timer. They rotate when a window's time has passed:
 * every window that was not used since the last rotation is over then. They rotate earlier when there are too many
 * keys.
 */
export function memoryLimiter({ limit, windowMs }: Quota, options: MemoryOptions = {}): Limiter {
  const { now = performance.now.bind(performance), maxKeys = MAX_KEYS } = options
  let young = new Map<string, Window>()
  let old = new Map<string, Window>()
  let turnedAt = now()

  function windowOf(key: string, time: number): Window | undefined {
    const window = young.get(key)
    if (window !== undefined) return window
    const older = old.get(key)
    if (older !== undefined) keep(key, older, time)
    return older
  }

  function keep(key: string, window: Window, time: number): void {
    if (time - turnedAt >= windowMs || young.size >= maxKeys / 2) {
      old = young
      young = new Map()
      turnedAt = time
    }
    young.set(key, window)
    old.delete(key)
  }

  function limitState(refused: boolean, { used, refunds, endsAt }: Window, time: number): LimitState {
    const resetSeconds = Math.ceil(Math.min(endsAt - time, windowMs) / 1000)
    return { refused, left: limit - used, refundable: refunds < limit, resetSeconds, endsAt }
  }

  return {
    take(key) {
      const time = now()
      let window = windowOf(key, time)
      if (window === undefined) {
        window = { used: 0, refunds: 0, endsAt: time + windowMs }
        keep(key, window, time)
      } else if (time >= window.endsAt) {
        window.used = 0
        window.refunds = 0
        window.endsAt = time + windowMs
      }
      const refused = window.used >= limit
      if (!refused) window.used++
      return limitState(refused, window, time)
    },
    look(key) {
      const time = now()
      const window = windowOf(key, time)
      return window === undefined || time >= window.endsAt
        ? limitState(false, { used: 0, refunds: 0, endsAt: time + windowMs }, time)
        : limitState(window.used >= limit, window, time)
    },
    giveBack(key, { endsAt }) {
      const window = windowOf(key, now())
      if (window === undefined || window.endsAt !== endsAt || window.refunds === limit) return
      window.used--
      window.refunds++
    },
  }
}
