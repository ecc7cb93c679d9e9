/** The one error of the corpus store: why a file cannot be used as a corpus. */

export type StoreErrorCode =
  /** No file at that path. */
  | 'not_found'
  /** The file is no SQLite database, or one of another program. */
  | 'not_a_corpus'
  /** A corpus of another schema version than this program's. */
  | 'wrong_version'
  /** A corpus that this user may not read or write. */
  | 'no_access'

export class StoreError extends Error {
  override readonly name = 'StoreError'
  readonly code: StoreErrorCode

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
