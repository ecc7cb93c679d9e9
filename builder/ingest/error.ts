/** Why an ingest was refused or stopped; the corpus is as it was before. */

export type IngestErrorCode =
  | 'usage' // an option that cannot be meant
  | 'no-feeds' // the folder holds no feeds
  | 'feed-missing' // a feed without which there is no corpus
  | 'feed-unusable' // a feed that cannot be read
  | 'feed-empty' // a feed without a single record
  | 'feed-below-floor' // a feed with fewer records than the operator allows
  | 'feed-older' // an edition older than the one that the corpus has
  | 'feed-shrank' // a feed that lost too much since the last ingest
  | 'too-large' // feeds of which no snapshot can be built
  | 'busy' // another ingest works on the same corpus

export class IngestError extends Error {
  override readonly name = 'IngestError'
  readonly code: IngestErrorCode

  constructor(code: IngestErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
