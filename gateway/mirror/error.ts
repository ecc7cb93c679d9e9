/** Reasons why a mirror rejects a snapshot or stops. The local snapshot stays intact. */
import { CodedError } from '../../corpus/errors/coded-error.ts'

export type MirrorErrorCode =
  | 'rollback' // the pointer is older than the local one
  | 'expired' // the pointer has expired
  | 'contradiction' // inconsistent data for one repository
  | 'too_large' // above the operator's limit
  | 'no_space' // not enough disk space
  | 'busy' // another process is writing to the folder
  | 'unusable' // the folder is not writable, or has foreign contents
  | 'usage' // an invalid option

export class MirrorError extends CodedError<MirrorErrorCode> {}
