/** A record of the CVE list (CVE JSON 5.x): its metadata, and what each of its containers claims. */
import type { CveListRecord } from '../../model/claim.ts'
import { FeedError } from '../error.ts'

/** @throws FeedError that names what is wrong, where the record cannot be used at all. */
export function parseCveRecord(json: unknown): CveListRecord {
  throw new FeedError('record_not_object', `not an object: ${typeof json}`)
}
