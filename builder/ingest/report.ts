/** What an ingest did, as plain data (`--json`) and as a text that is read in a minute. */
import type { CveId } from '../../corpus/model/cve-id.ts'
import type { Severity } from '../../corpus/model/record.ts'
import type { Disagreement, DisagreementTopic, ScoreMismatch } from '../../corpus/model/review.ts'
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
  /** `read` = `kept` + those skipped; of an absent feed `kept` is what the corpus has, and nothing was read. */
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
  code: 'edition-older' | 'edition-undated' | 'date-differs-from-name' | 'days-apart'
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
  /** What is new about them, by name. */
  changes: {
    added: CveId[]
    /** Also where only the order of a list changed, which is no new version. */
    changed: CveId[]
    /** Records that are none any more: rejected ones, and those that the list does not have any more. */
    removed: CveId[]
    /** Also of ids that never were a record. */
    rejected: CveId[]
    kevAdded: CveId[]
    /** Also of records that are none any more. */
    kevRemoved: CveId[]
    /** Records that were there before and whose score moved across a band, came or went. */
    severity: { cveId: CveId; from: Severity | null; to: Severity | null }[]
  }
  /** How many ids the list has as rejected. */
  rejected: number
  /** Ids that a feed knows and the CVE list does not: no records (rule 10). */
  withoutRecord: { feed: string; cveIds: CveId[] }[]
  /** The CVSS scores of all claims on the records, compared with their own vectors (rule 18). */
  scores: {
    compared: number
    /** Vectors that lack base metrics. */
    unreadable: number
    mismatches: ({ cveId: CveId } & ScoreMismatch)[]
  }
  /** Records whose sources contradict each other, by what they do so about. */
  disagreements: { about: DisagreementTopic; items: { cveId: CveId; claims: Disagreement['claims'] }[] }[]
  seconds: { stage: number; merge: number; total: number }
}

/** How many names a line of the text shows; `--json` has them all. */
const NAMES_SHOWN = 5

export function formatReport(report: IngestReport): string {
  const { records, changes, withoutRecord, seconds } = report
  const lines = report.feeds.flatMap(feedLines)
  for (const { feed, cveIds } of withoutRecord) {
    if (cveIds.length > 0) lines.push(`${feed}: ${count(cveIds.length)} ids without a record: ${names(cveIds)}`)
  }
  const sums = `${count(records.added)} new, ${count(records.changed)} changed, ${count(records.removed)} removed`
  lines.push(
    `corpus of ${report.corpusDate ?? 'no date'}${report.asOf ? ` (as of ${report.asOf})` : ''}: ` +
      `${count(records.total)} records (${sums}), ${count(report.rejected)} rejected`,
    ...named('new', changes.added),
    ...named('changed', changes.changed),
    ...named('removed', changes.removed),
    ...named('newly rejected', changes.rejected),
    ...named('added to KEV', changes.kevAdded),
    ...named('removed from KEV', changes.kevRemoved),
    ...named(
      'severity moved',
      changes.severity,
      ({ cveId, from, to }) => `${cveId} ${from ?? 'unscored'} → ${to ?? 'unscored'}`,
    ),
    ...oddities(report),
    `${seconds.total.toFixed(1)} s (reading ${seconds.stage.toFixed(1)} s, merging ${seconds.merge.toFixed(1)} s)`,
  )
  return lines.join('\n')
}

/** What the sources state that cannot all be right, over the whole corpus. */
function oddities({ scores, disagreements }: IngestReport): string[] {
  const { compared, unreadable, mismatches } = scores
  const sums = `${count(compared)} scores compared with their vectors, ${count(unreadable)} vectors unreadable`
  return [
    `  ${sums}`,
    ...named(
      'scores that differ from their vectors',
      mismatches,
      ({ cveId, by, version, stated, computed }) => `${cveId} ${by} ${version} ${stated}, vector ${computed}`,
    ),
    ...disagreements.flatMap(({ about, items }) =>
      named(
        `sources disagree on ${about}`,
        items,
        ({ cveId, claims }) => `${cveId} ${claims.map(({ by, states }) => `${by}: ${states}`).join(', ')}`,
      ),
    ),
  ]
}

function named(what: string, cveIds: readonly CveId[]): string[]
function named<Item>(what: string, all: readonly Item[], show: (item: Item) => string): string[]
function named<Item>(what: string, all: readonly Item[], show?: (item: Item) => string): string[] {
  if (all.length === 0) return []
  const shown = all.slice(0, NAMES_SHOWN)
  return [`  ${what}: ${count(all.length)} (${names(show ? shown.map(show) : shown.map(String), all.length)})`]
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
      ...items.slice(0, NAMES_SHOWN).map(({ key, detail }) => `    ${oneLine(key)}: ${oneLine(detail)}`),
      ...(items.length > NAMES_SHOWN ? [`    and ${count(items.length - NAMES_SHOWN)} more (--json names all)`] : []),
    ]),
    ...(feed.held > 0 ? [`  of those skipped, ${count(feed.held)} stay as they were`] : []),
    ...feed.notes.map(
      ({ reason, items }) => `  noted, ${reason}: ${count(items.length)} (${names(items.map(({ key }) => key))})`,
    ),
    ...feed.remarks.map(({ code, detail }) => `  ${code}: ${oneLine(detail)}`),
  ]
}

/** The first of `total` texts, those with blanks apart by `;`. */
function names(first: readonly string[], total = first.length): string {
  const shown = first.slice(0, NAMES_SHOWN).map(oneLine)
  const list = shown.join(shown.some((one) => one.includes(' ')) ? '; ' : ', ')
  return total > NAMES_SHOWN ? `${list} and ${count(total - NAMES_SHOWN)} more` : list
}

/** What a feed stated must not look like a line of the report. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ')
}

/** `12,280`. */
function count(number: number): string {
  return number.toLocaleString('en-US')
}
