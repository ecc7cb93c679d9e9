/** Builds the change timeline of a record from dates in the feeds and from changes that an ingest finds (rule 26). */
import type { CveListRecord, Rejection } from '../claim.ts'
import { type MergedParts, NO_OTHER_CLAIMS, type OtherClaims } from '../merge.ts'
import type { RecordParts, RecordState, TimelineEntry, TimelineMessage } from '../record.ts'
import { latestSsvc } from '../scores/ssvc.ts'
import { compareText } from '../sources.ts'
import { startOfDay } from '../values/date.ts'
import { type AttributedChange, type Attribution, attributedChanges } from './attribution.ts'
import { cut, dateChange, differences } from './difference.ts'
import {
  CATEGORIES,
  type CategoryRow,
  FEED_OF_SOURCE,
  PUBLISHED_TITLE,
  TITLES,
  TITLES_OF_ALL,
} from './timeline-table.ts'

/** Maximum messages of an entry. An advisory can list thousands of products; the title counts the hidden ones. */
const MESSAGE_LIMIT = 200

/** The parts of a change that an entry shows. */
type ShownChange = Omit<AttributedChange, 'item' | 'isRecords'>

/** Subjects of dated facts for which the entry's title does not name the date. */
const SUBJECTS: Record<string, string> = {
  '$.date_published': 'Date of publication',
  '$.kev.date_added': 'Added to KEV on',
  '$.ssvc': 'SSVC assessment',
  '$.cvss.svc_assessment': 'Score of the service',
}

type DatedClaims = Pick<OtherClaims, 'claims' | 'advisories'> & {
  /** An earlier rejection of the CVE. */
  rejected?: Rejection | null
}

/**
 * Returns the timeline of a record's first version, newest first. It contains only dated facts: publication, KEV
 * listing, SSVC assessment, NVD, advisories, and the service's reports, score and analysis.
 */
export function firstTimeline(
  parts: MergedParts,
  record: CveListRecord,
  { claims, advisories, rejected }: DatedClaims = NO_OTHER_CLAIMS,
): TimelineEntry[] {
  const entries: TimelineEntry[] = []
  const add = (title: string, at: string, stated: Omit<ShownChange, 'operation' | 'oldValue' | 'subject'>) => {
    const change = { subject: SUBJECTS[stated.path] ?? title, ...stated, operation: 'add', oldValue: null } as const
    entries.push(entryOf(rowOf(change.category), title, at, [1, 1], [change]))
  }
  const { core } = parts
  if (core.date_published !== null && core.state === 'PUBLISHED') {
    const newValue = core.date_published
    add(PUBLISHED_TITLE, newValue, { category: 'publication', provider: 'cna', path: '$.date_published', newValue })
  }
  if (rejected) {
    entries.push(rejectionOf([1, 1], 'PUBLISHED', rejected))
    const back = stateChange('REJECTED', core.state)
    entries.push(entryOf(rowOf('publication'), 'Rejection withdrawn', core.date_updated, [1, 1], [back]))
  }
  if (core.kev.date_added !== null) {
    const newValue = core.kev.date_added
    const change = { category: 'kev', provider: 'agency_kev', path: '$.kev.date_added', newValue } as const
    add('Added to the KEV catalogue', startOfDay(newValue), change)
  }
  const ssvc = latestSsvc(record.claims)
  if (ssvc?.assessedAt) {
    const { exploitation, automatable, technical_impact } = ssvc
    const newValue = JSON.stringify({ exploitation, automatable, technical_impact })
    add('SSVC assessed', ssvc.assessedAt, { category: 'ssvc', provider: 'adp', path: '$.ssvc', newValue })
  }
  for (const { source, updatedAt } of claims) {
    if (source !== 'nvd') continue
    add('NVD record updated', updatedAt, { category: 'nvd', provider: source, path: '$', newValue: updatedAt })
  }
  for (const { advisory } of advisories) {
    const { advisory_id: id, withdrawn_at: withdrawn, updated_at: updated } = advisory
    const change = {
      category: 'advisory',
      provider: 'advisory',
      path: '$.advisory',
      newValue: withdrawn ?? updated,
    } as const
    add(`Advisory ${id} ${withdrawn ? 'withdrawn' : 'updated'}`, change.newValue, change)
  }
  const { report_texts: reports, cvss, analysis } = parts
  for (const { report_type: type, created_at: newValue } of reports) {
    add(`Report ${type} written`, newValue, { category: 'svc_report', provider: 'svc', path: '$.reports', newValue })
  }
  if (cvss.svc_assessment) {
    const { base_score, rescore_timestamp } = cvss.svc_assessment
    const change = { category: 'svc_metrics_analysis', provider: 'svc', path: '$.cvss.svc_assessment' } as const
    add('Scored by the service', rescore_timestamp, { ...change, newValue: String(base_score) })
  }
  if (analysis?.generated_at) {
    const newValue = analysis.generated_at
    add('Analysed by the service', newValue, {
      category: 'svc_analysis',
      provider: 'svc',
      path: '$.analysis',
      newValue,
    })
  }
  return newestFirst(entries)
}

