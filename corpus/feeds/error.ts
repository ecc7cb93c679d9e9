/** The error class of the feeds: a fault in an upstream file or record, with a code for reports. */
import { CodedError } from '../errors/coded-error.ts'

export type FeedErrorCode =
  // a whole file; stops the ingest
  | 'file_unreadable'
  | 'file_damaged'
  | 'file_invalid'
  // one entry of an archive
  | 'entry_damaged'
  | 'entry_too_large'
  | 'entry_unsupported'
  // one item
  | 'json_invalid'
  | 'json_too_deep'
  | 'item_invalid'
  | 'id_differs_from_name'
  // one record of the CVE list
  | 'record_not_object'
  | 'record_id_missing'
  | 'record_id_invalid'
  | 'record_state_unknown'
  | 'record_container_missing'

export class FeedError extends CodedError<FeedErrorCode> {}
