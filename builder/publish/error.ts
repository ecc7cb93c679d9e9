/** Why a snapshot is not published. What the target had before is as it was. */

export type PublishErrorCode =
  | 'rollback' // the target has a later version
  | 'contradiction' // the target has another repository
  | 'unsigned' // the target has a signed one
  | 'expired' // a pointer that nobody would believe
  | 'unusable' // a target that cannot be written to, or holds something else
  | 'usage' // a target that means nothing

export class PublishError extends Error {
  override readonly name = 'PublishError'
  readonly code: PublishErrorCode

  constructor(code: PublishErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
