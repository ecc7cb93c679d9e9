/** What an object store answers instead of what was asked for, and a way there that fails, as a `TransferError`. */

import { TransferError, type TransferErrorCode } from './error.ts'
import { networkError } from './request.ts'
import { statusError } from './retry.ts'

/** What errors of the SDK have of this. */
interface Failure {
  name?: string
  message?: string
  /** Of the connection: `ECONNRESET`. */
  code?: unknown
  $metadata?: { httpStatusCode?: number }
  $response?: { headers?: Record<string, string> }
}

const KEYS = 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE'

/** Of these the name says more than the status. */
const CODES: Readonly<Record<string, TransferErrorCode>> = {
  BadDigest: 'digest',
  IncompleteBody: 'cut',
  PermanentRedirect: 'redirect',
  RequestTimeout: 'stalled',
  XAmzContentSHA256Mismatch: 'digest',
}

/** Of these a person can do something. */
const WAYS_OUT: Readonly<Record<string, string>> = {
  AuthorizationHeaderMalformed: 'set AWS_REGION to the region of the bucket',
  ExpiredToken: `these credentials have expired: renew ${KEYS}`,
  NoSuchBucket: 'there is no such bucket: make it, or set AWS_ENDPOINT_URL to the store that has it',
  PermanentRedirect: 'set AWS_REGION to the region of the bucket',
  RequestTimeTooSkewed: 'the clock of this machine is wrong',
}

/** What errors have for a name is the server's word. */
const nameOf = ({ name = '' }: Failure) => (/^[A-Za-z0-9]{1,64}$/.test(name) ? name : '')

/** The error that the SDK threw, as one of ours; a slip of this program stays what it is. */
export function s3Error(cause: unknown, bucket: string, now: Date): unknown {
  if (!(cause instanceof Error)) return cause
  const failure: Failure = cause
  const status = failure.$metadata?.httpStatusCode
  if (status !== undefined) return answered(failure, status, bucket, now)
  if (cause instanceof TypeError) return cause
  if (cause.name === 'CredentialsProviderError' || cause.name === 'TokenProviderError') {
    return new TransferError('refused', `no credentials for s3://${bucket}: set ${KEYS}`, { cause })
  }
  if (cause.name === 'TimeoutError') return new TransferError('stalled', `s3://${bucket} does not answer`, { cause })
  return typeof failure.code === 'string' ? networkError(cause) : cause
}

function answered(failure: Failure, status: number, bucket: string, now: Date): TransferError {
  const name = nameOf(failure)
  const { code, retryAfterMs } = statusError({ status, headers: failure.$response?.headers ?? {} }, now)
  const wayOut =
    WAYS_OUT[name] ??
    (status === 403
      ? `whoever ${KEYS} stand for must be allowed to list and read it, and to write when publishing`
      : '')
  const message = `s3://${bucket} answers ${`${status} ${name}`.trim()}${wayOut === '' ? '' : `; ${wayOut}`}`
  return new TransferError(CODES[name] ?? codeOf(status, code), message, { cause: failure, retryAfterMs })
}

function codeOf(status: number, code: TransferErrorCode): TransferErrorCode {
  if (status === 416) return 'restart'
  // It went well, says the status, but what came is not what S3 says.
  return status < 300 ? 'wrong_body' : code
}
