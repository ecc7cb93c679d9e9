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
  askAll(places: Int32Array, keys: readonly (string | null)[]): (Uint8Array | null)[] | null
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
    const place = known.placeOf(item)
    if (place === undefined || states[place] !== 0) return null
    states[place] = ASKED
    return known.digestAt(place)
  }
  return {
    known,
    digestOf(item) {
      const place = known.placeOf(item)
      return place === undefined ? null : known.digestAt(place)
    },
    ask,
    askAll(places, keys) {
      const settle = (state: number) => {
        for (const place of places) if (states[place] === ASKED_NOW) states[place] = state
      }
      const isOnce = places.every((place) => {
        if (place < 0) return true
        if (states[place] !== 0) return false
        states[place] = ASKED_NOW
        return true
      })
      const isAgain = (key: string | null) => key !== null && states[known.placeOf(key) ?? -1] === ASKED_NOW
      if (!isOnce || keys.some(isAgain)) {
        settle(0)
        return null
      }
      settle(ASKED)
      return keys.map((key) => (key === null ? null : ask(key)))
    },
    isThere: (item) => known.placeOf(item) !== undefined || added.has(item),
    stage(item) {
      const place = known.placeOf(item)
      if (place === undefined) added.add(item)
      else states[place] = STAGED
    },
    stageOld(item) {
      const place = known.placeOf(item)
      if (place === undefined || states[place] === STAGED) return null
      states[place] = STAGED
      return known.rowsAt(place)
    },
    size: () => known.size + added.size,
  }
}
