/** What an ingest did, as plain data (`--json`) and as a text that is read in a minute. */
import type { CveId } from '../../corpus/model/cve-id.ts'
import type { FeedFileState, FeedSkips } from '../../corpus/store/state.ts'

export interface FeedReport {
  name: string
  title: string
  /** `unchanged`: the very files of the last ingest, whose figures these are. `absent`: no file; its data stays. */
  status: 'read' | 'unchanged' | 'absent'
  version: string | null
  date: string | null
  /** When the edition was published, by the newest of its files. */
  published: string | null
  files: FeedFileState[]
  /** `read` = `kept` + those skipped. */
  read: number
  kept: number
  added: number
  changed: number
  removed: number
  /** Skipped ones of which the corpus keeps what it had. */
  held: number
  skipped: FeedSkips[]
  /** Oddities in what the corpus holds that were kept, mended or left out, by kind. */
  notes: FeedSkips[]
  /** What is odd about the edition itself, for the operator to know: it was read all the same. */
  remarks: FeedRemark[]
}

export interface FeedRemark {
  code: 'edition-older' | 'date-differs-from-name' | 'days-apart'
  detail: string
}

export interface IngestReport {
  asOf: string | null
  /** The newest date that the CVE list states. */
  corpusDate: string | null
  feeds: FeedReport[]
  records: {
    total: number
    added: number
    changed: number
    removed: number
    /** How many were merged again, changed or not. */
    merged: number
  }
  rejected: number
  /** Ids that a feed knows and the CVE list does not: no records (decisions 10). */
  withoutRecord: { feed: string; cveIds: CveId[] }[]
  seconds: { stage: number; merge: number; total: number }
}

/** How many names a line of the text shows; `--json` has them all. */
const NAMES_SHOWN = 5

export function formatReport(report: IngestReport): string {
  const { records, withoutRecord, seconds } = report
  const lines = report.feeds.flatMap(feedLines)
  for (const { feed, cveIds } of withoutRecord) {
    if (cveIds.length > 0) lines.push(`${feed}: ${count(cveIds.length)} ids without a record: ${names(cveIds)}`)
  }
  const changes = `${count(records.added)} new, ${count(records.changed)} changed, ${count(records.removed)} removed`
  lines.push(
    `corpus of ${report.corpusDate ?? 'no date'}${report.asOf ? ` (as of ${report.asOf})` : ''}: ` +
      `${count(records.total)} records (${changes}), ${count(report.rejected)} rejected`,
    `${seconds.total.toFixed(1)} s (reading ${seconds.stage.toFixed(1)} s, merging ${seconds.merge.toFixed(1)} s)`,
  )
  return lines.join('\n')
}

function feedLines(feed: FeedReport): string[] {
  if (feed.status === 'absent') {
    return [`${feed.title}: absent${feed.kept > 0 ? `, ${count(feed.kept)} claims of earlier ingests stay` : ''}`]
  }
  const edition = [feed.version, feed.date].filter((part) => part !== null).join(', ') || 'undated'
  const skipped = feed.skipped.reduce((sum, { items }) => sum + items.length, 0)
  const changes = `${count(feed.added)} new, ${count(feed.changed)} changed, ${count(feed.removed)} removed`
  return [
    `${feed.title} (${edition}) from ${feed.files.map(({ path }) => path).join(', ')}`,
    `  ${count(feed.read)} read = ${count(feed.kept)} kept + ${count(skipped)} skipped; ` +
      (feed.status === 'unchanged' ? 'the same files as last time' : changes),
    ...feed.skipped.flatMap(({ reason, items }) => [
      `  skipped, ${reason}: ${count(items.length)}`,
      ...items.slice(0, NAMES_SHOWN).map(({ key, detail }) => `    ${key}: ${detail}`),
      ...(items.length > NAMES_SHOWN ? [`    and ${count(items.length - NAMES_SHOWN)} more (--json names all)`] : []),
    ]),
    ...(feed.held > 0 ? [`  of those skipped, ${count(feed.held)} stay as they were`] : []),
    ...feed.notes.map(
      ({ reason, items }) => `  noted, ${reason}: ${count(items.length)} (${names(items.map(({ key }) => key))})`,
    ),
    ...feed.remarks.map(({ code, detail }) => `  ${code}: ${detail}`),
  ]
}

function names(all: readonly string[]): string {
  const shown = all.slice(0, NAMES_SHOWN).join(', ')
  return all.length > NAMES_SHOWN ? `${shown} and ${count(all.length - NAMES_SHOWN)} more` : shown
}

/** `12,280`. */
function count(number: number): string {
  return number.toLocaleString('en-US')
}
