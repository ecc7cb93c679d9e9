/** Errors of `vulnshelf query`. */
import { CodedError } from '../../corpus/errors/coded-error.ts'

export type QueryErrorCode =
  | 'usage' // a parameter that the API rejects, or options that do not fit together
  | 'refused' // another error of the API: an unknown id, an invalid token

export class QueryError extends CodedError<QueryErrorCode> {}
