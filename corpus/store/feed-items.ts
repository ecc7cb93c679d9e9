/** The state of a feed's items during an ingest: not requested, requested or staged. */
import type Database from 'better-sqlite3'
import { type KnownItems, readKnownItems } from './known-items.ts'

export interface FeedItems {
  /** Returns the digest from before this ingest, or null if the corpus did not have the item. */
  digestOf(item: string): Uint8Array | null
  /**
   * As `digestOf`, but only once. Returns null for an item that was already requested or staged, because its first copy
   * is or will be in the corpus.
   */
  ask(item: string): Uint8Array | null
  /** The items of the corpus before this ingest. */
  known: KnownItems
  /**
   * Requests the items at `places`, except -1, then the items with `keys`. Returns null, without requesting anything,
   * if an item of `places` was already requested or staged or occurs twice.
   */
  askAll(positions: Int32Array, keys: readonly (string | null)[]): (Uint8Array | null)[] | null
  /** Returns whether the corpus had the item before or has it now. */
  isThere(item: string): boolean
  stage(item: string): void
  /** Stages the corpus's item unchanged and returns its rows. Null if there is none or another copy is staged. */
  stageOld(item: string): Uint32Array | null
  /** Returns the number of items, including staged ones. */
  size(): number
}

/** States of an item from before this ingest. 0 is neither requested nor staged. */
const [ASKED, STAGED, ASKED_NOW] = [1, 2, 3]

export function openItems(database: Database.Database, feed: string): FeedItems {
  const known = readKnownItems(database, feed)
  const states = new Uint8Array(known.size)
  const added = new Set<string>()
  const ask = (item: string): Uint8Array | null => {
    const position = known.positionOf(item)
    if (position === undefined || states[position] !== 0) return null
    states[position] = ASKED
    return known.digestAt(position)
  }
  return {
    known,
    digestOf(item) {
      const position = known.positionOf(item)
      return position === undefined ? null : known.digestAt(position)
    },
    ask,
    askAll(positions, keys) {
      const settle = (state: number) => {
        for (const position of positions) if (states[position] === ASKED_NOW) states[position] = state
      }
      const isOnce = positions.every((position) => {
        if (position < 0) return true
        if (states[position] !== 0) return false
        states[position] = ASKED_NOW
        return true
      })
      const isAgain = (key: string | null) => key !== null && states[known.positionOf(key) ?? -1] === ASKED_NOW
      if (!isOnce || keys.some(isAgain)) {
        settle(0)
        return null
      }
      settle(ASKED)
      return keys.map((key) => (key === null ? null : ask(key)))
    },
    isThere: (item) => known.positionOf(item) !== undefined || added.has(item),
    stage(item) {
      const position = known.positionOf(item)
      if (position === undefined) added.add(item)
      else states[position] = STAGED
    },
    stageOld(item) {
      const position = known.positionOf(item)
      if (position === undefined || states[position] === STAGED) return null
      states[position] = STAGED
      return known.rowsAt(position)
    },
    size: () => known.size + added.size,
  }
}
