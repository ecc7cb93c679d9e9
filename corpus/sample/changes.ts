/** Changes of records after the first night, and the coverage of CVEs by the further feeds. */
import { Random } from './random.ts'
import { type Facts, publishedFrom, type World } from './world.ts'

/** The kinds of changes in turn, so that a small sample has them all. One record in a hundred changes each night. */
const ROUND =
  'reference fix assessment score title rejected revived disclosed reference fix assessment score description reference fix assessment reference fix title reference'.split(
    ' ',
  ) as ChangeKind[]

export type PublishedChange = 'reference' | 'fix' | 'assessment' | 'score' | 'title' | 'description'
export type ChangeKind = PublishedChange | 'rejected' | 'revived' | 'disclosed' | 'kev'

export interface Change {
  /** 1 is the night after the first. */
  night: number
  kind: ChangeKind
}

const STRATUM = 100
/** Coprime to the stratum size, so that a record that changes in one night does not change in the next 99. */
const STEP = 7

/** Returns the change of a record, or null. A record changes at most once in up to 100 nights. */
export function changeAt(seed: number, index: number, nights: number): Change | null {
  const stratum = Math.floor(index / STRATUM)
  const first = new Random(seed, stratum, 'change').int(STRATUM)
  for (let night = 1; night < nights; night++) {
    if (index % STRATUM !== (first + (night - 1) * STEP) % STRATUM) continue
    return { night, kind: ROUND[(stratum + night - 1) % ROUND.length]! }
  }
  return null
}

/** New entries of KEV per night. */
const KEV_ADDITIONS = 3

/** Returns the night for each record that enters KEV after the first night, by index. */
export function kevNights(seed: number, cves: number, nights: number): Map<number, number> {
  const found = new Map<number, number>()
  for (let night = 1; night < nights; night++) {
    const random = new Random(seed, night, 'kev')
    for (let i = 0; i < KEV_ADDITIONS; i++) {
      // Choose from the newer half of the ids.
      const index = Math.floor(cves / 2) + random.int(Math.ceil(cves / 2))
      if (!found.has(index)) found.set(index, night)
    }
  }
  return found
}

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
const TURN = { takenBack: 0, changed: 2, late: 4, retracted: 6, several: 8 }

/** Returns the coverage of a CVE by `feed`, with a probability of `share`. Null if the feed never contains it. */
export function coverageOf(world: World, facts: Facts, feed: string, share: number): Coverage | null {
  const published = publishedFrom(facts)
  if (published === null) return null
  const turn = facts.showcase !== null && facts.showcase % 2 === 0 ? facts.showcase % 10 : null
  const random = world.random(facts.id, feed)
  if (!random.chance(share) && turn === null) return null
  const last = world.nights - 1
  const is = (role: keyof typeof TURN, share: number) => (turn === null ? random.chance(share) : turn === TURN[role])
  const later = (from: number) => (last > from ? random.between(from + 1, last) : null)
  const from = (is('late', LATE_SHARE * last) ? later(published) : null) ?? published
  const changed = is('changed', CHANGED_SHARE * last)
  const retracted = is('retracted', RETRACTED_SHARE)
  const takenBack = is('takenBack', RETRACTED_SHARE)
  return {
    from,
    changedIn: changed ? later(from) : null,
    retractedIn: takenBack ? from : retracted ? later(from) : null,
    several: is('several', SEVERAL_SHARE),
  }
}
