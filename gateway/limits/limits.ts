/** The limits of a gateway (rule 16): requests by token subject or address, failed tokens by address. */
import type { Log } from '../process/log.ts'
import { type AddressOf, addressReader, type OriginOf, originReader } from './address.ts'
import { type Limiter, policyHeader, type Quota } from './limiter.ts'
import { type MemoryOptions, memoryLimiter } from './memory.ts'

export interface Limits {
  policy: string
  subjects: Limiter
  failedTokens: Limiter
  /** Requests without a token by address, where none is required. */
  anonymous: Limiter
  addressOf: AddressOf
  originOf: OriginOf
  /** Returns whether the gateways currently share their counts; null if sharing is not configured. */
  shared: (() => boolean) | null
  close(): void
}

export interface LimitOptions {
  /** Requests per subject and window; per address without a token. */
  rateLimit?: number
  /** Failed tokens per address and window. */
  failedTokens?: number
  rateWindowSeconds?: number
  /** Addresses and networks of proxies whose `X-Forwarded-*` is trusted. */
  trustedProxies?: readonly string[]
  /** The Redis server for shared limits. */
  redisUrl?: string
}

/**
 * Creates limits that are counted in memory.
 * @throws GatewayError `bad_option` for an invalid proxy address
 */
export function createLimits(options: LimitOptions = {}, memory: MemoryOptions = {}): Limits {
  const { subjects, failedTokens } = quotasOf(options)
  return {
    policy: policyHeader(subjects),
    subjects: memoryLimiter(subjects, memory),
    failedTokens: memoryLimiter(failedTokens, memory),
    anonymous: memoryLimiter(subjects, memory),
    addressOf: addressReader(options.trustedProxies ?? []),
    originOf: originReader(options.trustedProxies ?? []),
    shared: null,
    close() {},
  }
}

/**
 * Creates limits that are counted in Redis if the options contain its URL. Counts in memory otherwise, and while Redis
 * is unavailable.
 * @throws GatewayError `bad_option` for an invalid proxy address or Redis URL
 */
export async function openLimits(options: LimitOptions, log: Log): Promise<Limits> {
  const own = createLimits(options)
  if (options.redisUrl === undefined) return own
  // Most gateways do not load these modules.
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
    anonymous: redisLimiter(redis, { prefix: 'vulnshelf:anonymous:', quota: subjects, memory: own.anonymous }),
    shared: () => redis.shared,
    close: redis.close,
  }
}

function quotasOf(options: LimitOptions): { subjects: Quota; failedTokens: Quota } {
  const { rateLimit = 600, failedTokens = 30, rateWindowSeconds = 60 } = options
  const quota = (limit: number): Quota => ({ limit, windowMs: rateWindowSeconds * 1000 })
  return { subjects: quota(rateLimit), failedTokens: quota(failedTokens) }
}
