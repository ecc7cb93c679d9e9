/** The merged record of a CVE by part, in the shapes of the API (gateway/API.md, sections 8 to 16). */
import type { CveId } from './ids/cve-id.ts'
import { keysOf } from './values/closed-set.ts'

/** Severity bands, lowest first. */
export const SEVERITIES = ['none', 'low', 'medium', 'high', 'critical'] as const
export type Severity = (typeof SEVERITIES)[number]
export type RecordState = 'PUBLISHED' | 'RESERVED'

export interface Ssvc {
  exploitation: 'none' | 'poc' | 'active' | null
  automatable: 'yes' | 'no' | null
  technical_impact: 'partial' | 'total' | null
  decision: 'track' | 'track*' | 'attend' | 'act' | null
}

/** The CVE summary record without `epss`. EPSS changes every day and is joined when a record is served. */
export interface CveCore {
  cve_id: CveId
  state: RecordState
  title: string | null
  description: string | null
  severity: Severity | null
  cvss_score: number | null
  cvss_score_source: string | null
  date_published: string | null
  date_updated: string | null
  assigner: string | null
  kev: { listed: boolean; date_added: string | null }
  ssvc: Ssvc
  has_patch: boolean
  has_workaround: boolean
  has_exploit: boolean
  has_detection: boolean
  detection_layers: string[]
  primary_cwe_id: string | null
}

/** What one catalog of exploited vulnerabilities states about a CVE. Null where it states nothing. */
export interface KevCatalogEntry {
  /** Name of the catalog: `cisa`, or another. */
  catalog: string
  date_added: string | null
  due_date: string | null
  required_action: string | null
  ransomware: 'known' | 'unknown' | null
  notes: string | null
  vendor_project: string | null
  product: string | null
  vulnerability_name: string | null
  short_description: string | null
}

export interface CvssMetric {
  source_type: 'svc' | 'cna' | 'adp' | 'nvd' | 'advisory'
  source_short_name: string
  cvss_version: string
  base_score: number
  base_severity: string
  vector_string: string
  is_primary: boolean
  captured_at: string
}

export interface SvcAssessment {
  base_score: number
  base_severity: string
  vector_string: string
  rescore_timestamp: string
}

export interface CvssSection {
  metrics: CvssMetric[]
  svc_assessment: SvcAssessment | null
}

export type AffectedSource = 'cna' | 'adp' | 'advisory' | 'osv' | 'nvd' | 'svc_analysis'

export interface AffectedRange {
  introduced: string | null
  fixed: string | null
  version_type: string | null
  last_affected?: string
}

export interface AffectedEntry {
  source: AffectedSource
  vendor: string | null
  product: string | null
  package_name: string | null
  ecosystem: string | null
  platforms: string[] | null
  default_status: string | null
  affected_versions: string[] | null
  affected_ranges: AffectedRange[] | null
  patched_versions: string[] | null
  cpes: string[] | null
  repo_url: string | null
  collection_url: string | null
  package_url: string | null
  vulnerable_functions: null
  advisory_severity: null
  advisory_urgency: null
  advisory_description: null
  updated_at: string
}

export type ReferenceSource = 'cna' | 'adp' | 'nvd' | 'advisory' | 'osv'

export interface Reference {
  url: string
  name: string | null
  tags: string[]
  sources: ReferenceSource[]
}

/** What CNA and ADPs advise, and how far NVD's analysis is. */
export interface GuidanceSection {
  /** NVD's `vulnStatus`, such as `Analyzed` or `Deferred`. Null without a record of NVD. */
  nvd_status: string | null
  /** One for each container that advises anything: the CNA's, then those of ADPs. */
  entries: GuidanceEntry[]
}

/** The guidance of one container of the CVE record. Texts are English, or all if none is. */
export interface GuidanceEntry {
  source: 'cna' | 'adp'
  source_short_name: string
  date_public: string | null
  /** As stated: `disputed`, `unsupported-when-assigned`, `exclusively-hosted-service`, or `x_…`. */
  tags: string[]
  workarounds: string[]
  solutions: string[]
  configurations: string[]
  exploits: string[]
  /** `capec_id` is `CAPEC-66`. */
  impacts: { capec_id: string | null; description: string | null }[]
  credits: { name: string; type: string | null }[]
  /** In the order stated. */
  timeline: { time: string | null; text: string }[]
}

/** Tags of the CVE record format (`containers.cna.tags`) by which lists can be filtered. */
export const RECORD_TAGS = ['disputed', 'unsupported-when-assigned', 'exclusively-hosted-service'] as const
export type RecordTag = (typeof RECORD_TAGS)[number]

export interface EvidenceItem {
  type: 'exploitation' | 'detection' | 'mitigation'
  source: string
  evidence_type: string
  confidence: 'confirmed' | 'high' | 'medium' | 'low' | null
  evidence_url: string | null
  maturity_rank: number | null
  fixed_version: string | null
  ecosystem: string | null
  product: string | null
  explanation: string | null
  first_seen: string | null
  last_seen: string | null
}