/** Returns the timeline of a record that was rejected. Its version is `version` + 1. */
export function rejectedTimeline(
  timeline: readonly TimelineEntry[],
  version: number,
  state: RecordState,
  rejection: Rejection,
): TimelineEntry[] {
  return newestFirst([rejectionOf([version, version + 1], state, rejection), ...timeline])
}

const stateChange = (oldValue: RecordState | 'REJECTED', newValue: RecordState | 'REJECTED'): ShownChange => ({
  category: 'publication',
  operation: 'modify',
  provider: 'cna',
  path: '$.state',
  subject: 'State',
  oldValue,
  newValue,
})

function rejectionOf(
  versions: readonly [number, number],
  state: RecordState,
  { date, reason, replacedBy }: Rejection,
): TimelineEntry {
  const rejected = stateChange(state, 'REJECTED')
  const stated = (subject: string, newValue: string | null): ShownChange[] =>
    newValue === null ? [] : [{ ...rejected, subject, operation: 'add', oldValue: null, newValue: cut(newValue) }]
  const changes = [
    rejected,
    ...stated('Reason of the rejection', reason),
    ...stated('Replaced by', replacedBy.join(', ') || null),
  ]
  return entryOf(rowOf('publication'), titleOf(rowOf('publication'), changes), date, versions, changes)
}

/** Dates of the changes of an ingest: ISO 8601 timestamps in UTC. */
export interface ChangeDates {
  /** Date of the CVE record. Null if the record is unchanged and only other feeds changed. */
  record: string | null
  /** Date by feed name, for the feeds with changed claims. */
  feeds: ReadonlyMap<string, string>
  /** Date of changes that no feed dates. */
  otherwise: string
}

/**
 * Returns the timeline of a record that replaces `previous`, newest first.
 * It adds an entry for each changed category. Changes of the record span its version and the next one. Enrichment has
 * the next version only (API 14.9). `origin` separates the two; without it, all changes are the record's. Returns
 * `previous.timeline` itself if nothing changed.
 */
export function nextTimeline(
  previous: RecordParts & { version: number },
  next: MergedParts,
  dates: ChangeDates,
  attribution: Attribution | null = null,
): TimelineEntry[] {
  const found = differences(previous, next)
  if (found.length === 0) return previous.timeline
  const isUpdated = dates.record !== null
  const changes = attributedChanges(found, next, isUpdated, attribution)
  // All changes came from other feeds, but the record was updated too: report the new date.
  if (isUpdated && !changes.some(({ isRecords }) => isRecords)) {
    changes.push(...attributedChanges(dateChange(previous, next), next, true, null))
  }
  const [from, to] = [previous.version, previous.version + 1]
  const entries: TimelineEntry[] = []
  for (const row of CATEGORIES) {
    const own = changes.filter((change) => change.category === row.category)
    const [ofRecord, ofOthers] = [own.filter(({ isRecords }) => isRecords), own.filter(({ isRecords }) => !isRecords)]
    for (const [some, date, span] of [
      [ofRecord, dates.record, [from, to]],
      [ofOthers, enrichmentDate(row, ofOthers, dates), [to, to]],
    ] as const) {
      if (some.length > 0)
        entries.push(entryOf(row, titleOf(row, some, previous.timeline), statedDate(some) ?? date, span, some))
    }
  }
  return newestFirst([...entries, ...previous.timeline])
}

/** Returns the date that KEV states for a new listing (rules 26, 29). */
function statedDate(changes: readonly ShownChange[]): string | null {
  const added = changes.find(({ path, operation }) => path === '$.kev.date_added' && operation === 'add')
  return added ? startOfDay(added.newValue!) : null
}

