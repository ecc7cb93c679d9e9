/** The one error of transfers: what a server's answer has wrong, and whether asking again may help. */

export type TransferErrorCode =
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

const PASSING: readonly TransferErrorCode[] = [
  'network',
  'stalled',
  'cut',
  'busy_server',
  'restart',
  'wrong_body',
  'digest',
]

export class TransferError extends Error {
  override readonly name = 'TransferError'
  readonly code: TransferErrorCode
  /** How long the server wants to be left alone, in ms; null where it does not say. */
  readonly retryAfterMs: number | null

  constructor(code: TransferErrorCode, message: string, options: ErrorOptions & { retryAfterMs?: number | null } = {}) {
    super(message, options)
    this.code = code
    this.retryAfterMs = options.retryAfterMs ?? null
  }

  get mayPass(): boolean {
    return PASSING.includes(this.code)
  }
}

/** The same error, saying which file it is about; any other error as it is. */
export function about(name: string, error: unknown): unknown {
  if (!(error instanceof TransferError)) return error
  const { code, message, retryAfterMs } = error
  return new TransferError(code, `${name}: ${message}`, { cause: error, retryAfterMs })
}
