/** The one error of fetching: what a publisher's answer has wrong, and whether asking again may help. */

export type FetchErrorCode =
  // may be otherwise next time
  | 'network'
  | 'stalled'
  | 'cut'
  | 'busy_server'
  | 'restart'
  | 'wrong_body'
  | 'digest'
  // asking again gives the same
  | 'missing'
  | 'refused'
  | 'redirect'
  | 'too_large'
  | 'listing'
  // this side
  | 'busy'
  | 'unusable'

const PASSING: readonly FetchErrorCode[] = [
  'network',
  'stalled',
  'cut',
  'busy_server',
  'restart',
  'wrong_body',
  'digest',
]

export class FetchError extends Error {
  override readonly name = 'FetchError'
  readonly code: FetchErrorCode
  /** How long the server wants to be left alone, in ms; null where it does not say. */
  readonly retryAfterMs: number | null

  constructor(code: FetchErrorCode, message: string, options: ErrorOptions & { retryAfterMs?: number | null } = {}) {
    super(message, options)
    this.code = code
    this.retryAfterMs = options.retryAfterMs ?? null
  }

  get mayPass(): boolean {
    return PASSING.includes(this.code)
  }
}
