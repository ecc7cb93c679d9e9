/** Reasons why a build fails. The previous snapshot stays intact. */

export type BuildErrorCode =
  | 'busy' // another build or prune is writing to the folder
  | 'corpus-changed' // an ingest committed during the build
  | 'empty' // the corpus has no records
  | 'too_large' // readers would reject the snapshot
  | 'unusable' // the folder is not writable, or contains foreign files

export class BuildError extends Error {
  override readonly name = 'BuildError'
  readonly code: BuildErrorCode

  constructor(code: BuildErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
