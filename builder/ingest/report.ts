/** What an ingest did, as plain data: `--json` prints it, `format-report.ts` makes text of it. */
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
  /** Days from `date` to the corpus date, negative if the feed is newer; null while either is unknown. */
  ageDays: number | null
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
  /** The corpus date of the last ingest; null in a new corpus. */
  previousCorpusDate: string | null
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
    /** Topics on which the sources of a CVE did not disagree at the last ingest. */
    disagreements: ({ cveId: CveId } & Disagreement)[]
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

/** Whether the corpus is as it was, and every feed that it has is here with the same files. */
export function isUnchanged({ feeds, changes }: IngestReport): boolean {
  return (
    feeds.every(({ status, kept }) => status === 'unchanged' || (status === 'absent' && kept === 0)) &&
    Object.values(changes).every((items) => items.length === 0)
  )
}
