/** The claims of one source about one CVE. Adapters produce claims and never merge them. */
import type { CveId } from './ids/cve-id.ts'
import type {
  Advisory,
  AffectedEntry,
  Analysis,
  ExploitModule,
  GuidanceEntry,
  ReferenceSource,
  Ssvc,
} from './record.ts'

/** A CVSS metric as its source states it. */
export interface CvssClaim {
  version: '2.0' | '3.0' | '3.1' | '4.0'
  baseScore: number
  /** Upper-case band as stated, or the band of the score if the source states none (2.0). */
  baseSeverity: string
  /** As stated. Empty if the source states only a score. */
  vector: string
  /** The time that the source states for this metric, ISO 8601 in UTC, or null. */
  statedAt: string | null
  /** The scorer, if NVD copies the score of another source. Such a metric never backs the headline (rule 29). */
  scoredBy: string | null
}

export interface ReferenceClaim {
  url: string
  name: string | null
  tags: string[]
}

/** The statement of one source about one CVE. */
export interface CveClaim {
  source: Exclude<ReferenceSource, 'osv'> | 'osv' | 'svc'
  /** Short name of the source: the CNA's, the ADP's (`CISA-ADP`), `nvd`, or an advisory's id. */
  sourceName: string
  /** An ADP that assesses its own downstream product (`x_adpType: supplier`). It is the last choice for a headline. */
  isSupplier?: true
  /** The container's date, ISO 8601 in UTC, or the record's date if the container has none. */
  updatedAt: string
  title: string | null
  /** The first English description, else the first one (rule 29). */
  description: string | null
  metrics: CvssClaim[]
  /** `cwe-<n>` in the order stated (rule 21). */
  weaknesses: string[]
  affected: AffectedEntry[]
  references: ReferenceClaim[]
  /** What a container of the CVE record advises. */
  guidance?: GuidanceClaim | null
  /** NVD's `vulnStatus`. */
  nvdStatus?: string | null
  /** The three SSVC points and the time of the assessment. */
  ssvc: (Omit<Ssvc, 'decision'> & { assessedAt: string | null }) | null
  /** KEV date copied by an ADP. It counts only without a KEV feed (rule 23). */
  kevDateAdded: string | null
}

export type GuidanceClaim = Omit<GuidanceEntry, 'source' | 'source_short_name'>

/** A defect in an upstream record that was kept, repaired or dropped. The ingest report counts and lists it. */
export interface RecordNote {
  code:
    | 'cvss-in-other'
    | 'cvss-unreadable'
    | 'cvss-score-computed'
    | 'cvss-vector-missing'
    | 'cvss-vector-misspelled'
    | 'ssvc-unreadable'
    | 'type-wrong'
    | 'field-unknown'
    | 'severity-differs-from-score'
    | 'date-impossible'
    | 'date-missing'
    | 'range-unreadable'
    | 'package-unreadable'
    | 'reference-no-url'
    // From the exploit feeds.
    | 'cve-id-mended'
    | 'cve-id-unreadable'
    | 'rank-unknown'
    | 'repository-unreadable'
  /** Position and value, short enough for one line of a report. */
  detail: string
}

/** A record of the CVE list: its metadata and the claims of its containers, CNA first. */
export interface CveListRecord {
  cveId: CveId
  state: 'PUBLISHED' | 'RESERVED' | 'REJECTED'
  datePublished: string | null
  dateUpdated: string | null
  dateRejected: string | null
  assigner: string | null
  /** Empty for rejected records and for reserved records without containers. */
  claims: CveClaim[]
  notes: RecordNote[]
  /** Only in a rejected record. */
  rejection?: Omit<Rejection, 'date'>
}

/** What the CVE list states about a rejection. */
export interface Rejection {
  /** ISO 8601 in UTC. */
  date: string | null
  reason: string | null
  /** CVEs that replace it. */
  replacedBy: CveId[]
}

/** An entry of a catalog of exploited vulnerabilities, such as CISA's. */
export interface KevEntry {
  cveId: CveId
  /** Name of the catalog: `cisa`, or another. */
  catalog: string
  dateAdded: string
  dueDate: string | null
  requiredAction: string | null
  /** Whether ransomware campaigns use it. */
  ransomware: 'known' | 'unknown' | null
  notes: string | null
  vendor: string | null
  product: string | null
  name: string | null
  description: string | null
}

/** A record in the OSV schema as published, and what it states about packages. */
export interface PublishedAdvisory {
  /** ISO 8601 in UTC. */
  modified: string | null
  /** JSON without white space outside of strings. */
  text: string
  /** `key` is the `packageKey`, unique in the record, `text` the JSON of a `PackageAdvisory`. */
  packages: { key: string; purl: string | null; text: string }[]
}

/** A line of the EPSS file. */
export interface EpssScore {
  cveId: CveId
  score: number
  percentile: number
}

/** A score of a past edition. */
export type PastEpssScore = Omit<EpssScore, 'percentile'> & { percentile: number | null }

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
 * A security advisory on one or more CVEs from the feed of linked advisories (GHSA). It contains the claim about each
 * CVE and the record that `/cves/{id}/advisory` returns. `claim.source` is `advisory`; `claim.sourceName` is the
 * advisory's id.
 */
export interface AdvisoryClaim {
  claim: CveClaim
  /** Without the fields that the corpus adds. */
  advisory: Omit<Advisory, 'cve_id' | 'cwe_names'>
  /** Whether the publisher reviewed it. Reviewed advisories precede others (rule 29). */
  reviewed: boolean
}

/** A module of an exploit archive or framework (feeds `exploitdb` and `metasploit`). */
export interface ExploitClaim {
  module: ExploitModule
  /** Sorted by year and number. */
  cveIds: CveId[]
}

export const DETECTION_LAYERS = ['network_ids', 'file_yara', 'scanner', 'siem'] as const
export type DetectionLayer = (typeof DETECTION_LAYERS)[number]

/** Detection content for a CVE: a scanner template (feed `nuclei`) or a rule of the operator (feed `detections`). */
export interface DetectionClaim {
  layer: DetectionLayer
  /** Source name in evidence: `template_scanner`, or the operator's own name. */
  source: string
  /** Evidence type: `detection_template`, `detection_rule`. */
  evidenceType: string
  confidence: 'confirmed' | 'high' | 'medium' | 'low'
  url: string | null
  name: string | null
  /** ISO 8601 in UTC, as is `lastSeen`. */
  firstSeen: string | null
  lastSeen: string | null
}

/** Repositories that claim to contain a proof of concept for a CVE (feed `poc`). */
export interface PocClaim {
  repositories: {
    url: string
    /** `owner/name`. */
    name: string
    stars: number
    /** ISO 8601 in UTC, as is `pushedAt`. */
    createdAt: string | null
    pushedAt: string | null
  }[]
}

/** A report of the operator's service about a CVE. */
export interface ReportClaim {
  id: string
  reportType: string
  model: string
  createdAt: string
  /** Drafts stay in the corpus and are never served. */
  final: boolean
  text: string
}

/** A report type: its prompt name, whether it is still produced, and the JSON Schema of its output. */
export interface ReportType {
  promptName: string
  enabled: boolean
  outputSchema: object | null
}

/** The operator's analysis of a CVE and its affected entries (source `svc_analysis`). */
export interface AnalysisClaim {
  analysis: Analysis
  affected: AffectedEntry[]
}
