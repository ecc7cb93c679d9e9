/** How far the items of a feed are on their way into the corpus: asked for, staged, or neither yet. */
import type Database from 'better-sqlite3'
import { type KnownItems, readKnownItems } from './known-items.ts'

export interface FeedItems {
  /** What the corpus had of it before; null where nothing. */
  digestOf(item: string): Uint8Array | null
  /** The same, once: null for one that was asked for or staged before, for the corpus has what came first, or will have it. */
  ask(item: string): Uint8Array | null
  /** What the corpus had before. */
  known: KnownItems
  /**
   * Asks for the items at these places (but for -1) and then for others by their keys. Null where one of the former was
   * asked for or staged before, or comes again: then nothing was asked for.
   */
  askAll(places: Int32Array, keys: readonly (string | null)[]): (Uint8Array | null)[] | null
  /** Whether the corpus had it before, or has it now. */
  isThere(item: string): boolean
  stage(item: string): void
  /** Stages what the corpus had; gives its rows, or null where it had nothing or has something else by now. */
  stageOld(item: string): Uint32Array | null
  /** How many there are, those staged included. */
  size(): number
}

/** States of an item that the corpus had, from 0: neither asked for nor staged. */
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
