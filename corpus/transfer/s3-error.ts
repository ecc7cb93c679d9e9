/** Converts errors of an object store and of its connection to TransferErrors. */

import { TransferError, type TransferErrorCode } from './error.ts'
import { networkError } from './request.ts'
import { statusError } from './retry.ts'

/** The used fields of the SDK's errors. */
interface Failure {
  name?: string
  message?: string
  /** Code of a connection error: `ECONNRESET`. */
  code?: unknown
  $metadata?: { httpStatusCode?: number }
  $response?: { headers?: Record<string, string> }
}

const KEYS = 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE'

/** Error names that are more precise than the status. */
const CODES: Readonly<Record<string, TransferErrorCode>> = {
  BadDigest: 'digest',
  IncompleteBody: 'cut',
  PermanentRedirect: 'redirect',
  RequestTimeout: 'stalled',
  XAmzContentSHA256Mismatch: 'digest',
}

/** Remedies for errors that the operator can fix. */
const WAYS_OUT: Readonly<Record<string, string>> = {
  AuthorizationHeaderMalformed: 'set AWS_REGION to the region of the bucket',
  ExpiredToken: `these credentials have expired: renew ${KEYS}`,
  NoSuchBucket: 'the bucket does not exist: create it, or set AWS_ENDPOINT_URL to its object store',
  PermanentRedirect: 'set AWS_REGION to the region of the bucket',
  RequestTimeTooSkewed: 'the clock of this machine is wrong',
}

/** Returns the error name, which the server chooses, if it is plain text. */
const nameOf = ({ name = '' }: Failure) => (/^[A-Za-z0-9]{1,64}$/.test(name) ? name : '')

/** Returns the SDK's error as a TransferError. Programming errors stay unchanged. */
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
    (status === 403 ? `the account of ${KEYS} needs permission to list and read it, and to write when publishing` : '')
  const message = `s3://${bucket} answers ${`${status} ${name}`.trim()}${wayOut === '' ? '' : `; ${wayOut}`}`
  return new TransferError(CODES[name] ?? codeOf(status, code), message, { cause: failure, retryAfterMs })
}

function codeOf(status: number, code: TransferErrorCode): TransferErrorCode {
  if (status === 416) return 'restart'
  // The status is a success, but the body is not valid S3.
  return status < 300 ? 'wrong_body' : code
}
