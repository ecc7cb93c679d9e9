/** Causes of a snapshot error. The snapshot or the disk is at fault, never the caller. */
import { CodedError } from '../errors/coded-error.ts'

export type SnapshotErrorCode =
  | 'missing' // a required file does not exist
  | 'left_out' // a file that a partial mirror does not have on purpose
  | 'digest' // bytes do not match the stated digest, CRC or size
  | 'malformed'
  | 'untrusted' // no signature by a trusted key
  | 'unsupported' // unknown format version

export class SnapshotError extends CodedError<SnapshotErrorCode> {}
