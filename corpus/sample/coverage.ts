/**
 * Which CVEs the further feeds tell of, and what becomes of it in the nights: a share of all records as upstream, and at
 * any size of the sample the even ones of the showcases, whose turns have something of everything.
 */
import { type Facts, publishedFrom, type World } from './world.ts'

export interface Coverage {
  /** The night from which on the feed tells of the CVE. */
  from: number
  /** The night in which it tells something else; null for never. */
  changedIn: number | null
  /** The night in which it takes back what it told, `from` for what was taken back before; null for never. */
  retractedIn: number | null
  /** Whether it tells more than once: two advisories, two modules. */
  several: boolean
}

/** Shares among what a feed tells; the first two are of each night after the first. */
const LATE_SHARE = 0.01
const CHANGED_SHARE = 0.01
const RETRACTED_SHARE = 0.004
const SEVERAL_SHARE = 0.04

/** What becomes of the even showcases, by their number modulo ten. The newest of them, 38, is one with several of all. */
const TURNS = 10
const TURN = { takenBack: 0, changed: 2, late: 4, retracted: 6, several: 8 }

/** What `feed` does with a CVE that it knows with a probability of `share`; null for one that it never tells of. */
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
