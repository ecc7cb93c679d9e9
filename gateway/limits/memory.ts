/** Limits counted in the memory of this process, within a bound. */
import type { Limiter, LimitState, Quota } from './limiter.ts'

interface Window {
  used: number
  /** How often something was given back. */
  refunds: number
  endsAt: number
}

export interface MemoryOptions {
  /** Milliseconds of a clock that never goes back. */
  now?: () => number
  /** How many keys are known at most; beyond it those not seen for longest are forgotten. */
  maxKeys?: number
}

/** Some 10 MB. */
const MAX_KEYS = 65_536

/**
 * Two generations of windows. They turn once a window's time has passed, when all that was not used since the last turn is
 * over anyway: nothing is swept and no key has a timer. They turn earlier where there are too many keys.
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
