/**
 * What a text matches, packed: between threads and in memory it takes a byte or two for each, where plain ordinals take
 * four. V8 answers every 30 MB that come from another thread with a collection, and all requests wait for that.
 */
import { encodePostings, type Postings, writeOrdinals } from '../../corpus/snapshot/query/postings.ts'

/** Ascending ordinals. */
export type Matches = Postings

export const packMatches = encodePostings

let ordinals = new Uint32Array(0)

/** The ordinals, in memory that the next call overwrites: use them at once, and keep none. */
export function unpackMatches(matches: Matches): Uint32Array {
  if (ordinals.length < matches.count) ordinals = new Uint32Array(matches.count)
  return ordinals.subarray(0, writeOrdinals(matches, ordinals))
}
