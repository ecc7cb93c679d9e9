/** The limits of a gateway (decisions 16): requests by token subject, failed tokens by address. */
import { type AddressOf, addressReader } from './address.ts'
import { type Limiter, policyHeader, type Quota } from './limiter.ts'
import { type MemoryOptions, memoryLimiter } from './memory.ts'

export interface Limits {
  /** What `RateLimit-Policy` says. */
  policy: string
  subjects: Limiter
  failedTokens: Limiter
  addressOf: AddressOf
}

export interface LimitOptions {
  /** Requests of a subject in a window. */
  rateLimit?: number
  /** Tokens from one address that may fail in a window. */
  failedTokens?: number
  rateWindowSeconds?: number
  /** Addresses and networks of proxies whose `X-Forwarded-For` is believed. */
  trustedProxies?: readonly string[]
}

/** @throws GatewayError `bad_option` for a proxy that is no address */
export function createLimits(options: LimitOptions = {}, memory: MemoryOptions = {}): Limits {
  const { rateLimit = 600, failedTokens = 30, rateWindowSeconds = 60, trustedProxies = [] } = options
  const quota = (limit: number): Quota => ({ limit, windowMs: rateWindowSeconds * 1000 })
  return {
    policy: policyHeader(quota(rateLimit)),
    subjects: memoryLimiter(quota(rateLimit), memory),
    failedTokens: memoryLimiter(quota(failedTokens), memory),
    addressOf: addressReader(trustedProxies),
  }
}
