/**
 * Limits that several gateways share through Redis, with limits in memory while it is unavailable (rule 16). Counting
 * uses own scripts because RateLimiterRedis of rate-limiter-flexible has three defects. It counts refused requests,
 * does not identify the window, and refunds into a window that began after the request.
 */
import { hash } from 'node:crypto'
import type { Limiter, LimitState, Quota } from './limiter.ts'
import type { RedisConnection } from './redis-connection.ts'

export interface SharedLimit {
  prefix: string
  quota: Quota
  /** Counts while Redis is unavailable. */
  memory: Limiter
}

/** Hexadecimal digits of a digest, so that Redis stores no names. The digests in the log have the same prefix. */
const KEY_DIGITS = 32

export function redisLimiter(redis: RedisConnection, { prefix, quota, memory }: SharedLimit): Limiter {
  const windowOf = (key: string) => prefix + hash('sha256', key).slice(0, KEY_DIGITS)

  async function count(how: 'take' | 'look', key: string): Promise<LimitState> {
    const counted = await redis.count(windowOf(key), quota, how)
    if (counted === null) return memory[how](key)
    const [refused, used, leftMs, endsAt, refunds] = counted
    // Another gateway may have a higher limit.
    const left = Math.max(0, quota.limit - used)
    const refundable = refunds < quota.limit
    return { refused: refused === 1, left, refundable, resetSeconds: Math.ceil(leftMs / 1000), endsAt }
  }

  return {
    take: (key) => (redis.shared ? count('take', key) : memory.take(key)),
    look: (key) => (redis.shared ? count('look', key) : memory.look(key)),
    giveBack(key, taken) {
      // Each limiter identifies windows by their end on its own clock, so only the limiter that took the unit accepts
      // it.
      void memory.giveBack(key, taken)
      return redis.shared ? redis.giveBack(windowOf(key), taken.endsAt, quota.limit) : undefined
    },
  }
}
