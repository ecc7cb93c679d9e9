/** What one source states about one CVE, in the words of the model: adapters yield these and never merge them. */
import type { CveId } from './cve-id.ts'
import type { Advisory, AffectedEntry, Analysis, ExploitModule, ReferenceSource, Ssvc } from './record.ts'

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
   * headline (rule 29).
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
  /** First English description, else the first (rule 29). */
  description: string | null
  metrics: CvssClaim[]
  /** `cwe-<n>` in the order stated (rule 21). */
  weaknesses: string[]
  affected: AffectedEntry[]
  references: ReferenceClaim[]
  hasWorkaround: boolean
  /** The three SSVC points and when they were assessed. */
  ssvc: (Omit<Ssvc, 'decision'> & { assessedAt: string | null }) | null
  /** KEV as an ADP copies it: counts only where there is no KEV feed (rule 23). */
  kevDateAdded: string | null
}

/** Something odd in an upstream record that was kept, mended or left out: for the ingest report to count and name. */
export interface RecordNote {
  code:
    | 'cvss-in-other'
    | 'cvss-unreadable'
    | 'severity-differs-from-score'
    | 'date-impossible'
    | 'date-missing'
    | 'range-unreadable'
    // what the exploit feeds state
    | 'cve-id-mended'
    | 'cve-id-unreadable'
    | 'rank-unknown'
    | 'repository-unreadable'
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
  organizationTypes: string[]
  advisoriesUrl: string | null
}

/**
 * A security advisory on one or more CVEs, as the feed of linked advisories (GHSA) states it: what it claims about each
 * of them, and the record that `/cves/{id}/advisory` answers. `claim.source` is `advisory`, its name the advisory's id.
 */
export interface AdvisoryClaim {
  claim: CveClaim
  /** Without what only the corpus knows. */
  advisory: Omit<Advisory, 'cve_id' | 'cwe_names'>
  /** Whether somebody at the publisher looked at it: reviewed ones go before others (rule 29). */
  reviewed: boolean
}

/** A module of an exploit archive or framework. Feeds `exploitdb` and `metasploit`. */
export interface ExploitClaim {
  module: ExploitModule
  /** By year and number. */
  cveIds: CveId[]
}

export const DETECTION_LAYERS = ['network_ids', 'file_yara', 'scanner', 'siem'] as const
export type DetectionLayer = (typeof DETECTION_LAYERS)[number]

/** Content that detects a CVE: a scanner template (feed `nuclei`), or a rule of the operator's (feed `detections`). */
export interface DetectionClaim {
  layer: DetectionLayer
  /** As evidence names its source: `template_scanner`, or what the operator calls it. */
  source: string
  /** As evidence names its kind: `detection_template`, `detection_rule`. */
  evidenceType: string
  confidence: 'confirmed' | 'high' | 'medium' | 'low'
  url: string | null
  /** What it is called. */
  name: string | null
  /** ISO 8601 in UTC. */
  firstSeen: string | null
  lastSeen: string | null
}

/** Repositories that claim to hold a proof of concept for a CVE (feed `poc`). */
export interface PocClaim {
  repositories: {
    url: string
    /** `owner/name`. */
    name: string
    stars: number
    /** ISO 8601 in UTC. */
    createdAt: string | null
    pushedAt: string | null
  }[]
}

/** A report that the operator's service wrote about a CVE. */
export interface ReportClaim {
  id: string
  reportType: string
  model: string
  createdAt: string
  /** Drafts are kept in the corpus and never served. */
  final: boolean
  text: string
}

/** A kind of report: the name of its prompt, whether it is still produced, and the JSON Schema of its output. */
export interface ReportType {
  promptName: string
  enabled: boolean
  outputSchema: object | null
}

/** The operator's analysis of a CVE, and what it says is affected (source `svc_analysis`). */
export interface AnalysisClaim {
  analysis: Analysis
  affected: AffectedEntry[]
}
