/** How far the items of a feed are on their way into the corpus: asked for, staged, or neither yet. */
import type Database from 'better-sqlite3'
import { readKnownItems } from './known-items.ts'

export interface FeedItems {
  feed: string
  /** What the corpus had of it before; null where nothing. */
  digestOf(item: string): Uint8Array | null
  /** The same, once: null for one that was asked for or staged before, for the corpus has what came first, or will have it. */
  ask(item: string): Uint8Array | null
  /** Whether the corpus had it before, or has it now. */
  isThere(item: string): boolean
  stage(item: string): void
  /** Stages what the corpus had; gives its rows, or null where it had nothing or has something else by now. */
  stageOld(item: string): Uint32Array | null
  /** How many there are, those staged included. */
  size(): number
}

const [ASKED, STAGED] = [1, 2]

export function openItems(database: Database.Database, feed: string): FeedItems {
  const known = readKnownItems(database, feed)
  const states = new Uint8Array(known.size)
  const added = new Set<string>()
  return {
    feed,
    digestOf(item) {
      const place = known.placeOf(item)
      return place === undefined ? null : known.digestAt(place)
    },
    ask(item) {
      const place = known.placeOf(item)
      if (place === undefined || states[place] !== 0) return null
      states[place] = ASKED
      return known.digestAt(place)
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
