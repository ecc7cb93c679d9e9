/** The report of an ingest as plain data. `--json` prints it; `format-report.ts` formats it. */
import type { Facet } from '../../corpus/feeds/facets.ts'
import type { CveId } from '../../corpus/model/ids/cve-id.ts'
import type { Severity } from '../../corpus/model/record.ts'
import type { Disagreement, DisagreementTopic, ScoreMismatch } from '../../corpus/model/review.ts'
import type { FeedFileState, FeedSkips } from '../../corpus/store/state.ts'

export interface FeedReport {
  name: string
  title: string
  /** `unchanged` repeats the last ingest's counts. `absent` and `kept` keep the corpus's data: without a file, or not taking it. */
  status: 'read' | 'unchanged' | 'absent' | 'kept'
  version: string | null
  date: string | null
  /** Days from the feed's date to the corpus date: negative if the feed is newer, null if a date is unknown. */
  ageDays: number | null
  /** Date of its newest file. */
  published: string | null
  files: FeedFileState[]
  /** `read` = `kept` + skipped. For an absent feed, `read` is 0 and `kept` counts the corpus's records. */
  read: number
  kept: number
  added: number
  changed: number
  removed: number
  /** Skipped items that keep their previous data. */
  held: number
  /** Items of files that are missing or not taken. They keep their previous data. */
  retained: number
  skipped: FeedSkips[]
  /** Oddities of items that were kept, repaired or omitted. */
  notes: FeedSkips[]
  /** What rewritten records stated before and no longer state. */
  lostFacets: FacetLoss[]
  /** Records with a value that cannot be read. */
  unreadable: UnreadableCounts
  /** Oddities of the edition itself. */
  remarks: FeedRemark[]
}

export interface FacetLoss {
  facet: Facet
  /** The corpus's records that state it, and those among them that were rewritten. */
  had: number
  rewritten: number
  /** Rewritten records that no longer state it, and one of them. */
  lost: number
  example: string
}

export interface UnreadableCounts {
  before: number
  now: number
  /** Records that are new or changed, and those among them with such a value. */
  read: number
  unreadable: number
  example: string | null
}

export interface FeedRemark {
  code:
    | 'edition-older'
    | 'edition-kept'
    | 'edition-ahead'
    | 'edition-undated'
    | 'file-unusable'
    | 'file-missing'
    | 'edition-unusable'
    | 'edition-lines'
    | 'date-differs-from-name'
    | 'days-apart'
  detail: string
}

/** The EPSS history after the ingest. */
export interface HistoryReport {
  /** Editions that this ingest read, and all that the corpus has. */
  read: number
  editions: number
  first: string | null
  last: string | null
  /** Scores that differ from the edition before. */
  points: number
}

export interface IngestReport {
  asOf: string | null
  /** The newest date that the CVE list states. */
  corpusDate: string | null
  /** Null in a new corpus. */
  previousCorpusDate: string | null
  feeds: FeedReport[]
  records: {
    total: number
    added: number
    changed: number
    removed: number
    /** Includes unchanged ones. */
    merged: number
  }
  changes: {
    added: CveId[]
    /** Includes new list orders, which make no new version. */
    changed: CveId[]
    /** Now rejected, or missing in the list. */
    removed: CveId[]
    /** Includes ids that never had a record. */
    rejected: CveId[]
    kevAdded: CveId[]
    /** Includes former records. */
    kevRemoved: CveId[]
    /** Existing records with a changed, new or removed severity. */
    severity: { cveId: CveId; from: Severity | null; to: Severity | null }[]
    /** New contradictions since the last ingest. */
    disagreements: ({ cveId: CveId } & Disagreement)[]
  }
  epssHistory: HistoryReport
  rejected: number
  /**
   * Records in the OSV schema, each id once. `withoutCve` make no claim on a CVE: they name none, or they are withdrawn
   * entries of OSV.
   */
  advisories: { total: number; withoutCve: number }
  /** Ids in a feed but not in the CVE list; they get no record (rule 10). */
  withoutRecord: { feed: string; cveIds: CveId[] }[]
  /** CVSS scores of all claims, compared with their own vectors (rule 18). */
  scores: {
    compared: number
    /** Vectors that lack base metrics. */
    unreadable: number
    mismatches: ({ cveId: CveId } & ScoreMismatch)[]
  }
  disagreements: { about: DisagreementTopic; items: { cveId: CveId; claims: Disagreement['claims'] }[] }[]
  seconds: { stage: number; merge: number; total: number }
}

/** Returns whether nothing changed and every feed is present with the same files. */
export function isUnchanged({ feeds, changes, epssHistory }: IngestReport): boolean {
  return (
    epssHistory.read === 0 &&
    feeds.every(({ status, kept }) => status === 'unchanged' || (status === 'absent' && kept === 0)) &&
    Object.values(changes).every((items) => items.length === 0)
  )
}
