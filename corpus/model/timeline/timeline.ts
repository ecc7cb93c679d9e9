/** Builds the change timeline of a record from dates in the feeds and from changes that an ingest finds (rule 26). */
import type { CveListRecord } from '../claim.ts'
import { type MergedParts, NO_OTHER_CLAIMS, type OtherClaims } from '../merge.ts'
import type { RecordParts, TimelineEntry, TimelineMessage } from '../record.ts'
import { latestSsvc } from '../scores/ssvc.ts'
import { compareText } from '../sources.ts'
import { startOfDay } from '../values/date.ts'
import { type AttributedChange, type Attribution, attributedChanges } from './attribution.ts'
import { cut, dateChange, differences } from './difference.ts'
import { CATEGORIES, type CategoryRow, FEED_OF_SOURCE, TITLES, TITLES_OF_ALL } from './timeline-table.ts'

/** Maximum messages of an entry. An advisory can list thousands of products; the title counts the hidden ones. */
const MESSAGE_LIMIT = 200

/** The parts of a change that an entry shows. */
type BitConstraint = Omit<AttributedChange, 'item' | 'isRecords'>

/** Subjects of dated facts for which the entry's title does not name the date. */
const SUBJECTS: Record<string, string> = {
  '$.date_published': 'Date of publication',
  '$.kev.date_added': 'Added to KEV on',
  '$.ssvc': 'SSVC assessment',
  '$.cvss.svc_assessment': 'Score of the service',
}

/**
 * Returns the timeline of a record's first version, newest first. It contains only dated facts: publication, KEV
 * listing, SSVC assessment, NVD, advisories, and the service's reports, score and analysis.
 */
export function firstTimeline(
  parts: MergedParts,
  record: CveListRecord,
  { claims, advisories }: Pick<OtherClaims, 'claims' | 'advisories'> = NO_OTHER_CLAIMS,
): TimelineEntry[] {
  const entries: TimelineEntry[] = []
  const add = (title: string, at: string, stated: Omit<BitConstraint, 'operation' | 'oldValue' | 'subject'>) => {
    const change = { subject: SUBJECTS[stated.path] ?? title, ...stated, operation: 'add', oldValue: null } as const
    entries.push(entryOf(rowOf(change.category), title, at, [1, 1], [change]))
  }
  const { core } = parts
  if (core.date_published !== null && core.state === 'PUBLISHED') {
    const newValue = core.date_published
    add('CVE published', newValue, { category: 'publication', provider: 'cna', path: '$.date_published', newValue })
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
    add('SSVC assessed', ssvc.assessedAt, { category: 'ssvc', provider: 'agency_adp', path: '$.ssvc', newValue })
  }
  for (const { source, sourceName, updatedAt } of claims) {
    if (source !== 'nvd') continue
    add('NVD record updated', updatedAt, { category: 'nvd', provider: sourceName, path: '$', newValue: updatedAt })
  }
  for (const { advisory } of advisories) {
    const { advisory_id: id, withdrawn_at: withdrawn, updated_at: updated } = advisory
    const change = { category: 'advisory', provider: id, path: '$.advisory', newValue: withdrawn ?? updated } as const
    add(`Advisory ${id} ${withdrawn ? 'withdrawn' : 'updated'}`, change.newValue, change)
  }
  const { report_texts: reports, cvss, analysis } = parts
  for (const { report_type: type, model, created_at: newValue } of reports) {
    add(`Report ${type} written`, newValue, { category: 'svc_report', provider: model, path: '$.reports', newValue })
  }
  if (cvss.svc_assessment) {
    const { base_score, rescore_timestamp } = cvss.svc_assessment
    const change = { category: 'svc_metrics_analysis', provider: 'svc', path: '$.cvss.svc_assessment' } as const
    add('Scored by the service', rescore_timestamp, { ...change, newValue: String(base_score) })
  }
  if (analysis?.generated_at) {
    const provider = analysis.model ?? 'svc'
    const newValue = analysis.generated_at
    add('Analysed by the service', newValue, { category: 'svc_analysis', provider, path: '$.analysis', newValue })
  }
  return newestFirst(entries)
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
 * Returns the timeline of a record that replaces `previous`, newest first: by version, then by time.
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
      if (some.length > 0) entries.push(entryOf(row, titleOf(row, some), statedDate(some) ?? date, span, some))
    }
  }
  return newestFirst([...entries, ...previous.timeline])
}

/** Returns the date that KEV states for a new listing (rules 26, 29). */
function statedDate(changes: readonly BitConstraint[]): string | null {
  const added = changes.find(({ path, operation }) => path === '$.kev.date_added' && operation === 'add')
  return added ? startOfDay(added.newValue!) : null
}

/** Returns the newest date of the feeds behind these changes, or of the only changed feed if they are unknown. */
function enrichmentDate(
  row: CategoryRow,
  changes: readonly BitConstraint[],
  { feeds, otherwise }: ChangeDates,
): string {
  const feedsOf = ({ provider }: BitConstraint): readonly string[] => {
    const feed = row.feeds.length === 1 ? undefined : FEED_OF_SOURCE.get(provider)
    return feed === undefined ? row.feeds : [feed]
  }
  const dates = changes.flatMap(feedsOf).flatMap((feed) => feeds.get(feed) ?? [])
  if (dates.length === 0 && feeds.size === 1) dates.push(...feeds.values())
  return dates.sort().at(-1) ?? otherwise
}

function titleOf(row: CategoryRow, changes: readonly BitConstraint[]): string {
  for (const [path, newValue, title] of TITLES) {
    if (changes.some((change) => change.path === path && change.newValue === newValue)) return title
  }
  return TITLES_OF_ALL.find(([paths]) => changes.every(({ path }) => paths.test(path)))?.[1] ?? row.title
}

function entryOf(
  row: CategoryRow,
  title: string,
  changedAt: string | null,
  [from, to]: readonly [number, number],
  changes: readonly BitConstraint[],
): TimelineEntry {
  const count = (operation: BitConstraint['operation']) => changes.filter((one) => one.operation === operation).length
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

function headerOf(row: CategoryRow, title: string, changes: readonly BitConstraint[]): TimelineMessage {
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
function summaryOf({ subject, oldValue, newValue }: BitConstraint): string {
  const isTold = (value: string) => value.length <= TOLD_LENGTH && !/^[[{]/.test(value) && !subject.includes(value)
  if (oldValue === null) return isTold(newValue!) ? `${subject}: ${newValue}` : `${subject} added`
  if (newValue === null) return isTold(oldValue) ? `${subject} removed: ${oldValue}` : `${subject} removed`
  return isTold(oldValue) && isTold(newValue) ? `${subject}: ${oldValue} → ${newValue}` : `${subject} changed`
}

function messageOf(row: CategoryRow, change: BitConstraint): TimelineMessage {
  return {
    summary: cut(summaryOf(change)),
    category: row.category,
    provider: cut(change.provider),
    json_path: change.path,
    old_value: change.oldValue,
    new_value: change.newValue,
    operation: change.operation,
    change_type: row.change,
  }
}

function rowOf(category: BitConstraint['category']): CategoryRow {
  return CATEGORIES.find((row) => row.category === category)!
}

/**
 * Sorts by version first: feeds date some changes earlier than the previous version. The sort is stable, so ties keep
 * the order of the table.
 */
function newestFirst(entries: TimelineEntry[]): TimelineEntry[] {
  return entries.sort((a, b) => b.version_to - a.version_to || compareText(b.changed_at ?? '', a.changed_at ?? ''))
}
