/** The interface of a limit, counted in memory or in a store that several gateways share (rule 16). */

export interface Quota {
  /** Requests per window. */
  limit: number
  windowMs: number
}

/** The state of a key's limit at one moment. */
export interface LimitState {
  /** The quota was already used up. */
  readonly refused: boolean
  readonly left: number
  /** Whether this window still accepts refunds. */
  readonly refundable: boolean
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number
  /** Identifies the window: its end by the limiter's own clock, in ms. */
  readonly endsAt: number
}

/**
 * Counts requests in windows that begin with a key's first request. Returns synchronously where it can, so that a
 * request need not wait for a promise. Never throws or rejects.
 */
export interface Limiter {
  /** Takes one unit from the quota of `key`, if any is left. */
  take(key: string): LimitState | Promise<LimitState>
  /** Reads the state without taking a unit. */
  look(key: string): LimitState | Promise<LimitState>
  /**
   * Refunds a taken unit, at most `limit` times per window. Ignored after the window ends. An answer must wait for it: the
   * client's next request may reach another process, which must see the refund.
   */
  giveBack(key: string, taken: Pick<LimitState, 'endsAt'>): void | Promise<void>
}

/** `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers-10. */
export const policyHeader = ({ limit, windowMs }: Quota): string => `"default";q=${limit};w=${windowMs / 1000}`
export const limitHeader = ({ left, resetSeconds }: LimitState): string => `"default";r=${left};t=${resetSeconds}`
