/** What one source states about one CVE, in the words of the model: adapters yield these and never merge them. */
import type { CveId } from './cve-id.ts'
import type { AffectedEntry, ReferenceSource, Ssvc } from './record.ts'

/** A CVSS metric as its source states it. */
export interface CvssClaim {
  version: '2.0' | '3.0' | '3.1' | '4.0'
  baseScore: number
  /** Upper-case band as stated, or the band of the score where the source states none (2.0). */
  baseSeverity: string
  vector: string
  /** The time the source states for this metric, ISO 8601 in UTC, or null. */
  statedAt: string | null
  /**
   * Who scored, where it is not the claim's own source: NVD carries scores of others. Such a metric never backs the
   * headline (decisions 29).
   */
  scoredBy: string | null
}

export interface ReferenceClaim {
  url: string
  name: string | null
  tags: string[]
}

/** One source's statement about one CVE. */
export interface CveClaim {
  source: Exclude<ReferenceSource, 'osv'> | 'osv' | 'svc'
  /** Short name of who states it: the CNA's, the ADP's (`CISA-ADP`), `nvd`, an advisory's id. */
  sourceName: string
  /** The container's own date, ISO 8601 in UTC; the record's where it has none. */
  updatedAt: string
  title: string | null
  /** First English description, else the first (decisions 29). */
  description: string | null
  metrics: CvssClaim[]
  /** `cwe-<n>` in the order stated (decisions 21). */
  weaknesses: string[]
  affected: AffectedEntry[]
  references: ReferenceClaim[]
  hasWorkaround: boolean
  /** The three SSVC points and when they were assessed. */
  ssvc: (Omit<Ssvc, 'decision'> & { assessedAt: string | null }) | null
  /** KEV as an ADP copies it: counts only where there is no KEV feed (decisions 23). */
  kevDateAdded: string | null
}

/** Something odd in an upstream record that was kept, mended or left out: for the ingest report to count and name. */
export interface RecordNote {
  code: 'cvss-in-other' | 'cvss-unreadable' | 'severity-differs-from-score' | 'date-impossible' | 'date-missing'
  /** Where it is and what it says, short enough for a line of a report. */
  detail: string
}

/** A record of the CVE list: its metadata and the statement of each of its containers, CNA first. */
export interface CveListRecord {
  cveId: CveId
  state: 'PUBLISHED' | 'RESERVED' | 'REJECTED'
  datePublished: string | null
  dateUpdated: string | null
  dateRejected: string | null
  assigner: string | null
  /** Empty for rejected records, and for reserved ones without containers. */
  claims: CveClaim[]
  notes: RecordNote[]
}

/** An entry of CISA's catalogue of known exploited vulnerabilities. */
export interface KevEntry {
  cveId: CveId
  dateAdded: string
  vendor: string
  product: string
  name: string
  /** `Known` or `Unknown`. */
  ransomware: string | null
  notes: string | null
}

/** A line of the EPSS file. */
export interface EpssScore {
  cveId: CveId
  score: number
  percentile: number
}

/** An entry of the CNA list. */
export interface CnaEntry {
  slug: string
  shortName: string
  name: string
  scope: string | null
  country: string | null
  organizationType: string | null
  advisoriesUrl: string | null
}
