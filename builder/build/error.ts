/** Why a build was not made; what was there before is intact. */

export type BuildErrorCode =
  | 'busy' // another build or prune works on the same folder
  | 'corpus-changed' // an ingest committed while its corpus was being built
  | 'empty' // a corpus without records
  | 'too_large' // no reader would accept the snapshot
  | 'unusable' // the folder cannot be written to, or holds something that this program did not put there

export class BuildError extends Error {
  override readonly name = 'BuildError'
  readonly code: BuildErrorCode

  constructor(code: BuildErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
