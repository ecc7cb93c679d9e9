/** The limits of a gateway (rule 16): requests by token subject, failed tokens by address. */
import type { Log } from '../process/log.ts'
import { type AddressOf, addressReader } from './address.ts'
import { type Limiter, policyHeader, type Quota } from './limiter.ts'
import { type MemoryOptions, memoryLimiter } from './memory.ts'

export interface Limits {
  /** What `RateLimit-Policy` says. */
  policy: string
  subjects: Limiter
  failedTokens: Limiter
  addressOf: AddressOf
  /** Whether all gateways count together just now; null where each is to count by itself. */
  shared: (() => boolean) | null
  close(): void
}

export interface LimitOptions {
  /** Requests of a subject in a window. */
  rateLimit?: number
  /** Tokens from one address that may fail in a window. */
  failedTokens?: number
  rateWindowSeconds?: number
  /** Addresses and networks of proxies whose `X-Forwarded-For` is believed. */
  trustedProxies?: readonly string[]
  /** The Redis through which gateways share their limits. */
  redisUrl?: string
}

/** Limits counted in memory. @throws GatewayError `bad_option` for a proxy that is no address */
export function createLimits(options: LimitOptions = {}, memory: MemoryOptions = {}): Limits {
  const { subjects, failedTokens } = quotasOf(options)
  return {
    policy: policyHeader(subjects),
    subjects: memoryLimiter(subjects, memory),
    failedTokens: memoryLimiter(failedTokens, memory),
    addressOf: addressReader(options.trustedProxies ?? []),
    shared: null,
    close() {},
  }
}

/**
 * Limits counted in Redis where the options name one, in memory otherwise, and while it is away.
 * @throws GatewayError `bad_option` for a proxy that is no address, or an address that is of no Redis
 */
export async function openLimits(options: LimitOptions, log: Log): Promise<Limits> {
  const own = createLimits(options)
  if (options.redisUrl === undefined) return own
  // Most gateways need nothing of it.
  const [{ redisLimiter }, { connectRedis }, { parseRedisUrl }] = await Promise.all([
    import('./redis.ts'),
    import('./redis-connection.ts'),
    import('./redis-url.ts'),
  ])
  const { subjects, failedTokens } = quotasOf(options)
  const redis = await connectRedis(parseRedisUrl(options.redisUrl), log)
  return {
    ...own,
    subjects: redisLimiter(redis, { prefix: 'vulnshelf:subject:', quota: subjects, memory: own.subjects }),
    failedTokens: redisLimiter(redis, { prefix: 'vulnshelf:address:', quota: failedTokens, memory: own.failedTokens }),
    shared: () => redis.shared,
    close: redis.close,
  }
}

function quotasOf(options: LimitOptions): { subjects: Quota; failedTokens: Quota } {
  const { rateLimit = 600, failedTokens = 30, rateWindowSeconds = 60 } = options
  const quota = (limit: number): Quota => ({ limit, windowMs: rateWindowSeconds * 1000 })
  return { subjects: quota(rateLimit), failedTokens: quota(failedTokens) }
}
