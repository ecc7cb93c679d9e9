/** Reasons why a publication fails. The target keeps its previous snapshot. */
import { CodedError } from '../../corpus/errors/coded-error.ts'

export type PublishErrorCode =
  | 'rollback' // the target has a later version
  | 'contradiction' // the target contains another repository
  | 'unsigned' // the target's snapshot is signed, this one is not
  | 'expired' // the pointer has expired
  | 'unusable' // the target is not writable, or contains other files
  | 'too_large' // more files than an OCI manifest can list
  | 'usage' // invalid target, or options that it does not support

export class PublishError extends CodedError<PublishErrorCode> {}
