/** Errors of the API as messages between threads. */
import { ApiError, type ErrorCode } from '../../corpus/answers/errors.ts'
import type { SentApiError } from './protocol.ts'

export const sentApiError = ({ code, message, parameter, retryAfterSeconds, rejection }: ApiError): SentApiError => ({
  code: code as ErrorCode,
  message,
  parameter,
  retryAfterSeconds,
  rejection,
})

export const receivedApiError = ({ code, message, parameter, retryAfterSeconds, rejection }: SentApiError): ApiError =>
  new ApiError(code, message, {
    ...(parameter !== undefined && { parameter }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(rejection && { rejection }),
  })
