/** Candidates that are gathered in blocks and sifted, until as many have passed as are wanted. */
import type { Sieve } from './matches.ts'

/** Ordinals that are sifted at once: with what is looked up of them they stay in the nearest cache. */
export const BLOCK = 2048
/** What is sifted first: the less is wanted, the less should be looked at in vain. */
const FIRST_BLOCK = 32

/** The block that candidates are gathered in: nothing else goes on while one search does. */
const block = new Uint32Array(BLOCK)

/** A search under way. */
export interface Sifted {
  /** What passed, in order. */
  found: number[]
  most: number
  sieves: readonly Sieve[]
  block: Uint32Array
  /** How many candidates are in the block, and at how many it is to be sifted. */
  filled: number
  full: number
  /** How many candidates failed. */
  failed: number
}

/** `atOnce` candidates may be added before the block is looked at again. */
export function sifting(sieves: readonly Sieve[], most: number, atOnce: number): Sifted {
  const full = Math.min(Math.max(FIRST_BLOCK, most), BLOCK - atOnce)
  return { found: [], most, sieves, block, filled: 0, full, failed: 0 }
}

/** Sifts the block, after which it is empty. Tells whether enough have passed. */
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

/** Lets the block become twice as full: what has not been found so soon will not be found at once. */
export function grow(search: Sifted, atOnce: number): void {
  search.full = Math.min(2 * search.full, BLOCK - atOnce)
}
