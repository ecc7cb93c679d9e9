/** Reasons why a build fails. The previous snapshot stays intact. */
import { CodedError } from '../../corpus/errors/coded-error.ts'

export type BuildErrorCode =
  | 'busy' // another build or prune is writing to the folder
  | 'corpus-changed' // an ingest committed during the build
  | 'empty' // the corpus has no records
  | 'too_large' // readers would reject the snapshot
  | 'unusable' // the folder is not writable, or contains foreign files

export class BuildError extends CodedError<BuildErrorCode> {}
