/** Errors as messages between threads and processes, which would drop their class and code. */
import { CodedError } from './coded-error.ts'

export interface SentError {
  name: string
  message: string
  stack?: string | undefined
  code?: unknown
  isCoded: boolean
}

export function sentError(thrown: unknown): SentError {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  const { name, message, stack } = error
  return { name, message, stack, code: 'code' in error ? error.code : undefined, isCoded: error instanceof CodedError }
}

/** Restores an error except for its subclass, which only `name` states. */
export function receivedError({ name, message, stack, code, isCoded }: SentError): Error {
  const error = isCoded ? new CodedError(String(code), message) : new Error(message)
  return Object.assign(error, { name, stack }, code === undefined ? {} : { code })
}
