/** What a reader gives: the rows of lists and the records of CVEs, as the API answers them. */
import type {
  AffectedEntry,
  Analysis,
  CveCore,
  CvssSection,
  EvidenceItem,
  ExploitModule,
  Reference,
  TimelineEntry,
} from '../model/record.ts'
import type { SECTIONS, Section } from '../snapshot/cve-pieces.ts'

/** The EPSS score of a row; all null where there is none. */
export interface EpssScore {
  score: number | null
  percentile: number | null
  /** `YYYY-MM-DD`. */
  date: string | null
}

/** A row of a list, and the core of every record. */
export interface CveSummary extends CveCore {
  epss: EpssScore
}

export interface EpssDetail {
  current: { date: string; epss_score: number; percentile: number; model_version: string } | null
}

/** What each section holds, by its name in a record. */
export interface CveSections {
  cvss: CvssSection
  epss_detail: EpssDetail
  affected: AffectedEntry[]
  references: Reference[]
  exploits: ExploitModule[]
  evidence: EvidenceItem[]
  timeline: TimelineEntry[]
  analysis: Analysis | null
}

/** The record of a CVE with the sections `S`. */
export type CveDetail<S extends Section = Section> = CveSummary & Pick<CveSections, (typeof SECTIONS)[S]>

/** A page of a list. */
export interface CvePage {
  data: CveSummary[]
  pagination: {
    limit: number
    /** Goes on behind the last row, here and at a gateway of the same snapshot; null where nothing follows. */
    next_cursor: string | null
  }
}
