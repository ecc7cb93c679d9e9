/** Converts version bounds to OSV events. */
import type { Bounds } from '../record/bounds.ts'

export type OsvEvent = { introduced: string } | { fixed: string } | { last_affected: string }

/** Returns null for a single version, which OSV lists instead. */
export function eventsOf(bounds: Bounds): OsvEvent[] | null {
  if ('exact' in bounds) return null
  const { from, before, upTo } = bounds
  const events: OsvEvent[] = [{ introduced: from ?? '0' }]
  if (before !== null) events.push({ fixed: before })
  else if (upTo !== null) events.push({ last_affected: upTo })
  return events
}
