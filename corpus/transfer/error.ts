/** The error of transfers: what failed, and whether a retry may help. */
import { CodedError } from '../errors/coded-error.ts'

export type TransferErrorCode =
  // A retry may help.
  | 'network'
  | 'stalled'
  | 'cut'
  | 'busy_server'
  | 'restart'
  | 'wrong_body'
  | 'digest'
  // A retry gives the same result.
  | 'missing'
  | 'refused'
  | 'redirect'
  | 'too_large'
  | 'listing'
  // The copy is older than the file here.
  | 'older'
  // Caused by this side.
  | 'busy'
  | 'unusable'
  | 'usage'

const PASSING: readonly TransferErrorCode[] = [
  'network',
  'stalled',
  'cut',
  'busy_server',
  'restart',
  'wrong_body',
  'digest',
]

export class TransferError extends CodedError<TransferErrorCode> {
  /** Delay requested by the server in ms, or null. */
  readonly retryAfterMs: number | null

  constructor(code: TransferErrorCode, message: string, options: ErrorOptions & { retryAfterMs?: number | null } = {}) {
    super(code, message, options)
    this.retryAfterMs = options.retryAfterMs ?? null
  }

  get mayPass(): boolean {
    return PASSING.includes(this.code)
  }
}

/** Returns the same error with the name of a file or repository in its message, once. Returns other errors unchanged. */
export function about(name: string, error: unknown): unknown {
  if (!(error instanceof TransferError) || [' ', ':'].some((end) => error.message.startsWith(name + end))) return error
  const { code, message, retryAfterMs } = error
  return new TransferError(code, `${name}: ${message}`, { cause: error, retryAfterMs })
}