/** Returns the newest date of the feeds behind these changes, or of the only changed feed if they are unknown. */
function enrichmentDate(row: CategoryRow, changes: readonly ShownChange[], { feeds, otherwise }: ChangeDates): string {
  const feedsOf = ({ provider }: ShownChange): readonly string[] => {
    const feed = row.feeds.length === 1 ? undefined : FEED_OF_SOURCE.get(provider)
    return feed === undefined ? row.feeds : [feed]
  }
  const dates = changes.flatMap(feedsOf).flatMap((feed) => feeds.get(feed) ?? [])
  if (dates.length === 0 && feeds.size === 1) dates.push(...feeds.values())
  return dates.sort().at(-1) ?? otherwise
}

function titleOf(row: CategoryRow, changes: readonly ShownChange[], timeline: readonly TimelineEntry[] = []): string {
  for (const [path, oldValue, newValue, title] of TITLES) {
    const isIt = (change: ShownChange) =>
      change.path === path && change.newValue === newValue && (oldValue === null || change.oldValue === oldValue)
    if (!changes.some(isIt)) continue
    const isRepeated = title === PUBLISHED_TITLE && timeline.some((entry) => entry.title === title)
    return isRepeated ? `${title} again` : title
  }
  return TITLES_OF_ALL.find(([paths]) => changes.every(({ path }) => paths.test(path)))?.[1] ?? row.title
}

function entryOf(
  row: CategoryRow,
  title: string,
  changedAt: string | null,
  [from, to]: readonly [number, number],
  changes: readonly ShownChange[],
): TimelineEntry {
  const count = (operation: ShownChange['operation']) => changes.filter((one) => one.operation === operation).length
  return {
    title,
    category: row.category,
    version_from: from,
    version_to: to,
    changed_at: changedAt,
    added_count: count('add'),
    modified_count: count('modify'),
    removed_count: count('remove'),
    messages: [headerOf(row, title, changes), ...changes.slice(0, MESSAGE_LIMIT).map((one) => messageOf(row, one))],
  }
}

function headerOf(row: CategoryRow, title: string, changes: readonly ShownChange[]): TimelineMessage {
  const hidden = changes.length - MESSAGE_LIMIT
  return {
    summary: hidden > 0 ? `${title} (${hidden} further changes not shown)` : title,
    category: row.category,
    provider: cut(changes[0]?.provider ?? row.category),
    json_path: '$',
    old_value: null,
    new_value: null,
    operation: 'group_header',
    change_type: row.group,
  }
}

/** Maximum length, in UTF-16 code units, of a value in the summary. JSON values are never in it. */
const TOLD_LENGTH = 60

/** Returns a line that is readable alone: `Severity: high → critical`, `Reference https://… added`. */
function summaryOf({ subject, oldValue, newValue }: ShownChange): string {
  const isTold = (value: string) => value.length <= TOLD_LENGTH && !/^[[{]/.test(value) && !subject.includes(value)
  if (oldValue === null) return isTold(newValue!) ? `${subject}: ${newValue}` : `${subject} added`
  if (newValue === null) return isTold(oldValue) ? `${subject} removed: ${oldValue}` : `${subject} removed`
  return isTold(oldValue) && isTold(newValue) ? `${subject}: ${oldValue} → ${newValue}` : `${subject} changed`
}

function messageOf(row: CategoryRow, change: ShownChange): TimelineMessage {
  return {
    summary: cut(summaryOf(change)),
    category: row.category,
    provider: cut(change.provider),
    json_path: detailPath(change.path),
    old_value: change.oldValue,
    new_value: change.newValue,
    operation: change.operation,
    change_type: row.change,
  }
}

/** Parts of a record that the detail of a CVE does not have. */
const OUTSIDE_DETAIL = /^\$\.(?:weaknesses|advisory|reports)\b/

/** Returns a path in the detail. Indexes are left out: later versions can have fewer items, in another order. */
function detailPath(path: string): string {
  return OUTSIDE_DETAIL.test(path) ? '$' : path.replace(/\[\d+\].*$/s, '')
}

function rowOf(category: ShownChange['category']): CategoryRow {
  return CATEGORIES.find((row) => row.category === category)!
}

/** The sort is stable: what has the same time and version keeps the order of the table. */
function newestFirst(entries: TimelineEntry[]): TimelineEntry[] {
  return entries.sort((a, b) => compareText(b.changed_at ?? '', a.changed_at ?? '') || b.version_to - a.version_to)
}
