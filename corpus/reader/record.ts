/** The types of a reader's results: rows of lists and records of CVEs, as in the API. */
import type {
  AffectedEntry,
  Analysis,
  CveCore,
  CvssSection,
  EvidenceItem,
  ExploitModule,
  GuidanceSection,
  KevCatalogEntry,
  Reference,
  TimelineEntry,
} from '../model/record.ts'
import type { Deadline } from '../model/scores/deadline.ts'
import type { ChangeFacts, RecordChange, SECTIONS, Section, SnapshotSummary } from '../snapshot/index.ts'

/** The EPSS score of a row. All fields are null if there is none. */
export interface EpssScore {
  score: number | null
  percentile: number | null
  /** `YYYY-MM-DD`. */
  date: string | null
}

/** A row of a list. It is also the core of every record. */
export interface CveSummary extends CveCore {
  epss: EpssScore
}

export interface EpssDetail {
  current: { date: string; epss_score: number; percentile: number; model_version: string } | null
}

export interface KevDetail {
  listed: boolean
  date_added: string | null
  /** One for each catalog that lists the CVE, CISA's first. */
  catalogs: KevCatalogEntry[]
  deadline: Deadline
}

/** The type of each section, by its name in a record. */
export interface CveSections {
  cvss: CvssSection
  epss_detail: EpssDetail
  affected: AffectedEntry[]
  references: Reference[]
  exploits: ExploitModule[]
  evidence: EvidenceItem[]
  timeline: TimelineEntry[]
  analysis: Analysis | null
  guidance: GuidanceSection
  kev_detail: KevDetail
}

/** The record of a CVE with the sections `S`. */
export type CveDetail<S extends Section = Section> = CveSummary & Pick<CveSections, (typeof SECTIONS)[S]>

export interface Pagination {
  limit: number
  /** Continues after the last row, at a reader or a gateway of the same snapshot. Null on the last page. */
  next_cursor: string | null
}

/** A page of a list. */
export interface CvePage {
  data: CveSummary[]
  pagination: Pagination
}

/** An advisory in the OSV schema (1.3 to 1.7), as its publisher states it. */
export interface OsvRecord {
  id: string
  modified: string
  published?: string
  /** The record matches no version. */
  withdrawn?: string
  aliases?: string[]
  upstream?: string[]
  related?: string[]
  summary?: string
  details?: string
  severity?: { type: string; score: string }[]
  affected?: OsvAffected[]
  references?: { type: string; url: string }[]
  [key: string]: unknown
}

export interface OsvAffected {
  package?: { ecosystem: string; name: string; purl?: string }
  ranges?: { type: string; events: Record<string, string>[]; [key: string]: unknown }[]
  versions?: string[]
  [key: string]: unknown
}

/** The answer of `/changes`. */
export interface ChangePage {
  /** Full id of the snapshot that `since` selected. */
  since: string
  /** Id of the snapshot that is compared with `since`. */
  snapshot: string
  /** With facts, if `include` asks for them. */
  data: (RecordChange & Partial<ChangeFacts>)[]
  pagination: Pagination
}

/** The answer of `/snapshots`. */
export interface SnapshotPage {
  /** `retained`: cursors of the snapshot continue in it. */
  data: (SnapshotSummary & { retained: boolean })[]
  pagination: Pagination
}
