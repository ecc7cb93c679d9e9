/**
 * Limits that several gateways share through Redis, with those in memory for when it is away (rule 16). The counting is
 * a script of ours: RateLimiterRedis of rate-limiter-flexible also counts what it refuses, does not say which window it was,
 * and gives back into a window that has only begun since, so that little of it would be left.
 */
import { hash } from 'node:crypto'
import type { Limiter, LimitState, Quota } from './limiter.ts'
import type { RedisConnection } from './redis-connection.ts'

export interface SharedLimit {
  /** What its keys begin with. */
  prefix: string
  quota: Quota
  /** Counts while Redis is away. */
  memory: Limiter
}

/** Hexadecimal digits of a digest: in Redis there are no names and addresses; those in the log begin alike. */
const KEY_DIGITS = 32

export function redisLimiter(redis: RedisConnection, { prefix, quota, memory }: SharedLimit): Limiter {
  const windowOf = (key: string) => prefix + hash('sha256', key).slice(0, KEY_DIGITS)

  async function count(how: 'take' | 'look', key: string): Promise<LimitState> {
    const counted = await redis.count(windowOf(key), quota, how)
    if (counted === null) return memory[how](key)
    const [refused, used, leftMs, endsAt, refunds] = counted
    // Another gateway may let more through.
    const left = Math.max(0, quota.limit - used)
    const refundable = refunds < quota.limit
    return { refused: refused === 1, left, refundable, resetSeconds: Math.ceil(leftMs / 1000), endsAt }
  }

  return {
    take: (key) => (redis.shared ? count('take', key) : memory.take(key)),
    look: (key) => (redis.shared ? count('look', key) : memory.look(key)),
    giveBack(key, taken) {
      // Both know their windows by when they end, and their clocks have nothing in common: one of them took it.
      memory.giveBack(key, taken)
      if (redis.shared) redis.giveBack(windowOf(key), taken.endsAt, quota.limit)
    },
  }
}
