/** The base class of all errors with a message for the user: which part failed, and a code for programs. */

/** Subclasses state their codes: `class StoreError extends CodedError<StoreErrorCode> {}`. */
export class CodedError<Code extends string = string> extends Error {
  readonly code: Code

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
    this.code = code
  }
}