export interface TimelineMessage {
  summary: string
  category: string
  provider: string
  json_path: string
  old_value: string | null
  new_value: string | null
  operation: string
  change_type: string
}

export interface TimelineEntry {
  title: string
  category: string | null
  version_from: number
  version_to: number
  changed_at: string | null
  added_count: number
  modified_count: number
  removed_count: number
  messages: TimelineMessage[]
}

export interface ExploitModule {
  source: 'exploit_archive' | 'exploit_framework'
  source_id: string
  name: string | null
  description: string | null
  authors: string[] | null
  platform: string[] | null
  date_published: string | null
  source_url: string | null
  module_type: string | null
  module_class: string | null
  verified: boolean | null
  exploit_rank: string | null
}

export interface Analysis {
  summary: string | null
  root_cause: string | null
  impact: string | null
  attack_vector: string | null
  remediation: string | null
  weaknesses: string[]
  model: string | null
  generated_at: string | null
}

/** The response of `/cves/{id}/advisory` without `epss`, which is joined when it is served. */
export interface Advisory {
  /** `GHSA-xxxx-xxxx-xxxx`. */
  advisory_id: string
  cve_id: CveId
  html_url: string
  summary: string
  /** Markdown. */
  description: string
  /** Lower case: `low`, `medium`, `high`, `critical`, `unknown`. */
  severity: string
  cvss_v3: AdvisoryScore
  cvss_v4: AdvisoryScore
  /** `CWE-79`. */
  cwe_ids: string[]
  /** Names by id, for the ids in the catalog. */
  cwe_names: Record<string, string>
  source_repo_url: string | null
  published_at: string
  updated_at: string
  reviewed_at: string | null
  withdrawn_at: string | null
  references: string[]
  affected_packages: AffectedPackage[]
  credits: { type: string; login: string; html_url: string }[]
}

export interface AdvisoryScore {
  vector: string | null
  score: number | null
}

export interface AffectedPackage {
  ecosystem: string
  name: string
  /** In GitHub's notation: `>= 1.0.0, < 1.2.3`. */
  vulnerable_version_range: string
  first_patched_version: string | null
}

/** A report in the list of a CVE's reports, with an excerpt of its text. */
export interface ReportSummary {
  /** UUID. */
  id: string
  /** `prompt_name` of a report type. */
  report_type: string
  model: string
  created_at: string
  /** Length of the complete text in code points. */
  char_count: number
  excerpt: string
}

/** A report with its complete text. */
export type Report = Omit<ReportSummary, 'excerpt'> & { report_text: string }

/** Data for lists and filters that `core` does not contain. Never part of an answer. */
export interface Facets {
  /** All weaknesses that any source maps the CVE to: `cwe-<n>`, sorted by number (rule 21, `scope=any`). */
  weaknesses: string[]
  /** Vendor and product keys from the claims of CNA, ADP and NVD (rule 27), unique, sorted by code points. */
  products: NamedProduct[]
  /** Completeness of the CNA's claim, 0 to 100 (rule 25). */
  completeness: number
  /** Tags of the CNA, in the order of `RECORD_TAGS`. */
  tags: RecordTag[]
  /** Who can attack, by the primary CVSS metric: `AV:N/PR:N/UI:R` of its vector. Empty without a vector. */
  exposure: string
}

/** Keys of a vendor and product, with the display names of the first claim that names them. */
export interface NamedProduct {
  vendor: string
  product: string | null
  vendor_display: string
  product_display: string | null
}

/** EPSS of one CVE. Scores are 0 to 1; `date` is the day of the computation. */
export interface Epss {
  score: number
  percentile: number
  date: string
  model_version: string
}

/** The parts of a record in the order of the snapshot format. */
export interface RecordParts {
  core: CveCore
  cvss: CvssSection
  affected: AffectedEntry[]
  references: Reference[]
  exploits: ExploitModule[]
  evidence: EvidenceItem[]
  timeline: TimelineEntry[]
  analysis: Analysis | null
  guidance: GuidanceSection
  /** One for each catalog that lists the CVE, CISA's first. */
  kev: KevCatalogEntry[]
  advisory: Advisory | null
  /** The latest final report of each type, newest first. `report_texts` adds the complete texts. */
  reports: ReportSummary[]
  report_texts: Report[]
  facets: Facets
}

export type PartName = keyof RecordParts

export const PART_NAMES = keysOf<RecordParts>({
  core: true,
  cvss: true,
  affected: true,
  references: true,
  exploits: true,
  evidence: true,
  timeline: true,
  analysis: true,
  guidance: true,
  kev: true,
  advisory: true,
  reports: true,
  report_texts: true,
  facets: true,
})
