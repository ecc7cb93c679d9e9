/** Claims of all sources about one CVE, merged into the parts of its record (decisions 18 to 24, 29, 30). */
import type { CveClaim, CveListRecord, KevEntry } from './claim.ts'
import type { ExploitModule, RecordParts } from './record.ts'

/** The operator's mission-and-well-being setting of CISA's decision table (decisions 20). */
export type Mission = 'low' | 'medium' | 'high'

/** What the rules ask of the weakness catalogue; ids are `cwe-<n>`. */
export interface WeaknessCatalogue {
  weaknessName(id: string): string | null
  /** False for categories and views (decisions 21). */
  isWeakness(id: string): boolean
}

export interface MergeInput {
  /** Published or reserved: a rejected record has no parts (decisions 10). */
  record: CveListRecord
  kev: KevEntry | null
  /** Whether a KEV feed is present; without one the ADP's copy counts (decisions 23). */
  kevFeed: boolean
  /** Claims of the other feeds (NVD, advisories, OSV, first party), in any order. */
  claims: CveClaim[]
  exploits: ExploitModule[]
  /** Null while there is no CWE feed: then no id is preferred and no name known. */
  catalogue: WeaknessCatalogue | null
  mission: Mission
}

export type MergedParts = Omit<RecordParts, 'timeline'>

/** The parts of a record, keys in the order of their interfaces, so that `JSON.stringify` of them is canonical. */
export function mergeCve(input: MergeInput): MergedParts {
  throw new TypeError(`not written yet: ${input.record.cveId}`)
}
