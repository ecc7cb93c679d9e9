/** The one error of the feeds: what an upstream file or record has wrong, with a code that a report can count by. */

export type FeedErrorCode =
  | 'record_not_object'
  | 'record_id_missing'
  | 'record_id_invalid'
  | 'record_state_unknown'
  | 'record_container_missing'

export class FeedError extends Error {
  override readonly name = 'FeedError'
  readonly code: FeedErrorCode

  constructor(code: FeedErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
