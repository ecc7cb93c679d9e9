/** What a limit is, whoever keeps count: the memory of this process, or a store that several gateways share (rule 16). */

export interface Quota {
  /** Requests per window. */
  limit: number
  windowMs: number
}

/** How a key stood at one moment. */
export interface LimitState {
  /** The quota was used up already. */
  readonly refused: boolean
  readonly left: number
  /** What is taken in this window can still be given back. */
  readonly refundable: boolean
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number
  /** Which window it was, by the limiter's own clock in ms. */
  readonly endsAt: number
}

/**
 * Counts requests in windows that begin with a key's first one. Answers at once where it can, so that a request need not
 * wait for a promise; never throws and never rejects.
 */
export interface Limiter {
  /** Takes one from the quota of `key`, if there is one left. */
  take(key: string): LimitState | Promise<LimitState>
  /** Looks without taking. */
  look(key: string): LimitState | Promise<LimitState>
  /** Gives back what `take` took, at most as often in a window as its limit, and not once that window is over. */
  giveBack(key: string, taken: LimitState): void
}

/** `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers-10. */
export const policyHeader = ({ limit, windowMs }: Quota): string => `"default";q=${limit};w=${windowMs / 1000}`
export const limitHeader = ({ left, resetSeconds }: LimitState): string => `"default";r=${left};t=${resetSeconds}`
