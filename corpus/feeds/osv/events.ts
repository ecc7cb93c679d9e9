/** Converts the events of an OSV range to model ranges (OSV schema, "affected[].ranges[].events"). */

import type { RecordNote } from '../../model/claim.ts'
import type { AffectedRange } from '../../model/record.ts'
import { type JsonObject, objects, text } from '../../model/values/json-value.ts'
import { bounded } from '../../model/versions/order.ts'
import { semver } from '../../model/versions/semver.ts'
import { FeedError } from '../error.ts'
import { shown } from '../json.ts'
import { addNote } from '../statements.ts'

/** The order of kinds within one event; older entries combine several. */
const KINDS = ['introduced', 'fixed', 'last_affected', 'limit'] as const

interface RangeEvent {
  kind: (typeof KINDS)[number]
  version: string
}

export interface ReplayedRange {
  ranges: AffectedRange[]
  /** Fixed versions, without duplicates. Fix commits are only in `ranges`. */
  patched: string[]
}

/** Each fix commit ends all open ranges: 10,000 starts and as many fixes make 100 million ranges. */
const MAX_RANGES = 100_000

/**
 * Returns the ranges that events open and close. SEMVER events are sorted; others have no known order and stay as
 * written.
 * A fix while nothing is affected is a patched version. For commits it is the same fix on another branch, and ends the
 * previously closed ranges again. `limit` is ignored, except for commits, where it may be the only end of a branch.
 * @throws FeedError `entry_too_large`
 */
export function replayEvents(range: JsonObject, notes: RecordNote[]): ReplayedRange {
  const type = text(range.type)?.toLowerCase() ?? null
  const isGit = type === 'git'
  const events = readEvents(range, isGit, notes)
  const ranges: AffectedRange[] = []
  const patched = new Set<string>()
  let open: string[] = []
  let closed: string[] = []
  for (const { kind, version } of type === 'semver' ? sorted(events) : events) {
    if (kind === 'introduced') {
      if (isGit || open.length === 0) open.push(version)
      else addNote(notes, { code: 'range-unreadable', detail: `introduced ${version} while affected since ${open[0]}` })
      continue
    }
    if (kind === 'fixed' && !isGit) patched.add(version)
    if (open.length > 0) closed = open
    else if (!isGit) continue
    open = []
    if (ranges.length + closed.length > MAX_RANGES) {
      throw new FeedError('entry_too_large', `the events of a range make more than ${MAX_RANGES} ranges`)
    }
    for (const introduced of closed) ranges.push(closedRange(introduced, kind, version, type))
  }
  for (const introduced of open) ranges.push({ introduced, fixed: null, version_type: type })
  return { ranges, patched: [...patched] }
}

function readEvents(range: JsonObject, isGit: boolean, notes: RecordNote[]): RangeEvent[] {
  const events: RangeEvent[] = []
  for (const event of objects(range.events)) {
    let known = false
    for (const kind of KINDS) {
      const version = text(event[kind])
      if (version === null) continue
      known = true
      if (kind !== 'limit' || (isGit && version !== '*')) events.push({ kind, version })
    }
    if (!known) addNote(notes, { code: 'range-unreadable', detail: `event ${shown(event)}` })
  }
  return events
}

const { parse, compare } = bounded(semver)

/** The first semantic version. `0` precedes every version (OSV schema), and so pre-releases of 0.0.0 too. */
const FIRST = '0.0.0-0'

/** Returns the events sorted by version, or unchanged when a version has other than three numbers. The sort is stable. */
function sorted(events: RangeEvent[]): RangeEvent[] {
  const keyed = events.map((event) => ({ event, key: parse(event.version === '0' ? FIRST : event.version) }))
  if (keyed.some(({ key }) => key?.core.length !== 3)) return events
  return keyed.sort((a, b) => compare(a.key!, b.key!)).map(({ event }) => event)
}

function closedRange(introduced: string, kind: RangeEvent['kind'], version: string, type: string | null) {
  const range: AffectedRange = { introduced, fixed: kind === 'last_affected' ? null : version, version_type: type }
  if (kind === 'last_affected') range.last_affected = version
  return range
}
