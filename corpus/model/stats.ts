/** The figures of a snapshot (gateway/API.md, section 32; rule 25). Counts, dates, ids and names; no prose. */
import type { LastUpdate } from './last-update.ts'

/** CVEs by severity. `unscored` have none. */
export interface SeverityCounts {
  critical: number
  high: number
  medium: number
  low: number
  none: number
  unscored: number
}

/** `id` is that of the entry's list: `cwe-79`, or a slug. */
export interface TopEntry {
  id: string
  name: string
  cve_count: number
  /** The CVEs among them that KEV lists. */
  kev_count: number
}

/** At most 20 entries each, the one with the most CVEs first. */
export interface TopEntries {
  all_time: TopEntry[]
  last_year: TopEntry[]
}

export interface CnaScores {
  slug: string
  cna_name: string
  total_cves: number
  /** Records that have no CVSS score of the CNA itself. */
  without_cna_cvss: number
  /** The same for the records of the last year. */
  recent_cves: number
  recent_without_cna_cvss: number
}

/** What the last days brought, up to the day of the corpus date. */
export interface RecentFigures {
  /** Length of the period: 1, 7 or 30 days. */
  days: number
  /** First and last day, both included. */
  since: string
  until: string
  /** CVEs published, by severity. */
  published: SeverityCounts
  /** CVEs that KEV added. */
  kev_added: number
  /** Exploit modules published. */
  exploits: number
}

export interface Stats {
  corpus_date: string | null
  epss_date: string | null
  /** Null if no ingest changed an existing corpus. */
  last_update: LastUpdate | null
  /** 1, 7 and 30 days. Empty without a corpus date. */
  recent: RecentFigures[]
  totals: { cves: number; kev: number; has_exploit: number; has_patch: number; severity: SeverityCounts }
  /** Months (`YYYY-MM`) of publication that have CVEs, ascending. */
  published_by_month: ({ month: string } & SeverityCounts)[]
  /** Months of KEV listing that have CVEs, ascending. */
  kev_by_month: { month: string; cves: number }[]
  epss_by_cvss: {
    /** The lower bound of each band. The last band includes 1 and 10. */
    epss_from: number[]
    cvss_from: number[]
    /** CVEs with both scores: a row for each EPSS band, in it a number for each CVSS band. */
    counts: number[][]
    /** CVEs that lack one of the scores. */
    without_scores: number
    /** CVEs with a CVSS score of at least 9 and the highest EPSS scores, at most 10. */
    highest: { cve_id: string; cvss_score: number; epss: number }[]
  }
  /** First moment of the last year, the 365 days before the corpus date. Null without a corpus date. */
  last_year_since: string | null
  weaknesses: TopEntries
  vendors: TopEntries
  cnas: TopEntries
  /** CNAs with at least 20 records, the one with the most records first. At most 1,000. */
  cna_scores: CnaScores[]
}
