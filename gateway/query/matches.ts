/**
 * Packed matches of a text query: one or two bytes each in memory and between threads, instead of four. V8 runs a
 * blocking collection for every 30 MB that arrive from another thread.
 */
import { encodePostings, type Postings, writeOrdinals } from '../../corpus/snapshot/index.ts'

export type Matches = Postings

export const packMatches = encodePostings

let ordinals = new Uint32Array(0)

/** The next call overwrites the result. Use it at once. */
export function unpackMatches(matches: Matches): Uint32Array {
  if (ordinals.length < matches.count) ordinals = new Uint32Array(matches.count)
  return ordinals.subarray(0, writeOrdinals(matches, ordinals))
}
