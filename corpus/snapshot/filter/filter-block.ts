/** Collects candidates in blocks and filters them, until enough have passed. */
import type { Sieve } from './matches.ts'

/** Ordinals per block. Together with their lookups they fit into the nearest cache. */
export const BLOCK = 2048
/** Size of the first block. Small, so that short searches test few candidates in vain. */
const FIRST_BLOCK = 32

/** The shared candidate block. Safe, because searches are synchronous. */
const block = new Uint32Array(BLOCK)

export interface Sifted {
  found: number[]
  most: number
  sieves: readonly Sieve[]
  block: Uint32Array
  /** Number of candidates in the block, and the number at which it is filtered. */
  filled: number
  full: number
  failed: number
}

/** Starts a search. `atOnce` candidates may be added before the next check of the block. */
export function sifting(sieves: readonly Sieve[], most: number, atOnce: number): Sifted {
  const full = Math.min(Math.max(FIRST_BLOCK, most), BLOCK - atOnce)
  return { found: [], most, sieves, block, filled: 0, full, failed: 0 }
}

/** Filters and empties the block. Returns whether enough have passed. */
export function sift(search: Sifted): boolean {
  const { found, most, sieves, filled } = search
  let count = filled
  for (let i = 0; i < sieves.length && count > 0; i++) count = sieves[i]!(block, count)
  search.failed += filled - count
  search.filled = 0
  const wanted = Math.min(count, most - found.length)
  for (let i = 0; i < wanted; i++) found.push(block[i]!)
  return found.length === most
}

/** Doubles the block size, because a longer search is likely to continue. */
export function grow(search: Sifted, atOnce: number): void {
  search.full = Math.min(2 * search.full, BLOCK - atOnce)
}
