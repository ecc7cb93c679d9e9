/**
 * Selects the CVEs in the further feeds, and their changes after the first night. The shares of records are upstream's.
 * In addition, the even showcases appear at any size of the sample, so that every kind of change occurs.
 */
import { type Facts, publishedFrom, type World } from './world.ts'

export interface Coverage {
  /** The first night in which the feed contains the CVE. */
  from: number
  /** The night of a change. Null for never. */
  changedIn: number | null
  /** The night of a retraction. It equals `from` for an earlier retraction. Null for never. */
  retractedIn: number | null
  /** Whether it has several entries: two advisories, two modules. */
  several: boolean
}

/** Shares among the entries of a feed. The first two are per night after the first. */
const LATE_SHARE = 0.01
const CHANGED_SHARE = 0.01
const RETRACTED_SHARE = 0.004
const SEVERAL_SHARE = 0.04

/** The roles of the even showcases, by number modulo ten. The newest, 38, has several entries everywhere. */
const TURNS = 10
const TURN = { takenBack: 0, changed: 2, late: 4, retracted: 6, several: 8 }

/** Returns the coverage of a CVE by `feed`, with a probability of `share`. Null if the feed never contains it. */
export function coverageOf(world: World, facts: Facts, feed: string, share: number): Coverage | null {
  const published = publishedFrom(facts)
  if (published === null) return null
  const turn = facts.showcase !== null && facts.showcase % 2 === 0 ? facts.showcase % TURNS : null
  const random = world.random(facts.id, feed)
  if (!random.chance(share) && turn === null) return null
  const last = world.nights - 1
  const later = (from: number) => (last > from ? random.between(from + 1, last) : null)
  const late = turn === null ? random.chance(LATE_SHARE * last) : turn === TURN.late
  const from = (late ? later(published) : null) ?? published
  const changed = turn === null ? random.chance(CHANGED_SHARE * last) : turn === TURN.changed
  const retracted = turn === null ? random.chance(RETRACTED_SHARE) : turn === TURN.retracted
  const takenBack = turn === null ? random.chance(RETRACTED_SHARE) : turn === TURN.takenBack
  return {
    from,
    changedIn: changed ? later(from) : null,
    retractedIn: takenBack ? from : retracted ? later(from) : null,
    several: turn === null ? random.chance(SEVERAL_SHARE) : turn === TURN.several,
  }
}
