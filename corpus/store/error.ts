/** The error of the corpus store: why a file cannot be used as a corpus. */

export type StoreErrorCode =
  /** There is no file at the path. */
  | 'not_found'
  /** The file is not an SQLite database, or belongs to another program. */
  | 'not_a_corpus'
  /** The corpus has another schema version than this program. */
  | 'wrong_version'
  /** The user has no permission to read or write the corpus. */
  | 'no_access'

export class StoreError extends Error {
  override readonly name = 'StoreError'
  readonly code: StoreErrorCode

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
