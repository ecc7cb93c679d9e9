/** Reasons why an ingest fails. The corpus stays unchanged. */
import { CodedError } from '../../corpus/errors/coded-error.ts'

export type IngestErrorCode =
  | 'usage' // an invalid option value
  | 'no-feeds' // the folder contains no feeds
  | 'feed-missing' // a required feed is missing
  | 'feed-unusable' // a feed cannot be read
  | 'feed-empty' // a feed has no record
  | 'feed-below-floor' // a feed has fewer records than `--floor` requires
  | 'feed-older' // the edition of `--as-of` is older than the one in the corpus
  | 'feed-ahead' // a required feed is dated in the future
  | 'feed-shrank' // a feed lost too many records since the last ingest
  | 'feed-lost-values' // its records state less than before, or values that cannot be read
  | 'too-large' // the feeds exceed the limits of a snapshot
  | 'busy' // another ingest is writing to the corpus

export class IngestError extends CodedError<IngestErrorCode> {}
