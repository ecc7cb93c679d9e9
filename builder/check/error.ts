/** Errors of `vulnshelf check` itself. */
import { CodedError } from '../../corpus/errors/coded-error.ts'

export type CheckErrorCode =
  | 'usage' // options that do not fit together
  | 'receipt' // a receipt that cannot be read, or cannot be written for this check

export class CheckError extends CodedError<CheckErrorCode> {}
