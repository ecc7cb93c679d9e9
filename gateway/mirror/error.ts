/** Why a mirror refuses what it is offered, or cannot go on. What was there before is intact. */

export type MirrorErrorCode =
  | 'rollback' // an older pointer than the one that is here
  | 'expired' // a pointer that is too old to be believed
  | 'contradiction' // two things that cannot both be true of one repository
  | 'too_large' // more than the operator lets it take
  | 'no_space' // more than the disk has room for
  | 'busy' // somebody else is writing to the same folder
  | 'unusable' // a folder that cannot be written to, a folder or a bundle that holds something else
  | 'usage' // an option or a source that means nothing

export class MirrorError extends Error {
  override readonly name = 'MirrorError'
  readonly code: MirrorErrorCode

  constructor(code: MirrorErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
