/** Reasons why a publication fails. The target keeps its previous snapshot. */

export type PublishErrorCode =
  | 'rollback' // the target has a later version
  | 'contradiction' // the target contains another repository
  | 'unsigned' // the target's snapshot is signed, this one is not
  | 'expired' // the pointer has expired
  | 'unusable' // the target is not writable, or contains other files
  | 'usage' // invalid target

export class PublishError extends Error {
  override readonly name = 'PublishError'
  readonly code: PublishErrorCode

  constructor(code: PublishErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
