/** The report of an ingest as plain data. `--json` prints it; `format-report.ts` formats it. */
import type { CveId } from '../../corpus/model/cve-id.ts'
import type { Severity } from '../../corpus/model/record.ts'
import type { Disagreement, DisagreementTopic, ScoreMismatch } from '../../corpus/model/review.ts'
import type { FeedFileState, FeedSkips } from '../../corpus/store/state.ts'

export interface FeedReport {
  name: string
  title: string
  /**
   * `unchanged`: the same files as at the last ingest, and its counts. `absent`: no file; the corpus keeps its data.
   */
  status: 'read' | 'unchanged' | 'absent'
  version: string | null
  date: string | null
  /** Days from `date` to the corpus date, negative if the feed is newer; null while either is unknown. */
  ageDays: number | null
  /** When the edition was published, by the newest of its files. */
  published: string | null
  files: FeedFileState[]
  /** `read` = `kept` + skipped. For an absent feed, `read` is 0 and `kept` counts the corpus's records. */
  read: number
  kept: number
  added: number
  changed: number
  removed: number
  /** Skipped items for which the corpus keeps its previous data. */
  held: number
  skipped: FeedSkips[]
  /** Oddities of items in the corpus that were kept, repaired or omitted, by kind. */
  notes: FeedSkips[]
  /** Oddities of the edition itself; it was read anyway. */
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
    /** Records that were merged again, changed or not. */
    merged: number
  }
  /** The changes since the last ingest. */
  changes: {
    added: CveId[]
    /** Includes records with only a new list order, which is no new version. */
    changed: CveId[]
    /** Former records that are now rejected, or missing in the list. */
    removed: CveId[]
    /** Includes ids that never had a record. */
    rejected: CveId[]
    kevAdded: CveId[]
    /** Includes former records. */
    kevRemoved: CveId[]
    /** Existing records whose severity changed, appeared or disappeared. */
    severity: { cveId: CveId; from: Severity | null; to: Severity | null }[]
    /** Topics on which a CVE's sources did not disagree at the last ingest. */
    disagreements: ({ cveId: CveId } & Disagreement)[]
  }
  /** Number of rejected ids in the list. */
  rejected: number
  /** Ids in a feed but not in the CVE list; they get no record (rule 10). */
  withoutRecord: { feed: string; cveIds: CveId[] }[]
  /** CVSS scores of all claims, compared with their own vectors (rule 18). */
  scores: {
    compared: number
    /** Vectors that lack base metrics. */
    unreadable: number
    mismatches: ({ cveId: CveId } & ScoreMismatch)[]
  }
  /** Records with contradicting sources, by topic. */
  disagreements: { about: DisagreementTopic; items: { cveId: CveId; claims: Disagreement['claims'] }[] }[]
  seconds: { stage: number; merge: number; total: number }
}

/** Returns whether the corpus is unchanged, and every feed in it is present with the same files. */
export function isUnchanged({ feeds, changes }: IngestReport): boolean {
  return (
    feeds.every(({ status, kept }) => status === 'unchanged' || (status === 'absent' && kept === 0)) &&
    Object.values(changes).every((items) => items.length === 0)
  )
}
