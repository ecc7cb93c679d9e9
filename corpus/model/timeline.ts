/** The change timeline: what the feeds date, and what an ingest finds changed in a record (decisions 26). */
import type { CveListRecord } from './claim.ts'
import type { MergedParts } from './merge.ts'
import type { RecordParts, TimelineEntry } from './record.ts'

/** The timeline of a record's first version: only what the feeds themselves date, newest first. */
export function firstTimeline(parts: MergedParts, record: CveListRecord): TimelineEntry[] {
  void [parts, record]
  return []
}

/**
 * The whole timeline of a record that replaces `previous`: the entries for what changed, then those it had, newest
 * first. Equal parts give `previous.timeline` itself. `changedAt` is ISO 8601 in UTC.
 */
export function nextTimeline(
  previous: RecordParts & { version: number },
  next: MergedParts,
  changedAt: string,
): TimelineEntry[] {
  void [next, changedAt]
  return previous.timeline
}
